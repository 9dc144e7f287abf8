import { Badge, Button, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { type ApplicationRef, api } from '../../api/client.ts';
import type { Application, ApplicationSet, SetPreview } from '../../api/model.ts';
import { previewSummary } from '../../applications/application-sets.ts';
import { t } from '../../i18n/texts.ts';
import { withMergePatch } from '../../objects/merge-patch.ts';
import { editableYaml } from '../../objects/shown-yaml.ts';
import { DiagnosisPanel } from '../common/diagnosis-panel.tsx';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { ScrollPanel } from '../common/scroll-panel.tsx';

const Difference = lazy(() =>
  import('../editor/difference.tsx').then(({ Difference: difference }) => ({ default: difference })),
);
const YamlView = lazy(() => import('../editor/yaml-view.tsx').then(({ YamlView: view }) => ({ default: view })));

const colours = { create: 'green', update: 'yellow', delete: 'red', refused: 'red', none: 'gray' } as const;

/** What the controller would do now for a set, or for what it is edited to; nothing is stored. */
export function SetChanges({ reference, edited }: { reference: ApplicationRef; edited?: ApplicationSet | undefined }) {
  const preview = useQuery({
    queryKey: ['preview', reference.namespace, reference.name, edited],
    queryFn: () => api.previewSet(reference, edited),
    retry: false,
  });
  if (preview.error) return <Failure error={preview.error} retry={() => void preview.refetch()} />;
  return preview.data ? <SetPreviewTable preview={preview.data} namespace={reference.namespace} /> : <Loading />;
}

/** What would happen to each Application of a set, and why some cannot be made. */
function SetPreviewTable({ preview, namespace }: { preview: SetPreview; namespace: string }) {
  const { applications, failures, gaps } = preview;
  const problems = [
    ...failures.map(({ diagnosis }) => diagnosis),
    ...gaps,
    ...applications.flatMap(({ problem }) => problem ?? []),
  ];
  const [shown, setShown] = useState<string>();
  return (
    <Stack gap="md">
      <Text fw={600} role="status">
        {previewSummary(preview)}
      </Text>
      {problems.map((diagnosis) => (
        <DiagnosisPanel key={diagnosis.code + diagnosis.message} diagnosis={diagnosis} />
      ))}
      {applications.length > 0 && (
        <ScrollPanel label={t('Applications of the set')}>
          <Table verticalSpacing={6} horizontalSpacing="md">
            <Table.Tbody>
              {changesFirst(applications).map((one) => {
                const key = `${one.change} ${one.name}`;
                const open = shown === key;
                const telling = one.application !== undefined || one.change === 'delete';
                return (
                  <Table.Tr key={key}>
                    <Table.Td w={100} style={{ verticalAlign: 'top' }}>
                      <Badge color={colours[one.change]} variant="light" tt="none">
                        {one.change === 'none' ? t('as it is') : t(one.change)}
                      </Badge>
                    </Table.Td>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>
                      {telling ? (
                        <Button
                          variant="subtle"
                          size="compact-sm"
                          aria-expanded={open}
                          onClick={() => setShown(open ? undefined : key)}
                        >
                          {one.name} {open ? '▾' : '▸'}
                        </Button>
                      ) : (
                        <Text size="sm" fw={600}>
                          {one.name}
                        </Text>
                      )}
                      {one.origin?.element && (
                        <Text component="span" size="sm" className="soft" ml="xs">
                          {one.origin.element}
                        </Text>
                      )}
                      {open && (
                        <Suspense fallback={<Loading />}>
                          <PreviewedApplication one={one} namespace={namespace} />
                        </Suspense>
                      )}
                    </Table.Td>
                  </Table.Tr>
                );
              })}
            </Table.Tbody>
          </Table>
        </ScrollPanel>
      )}
    </Stack>
  );
}

/** What changes nothing stands last; the order is that of the set otherwise. */
const changesFirst = (applications: SetPreview['applications']) => [
  ...applications.filter(({ change }) => change !== 'none'),
  ...applications.filter(({ change }) => change === 'none'),
];

/** An Application before and after; of one that is only made, deleted or left, it whole. */
function PreviewedApplication({
  one: { name, change, application, patch },
  namespace,
}: {
  one: SetPreview['applications'][number];
  namespace: string;
}) {
  const live = useQuery({
    queryKey: ['application', namespace, name, 'before'],
    queryFn: () => api.application({ namespace, name }),
    enabled: change === 'update' || change === 'delete',
    retry: false,
  });
  const yaml = (object: unknown) => editableYaml('Application', object as Application);
  if (live.error) return <Failure error={live.error} retry={() => void live.refetch()} />;
  if (change === 'update' || change === 'delete') {
    if (!live.data) return <Loading />;
    return change === 'delete' ? (
      <div className="whole-object" data-gone>
        <YamlView text={yaml(live.data)} />
      </div>
    ) : (
      <Difference live={yaml(live.data)} desired={yaml(withMergePatch(live.data, patch))} beside={false} compact />
    );
  }
  return (
    <div className="whole-object">
      <YamlView text={yaml(application)} />
    </div>
  );
}
