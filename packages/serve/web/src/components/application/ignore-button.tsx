import { Button, Checkbox, Group, Modal, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import { t } from '../../i18n/texts.ts';
import { changedPointers } from '../../objects/changed-pointers.ts';
import type { DifferingResource } from '../../objects/differences.ts';
import { Failure } from '../common/failure.tsx';

interface IgnoreButtonProps {
  reference: ApplicationRef;
  item: DifferingResource;
}

/** Makes ignored differences of the fields that differ, as an entry of the application's `ignoreDifferences`. */
export function IgnoreButton({ reference, item }: IgnoreButtonProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button size="compact-xs" variant="default" onClick={() => setOpen(true)}>
        {t('Ignore …')}
      </Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title={t('Ignore differences of {object}', { object: item.title })}
        size="lg"
      >
        {open && <IgnoreForm reference={reference} item={item} close={() => setOpen(false)} />}
      </Modal>
    </>
  );
}

function IgnoreForm({ reference, item, close }: IgnoreButtonProps & { close: () => void }) {
  const queries = useQueryClient();
  const pointers = changedPointers(item.liveState, item.desiredState);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(pointers));
  const mutation = useMutation({
    mutationFn: async () => {
      const { spec } = await api.application(reference);
      const { group = '', kind, name, namespace } = item.object;
      const entry = {
        ...(group ? { group } : {}),
        kind,
        name,
        ...(namespace ? { namespace } : {}),
        jsonPointers: [...chosen],
      };
      await api.patch(reference, { spec: { ignoreDifferences: [...(spec.ignoreDifferences ?? []), entry] } });
    },
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['application', reference.namespace, reference.name] });
      close();
    },
  });
  return (
    <Stack>
      <Text size="sm">
        {t(
          'These fields no longer count when live and desired state are compared. The application itself is changed, not the repository.',
        )}
      </Text>
      {pointers.map((pointer) => (
        <Checkbox
          key={pointer}
          label={<span className="mono">{pointer}</span>}
          checked={chosen.has(pointer)}
          onChange={() => {
            const next = new Set(chosen);
            if (!next.delete(pointer)) next.add(pointer);
            setChosen(next);
          }}
        />
      ))}
      {mutation.error && <Failure error={mutation.error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t('Cancel')}
        </Button>
        <Button disabled={chosen.size === 0} loading={mutation.isPending} onClick={() => mutation.mutate()}>
          {t('Ignore')}
        </Button>
      </Group>
    </Stack>
  );
}
