import { Drawer, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { ApplicationRef } from '../../api/client.ts';
import { flow } from '../../api/flow.ts';
import { argoKind } from '../../api/schemas.ts';
import { kindNames } from '../../families/workflow-templates.ts';
import { t } from '../../i18n/texts.ts';
import { atVersionOf, editableYaml } from '../../objects/shown-yaml.ts';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { ConfirmButton } from '../forms/confirm-button.tsx';

const ObjectEditor = lazy(() =>
  import('../editor/object-editor.tsx').then(({ ObjectEditor: editor }) => ({ default: editor })),
);

/** An EventSource or a Sensor. */
export interface EventObjectRef extends ApplicationRef {
  readonly kind: 'event-sources' | 'sensors';
}

interface EditEventObjectProps {
  reference: EventObjectRef | undefined;
  changed: () => void;
  close: () => void;
}

/** A drawer in which an EventSource or a Sensor is changed or deleted. */
export function EditEventObject({ reference, changed, close }: EditEventObjectProps) {
  return (
    <Drawer
      opened={reference !== undefined}
      onClose={close}
      position="right"
      size="min(920px, 100vw)"
      title={reference && <Text fw={650}>{reference.name}</Text>}
    >
      {reference && <Content reference={reference} changed={changed} close={close} />}
    </Drawer>
  );
}

function Content({ reference, changed, close }: EditEventObjectProps & { reference: EventObjectRef }) {
  const { kind, namespace, name } = reference;
  const object = useQuery({
    queryKey: ['flow', kind, namespace, name],
    queryFn: () => flow.object(kind, { namespace, name }),
    retry: false,
    // what is being edited stays as it was opened
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const done = () => {
    changed();
    close();
  };
  if (object.error) return <Failure error={object.error} retry={() => void object.refetch()} />;
  const before = object.data;
  if (!before) return <Loading height={240} />;
  return (
    <Stack gap="xs">
      <Group justify="flex-end">
        <ConfirmButton
          label={t('Delete')}
          title={t('Delete {what}?', { what: name })}
          effect={
            kind === 'sensors'
              ? t('Its triggers are not run any more.')
              : t('Its events are not heard any more; sensors that wait for them do nothing.')
          }
          run={() => flow.removeTemplate(kind, { namespace, name })}
          done={done}
        />
      </Group>
      <Suspense fallback={<Loading height={240} />}>
        <ObjectEditor
          name={`${kind} ${namespace}/${name}`}
          text={editableYaml(kindNames[kind], before)}
          label={t('{kind} as YAML', { kind: kindNames[kind] })}
          kind={argoKind(kindNames[kind])}
          about={t('Changes the cluster: what a repository says of it is brought back by its sync.')}
          action={t('Save')}
          save={(edited) => flow.saveTemplate(kind, { namespace, name }, atVersionOf(before, edited))}
          saved={done}
          cancel={close}
        />
      </Suspense>
    </Stack>
  );
}
