import { Anchor, Badge, Button, Group, Table, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flow, type Template, type TemplateKind } from '../../api/flow.ts';
import { useSearch } from '../../browser/router.ts';
import { ago } from '../../browser/time.ts';
import { t } from '../../i18n/texts.ts';
import { DataTable } from '../common/data-table.tsx';
import { Failure } from '../common/failure.tsx';
import { Loading } from '../common/loading.tsx';
import { NewObject } from './new-object.tsx';
import { SubmitDialog } from './submit-dialog.tsx';
import { TemplateDrawer } from './template-drawer.tsx';

const titles: Readonly<Record<TemplateKind, string>> = {
  'workflow-templates': 'Templates',
  'cluster-workflow-templates': 'Cluster templates',
  'cron-workflows': 'Cron workflows',
  'workflow-event-bindings': 'Event bindings',
};

/** What workflows are made of, by hand, by the clock or by events. */
export function TemplateList({ kind, namespace, text }: { kind: TemplateKind; namespace: string; text: string }) {
  const list = useQuery({
    queryKey: ['flow', kind, namespace],
    queryFn: () => flow.templates(kind, namespace),
    refetchInterval: 10_000,
    retry: false,
  });
  const [search, change] = useSearch();
  const [chosen, setChosen] = useState<Template>();
  const suspend = useMutation({
    mutationFn: ({ metadata, spec }: Template) =>
      flow.suspendCron(
        { namespace: metadata.namespace ?? '', name: metadata.name },
        spec.suspend ? 'resume' : 'suspend',
      ),
    onSuccess: () => void list.refetch(),
  });
  const items = (list.data ?? []).filter(({ metadata }) => `${metadata.namespace}/${metadata.name}`.includes(text));
  const isCron = kind === 'cron-workflows';
  const isBinding = kind === 'workflow-event-bindings';
  const heads = ['Name', isCron ? 'Schedule' : isBinding ? 'Event' : 'Parameters', isCron ? 'Last run' : 'Created', ''];
  return (
    <>
      {kind !== 'workflow-event-bindings' && (
        <Group justify="flex-end">
          <NewObject kind={kind} namespace={namespace} created={() => void list.refetch()} />
        </Group>
      )}
      {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
      {suspend.error && <Failure error={suspend.error} />}
      {list.isLoading && <Loading />}
      {list.data && items.length === 0 && (
        <Text className="soft">
          {list.data.length > 0 ? t('Nothing matches the filter.') : t(`No ${titles[kind].toLowerCase()} yet.`)}
        </Text>
      )}
      {items.length > 0 && (
        <DataTable label={t(titles[kind])} heads={heads}>
          {items.map((item) => (
            <Table.Tr key={`${item.metadata.namespace}/${item.metadata.name}`}>
              <Table.Td>
                <Anchor
                  component="button"
                  size="sm"
                  c="inherit"
                  fw={600}
                  ta="left"
                  onClick={() => change({ template: keyOf(item) })}
                >
                  {item.metadata.name}
                </Anchor>
                <Text size="xs" className="soft">
                  {item.metadata.namespace ?? t('of the cluster')}
                </Text>
              </Table.Td>
              <Table.Td>
                <Text size="sm" className={isCron || isBinding ? 'mono' : ''}>
                  {whatOf(kind, item)}
                </Text>
                {item.spec.timezone && (
                  <Text size="xs" className="soft">
                    {item.spec.timezone}
                  </Text>
                )}
                {item.spec.suspend && (
                  <Badge color="violet" tt="none" variant="light">
                    {t('Suspended')}
                  </Badge>
                )}
                {isCron &&
                  item.status?.conditions?.map(({ type, message }) => (
                    <Text key={type} size="xs" c="red">
                      {message}
                    </Text>
                  ))}
              </Table.Td>
              <Table.Td>
                {ago((isCron ? item.status?.lastScheduledTime : item.metadata.creationTimestamp) ?? '', Date.now()) ||
                  '–'}
              </Table.Td>
              <Table.Td>
                {!isBinding && (
                  <Group gap={6} justify="flex-end" wrap="nowrap">
                    {isCron && (
                      <Button
                        size="compact-xs"
                        variant="default"
                        onClick={() => suspend.mutate(item)}
                        aria-label={
                          item.spec.suspend
                            ? t('Resume {name}', { name: item.metadata.name })
                            : t('Suspend {name}', { name: item.metadata.name })
                        }
                      >
                        {item.spec.suspend ? t('Resume') : t('Suspend')}
                      </Button>
                    )}
                    <Button
                      size="compact-xs"
                      onClick={() => setChosen(item)}
                      aria-label={
                        isCron
                          ? t('Run now {name}', { name: item.metadata.name })
                          : t('Run {name}', { name: item.metadata.name })
                      }
                    >
                      {isCron ? t('Run now') : t('Run')}
                    </Button>
                  </Group>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </DataTable>
      )}
      <TemplateDrawer
        kind={kind}
        template={list.data?.find((item) => keyOf(item) === search.get('template'))}
        changed={() => void list.refetch()}
        close={() => change({ template: undefined })}
      />
      <SubmitDialog kind={kind} template={chosen} close={() => setChosen(undefined)} />
    </>
  );
}

const keyOf = ({ metadata }: Template) => `${metadata.namespace ?? ''}/${metadata.name}`;

function whatOf(kind: TemplateKind, { spec }: Template): string {
  if (kind === 'cron-workflows') return (spec.schedules ?? [spec.schedule ?? '']).join(', ');
  if (kind === 'workflow-event-bindings')
    return `${spec.event?.selector ?? ''} → ${spec.submit?.workflowTemplateRef?.name ?? t('nothing')}`;
  return (spec.arguments?.parameters ?? []).map(({ name }) => name).join(', ') || '–';
}
