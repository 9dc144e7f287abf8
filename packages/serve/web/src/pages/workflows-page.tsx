import { Anchor, Badge, Button, Group, Stack, Table, Tabs, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { WorkflowSummary } from '../api/families.ts';
import { flow, type TemplateKind, type WorkflowPage } from '../api/flow.ts';
import { navigate, useSearch } from '../browser/router.ts';
import { ago, span } from '../browser/time.ts';
import { DataTable } from '../components/common/data-table.tsx';
import { Failure } from '../components/common/failure.tsx';
import { lookAgain } from '../components/common/family-list.tsx';
import { Loading } from '../components/common/loading.tsx';
import { MultiChoice } from '../components/common/multi-choice.tsx';
import { PhaseCell } from '../components/common/phase-cell.tsx';
import { TabStrip } from '../components/common/tab-strip.tsx';
import { NewObject } from '../components/workflows/new-object.tsx';
import { TemplateList } from '../components/workflows/template-list.tsx';
import { WorkflowReport } from '../components/workflows/workflow-report.tsx';
import { t } from '../i18n/texts.ts';
import { told } from '../i18n/told.ts';

const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Error'];
const views = [
  ['', 'Workflows'],
  ['workflow-templates', 'Templates'],
  ['cluster-workflow-templates', 'Cluster templates'],
  ['cron-workflows', 'Cron'],
  ['workflow-event-bindings', 'Event bindings'],
  ['reports', 'Reports'],
] as const;

/** All workflows, live and archived, newest first, and what they are made of. */
export function WorkflowsPage() {
  const [search, change] = useSearch();
  const get = (name: string) => search.get(name) ?? '';
  const view = get('view');
  const [name] = useDebouncedValue(get('name'), 300);
  const [labels] = useDebouncedValue(get('labels'), 300);
  const [namespace] = useDebouncedValue(get('namespace'), 300);
  const chosen = get('phase').split(',').filter(Boolean);
  const selector = [labels, chosen.length > 0 ? `workflows.argoproj.io/phase in (${chosen.join(',')})` : '']
    .filter(Boolean)
    .join(',');
  const isTemplates = view !== '' && view !== 'reports';
  const query = { namespace, name, labels: selector, createdAfter: timeOf(get('since')) };
  const list = useInfiniteQuery({
    queryKey: ['workflows', 'list', query],
    queryFn: ({ pageParam }) => flow.list({ ...query, continue: pageParam }),
    initialPageParam: '',
    getNextPageParam: (last: WorkflowPage) => last.continue,
    refetchInterval: lookAgain,
    retry: false,
    enabled: !isTemplates,
  });
  const items = list.data?.pages.flatMap((page) => page.items) ?? [];
  const first = list.data?.pages[0];
  return (
    <Stack maw={1400} mx="auto" gap="md">
      <Group gap="sm">
        <Title order={2}>{t('Workflows')}</Title>
        {first && !isTemplates && (
          <Badge variant="light" color="gray" size="lg">
            {items.length}
            {list.hasNextPage ? '+' : ''}
          </Badge>
        )}
        {view === '' && (
          <div style={{ marginLeft: 'auto' }}>
            <NewObject namespace={namespace} />
          </div>
        )}
      </Group>
      <Tabs
        value={view || 'list'}
        onChange={(value) => change({ view: value === 'list' ? undefined : (value ?? undefined) })}
      >
        <TabStrip>
          {views.map(([value, title]) => (
            <Tabs.Tab key={title} value={value || 'list'}>
              {t(title)}
            </Tabs.Tab>
          ))}
        </TabStrip>
      </Tabs>
      <Group gap="xs" align="flex-end">
        <TextInput
          size="sm"
          label={t('Name')}
          placeholder={t('a part of it')}
          value={get('name')}
          onChange={(event) => change({ name: event.currentTarget.value })}
          style={{ flex: '1 1 150px' }}
        />
        <TextInput
          size="sm"
          label={t('Namespace')}
          placeholder={t('all')}
          value={get('namespace')}
          onChange={(event) => change({ namespace: event.currentTarget.value })}
          style={{ flex: '1 1 120px' }}
        />
        {!isTemplates && (
          <>
            <TextInput
              size="sm"
              label={t('Labels')}
              placeholder="app=web,tier!=test"
              value={get('labels')}
              onChange={(event) => change({ labels: event.currentTarget.value })}
              style={{ flex: '1 1 170px' }}
            />
            <MultiChoice
              size="sm"
              label={t('Phase')}
              placeholder={chosen.length > 0 ? '' : t('all')}
              data={phases.map((phase) => ({ value: phase, label: t(phase) }))}
              value={chosen}
              onChange={(value) => change({ phase: value.join(',') })}
              style={{ flex: '1 1 190px' }}
            />
            <TextInput
              size="sm"
              type="date"
              label={t('Created since')}
              value={get('since')}
              onChange={(event) => change({ since: event.currentTarget.value })}
              style={{ flex: '0 1 160px' }}
            />
          </>
        )}
      </Group>
      {isTemplates ? (
        <TemplateList kind={view as TemplateKind} namespace={namespace} text={name} />
      ) : (
        <>
          {list.error && <Failure error={list.error} retry={() => void list.refetch()} />}
          {list.isLoading && <Loading />}
          {first?.note && <Text className="soft">{told(first.note)}</Text>}
          {view === 'reports' && first && <WorkflowReport items={items} />}
          {view === '' && first && !first.note && items.length === 0 && (
            <Text className="soft">{t(list.hasNextPage ? 'None among the newest.' : 'No workflows here.')}</Text>
          )}
          {view === '' && items.length > 0 && <List items={items} columns={first?.columns ?? []} />}
          {list.hasNextPage && (
            <Button
              variant="default"
              loading={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
              style={{ alignSelf: 'center' }}
            >
              {t('Older ones')}
            </Button>
          )}
        </>
      )}
    </Stack>
  );
}

function timeOf(day: string): string {
  return Number.isNaN(Date.parse(day)) ? '' : new Date(day).toISOString();
}

function List({
  items,
  columns,
}: {
  items: readonly WorkflowSummary[];
  columns: NonNullable<WorkflowPage['columns']>;
}) {
  const own = columns.filter(({ type, key }) => type === 'label' && key);
  return (
    <DataTable
      label={t('Workflows')}
      heads={['Name', 'Phase', 'Progress', 'Started', 'Duration', ...own.map(({ name, key }) => name || key || '')]}
      highlightOnHover
    >
      {items.map((item) => {
        const path = `/workflows/${encodeURIComponent(item.namespace)}/${encodeURIComponent(item.name)}${item.archived ? `?uid=${item.uid}` : ''}`;
        return (
          <Table.Tr
            key={item.uid ?? `${item.namespace}/${item.name}`}
            onClick={() => navigate(path)}
            style={{ cursor: 'pointer' }}
          >
            <Table.Td>
              <Anchor component="button" size="sm" c="inherit" fw={600} ta="left">
                {item.name}
              </Anchor>
              <Text size="xs" className="soft">
                {item.namespace}
                {item.archived ? ` · ${t('archived')}` : ''}
              </Text>
            </Table.Td>
            <Table.Td>
              <PhaseCell phase={item.phase} message={item.message} />
            </Table.Td>
            <Table.Td>{item.progress || '–'}</Table.Td>
            <Table.Td>{ago(item.started, Date.now()) || '–'}</Table.Td>
            <Table.Td>{span(item.started, item.finished || new Date().toISOString()) || '–'}</Table.Td>
            {own.map(({ key = '' }) => (
              <Table.Td key={key}>{item.labels?.[key] ?? '–'}</Table.Td>
            ))}
          </Table.Tr>
        );
      })}
    </DataTable>
  );
}
