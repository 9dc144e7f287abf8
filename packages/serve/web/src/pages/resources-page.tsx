import { Anchor, Badge, Button, Group, Stack, Table, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { type ResourceFacet, type ResourceRow, readResources, resourceFacets } from '../api/resource-list.ts';
import { navigate, useSearch } from '../browser/router.ts';
import { Failure } from '../components/common/failure.tsx';
import { KindName } from '../components/common/kind-icon.tsx';
import { Loading } from '../components/common/loading.tsx';
import { MultiChoice } from '../components/common/multi-choice.tsx';
import { StatusBadge } from '../components/common/status-badge.tsx';
import { VirtualTable } from '../components/common/virtual-table.tsx';
import { t } from '../i18n/texts.ts';
import { objectKey } from '../objects/objects.ts';

const titles: Readonly<Record<ResourceFacet, string>> = {
  health: 'Health',
  sync: 'Sync status',
  kind: 'Kind',
  namespace: 'Namespace',
  project: 'Project',
  cluster: 'Cluster',
};
const ofStates: ReadonlySet<ResourceFacet> = new Set(['health', 'sync']);

/** Milliseconds of rest after which words are looked for, and between two looks at what changed. */
const pauses = { typing: 200, looking: 10_000 };

/** The objects of all applications that one may see, worst first. The address holds the filters. */
export function ResourcesPage() {
  const [search, changeSearch] = useSearch();
  const filter = Object.fromEntries(
    ['text', ...resourceFacets].flatMap((name) => {
      const values = search.getAll(name);
      return values.length > 0 ? [[name, values]] : [];
    }),
  );
  const [asked] = useDebouncedValue(filter, pauses.typing);
  const query = useInfiniteQuery({
    queryKey: ['resources', asked],
    queryFn: ({ pageParam }) => readResources(asked, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => {
      const read = pages.reduce((sum, { items }) => sum + items.length, 0);
      return read < total ? read : undefined;
    },
    placeholderData: keepPreviousData,
    refetchInterval: pauses.looking,
  });
  const first = query.data?.pages[0];
  const rows = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Stack maw={1600} mx="auto" gap="md">
      <Group gap="sm">
        <Title order={2}>{t('Resources')}</Title>
        {first && (
          <Badge variant="light" color="gray" size="lg" aria-live="polite">
            {first.total === first.all ? first.all : `${first.total} / ${first.all}`}
          </Badge>
        )}
      </Group>
      <Group gap="xs">
        <TextInput
          className="tree-words"
          placeholder={t('Filter by kind, name or application')}
          aria-label={t('Filter')}
          value={search.get('text') ?? ''}
          onChange={(event) => changeSearch({ text: event.currentTarget.value })}
          data-search
        />
        {resourceFacets.map((facet) => (
          <MultiChoice
            key={facet}
            aria-label={t(titles[facet])}
            placeholder={search.has(facet) ? '' : t(titles[facet])}
            data={choicesOf(facet, first?.counts[facet] ?? [], search.getAll(facet))}
            value={search.getAll(facet)}
            onChange={(values) => changeSearch({ [facet]: values })}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            searchable={!ofStates.has(facet)}
            className="tree-choice"
            comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
          />
        ))}
      </Group>
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {query.isLoading && <Loading height={320} />}
      {first?.all === 0 && <Text className="soft">{t('No application manages an object yet.')}</Text>}
      {first && first.all > 0 && first.total === 0 && <Text className="soft">{t('Nothing matches the filter.')}</Text>}
      {rows.length > 0 && <Rows rows={rows} />}
      {query.hasNextPage && first && (
        <Button
          variant="default"
          style={{ alignSelf: 'center' }}
          loading={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {t('{count} more', { count: first.total - rows.length })}
        </Button>
      )}
    </Stack>
  );
}

/** What is chosen stays in sight, though nothing has it. */
function choicesOf(facet: ResourceFacet, counted: readonly (readonly [string, number])[], chosen: readonly string[]) {
  const missing = chosen.filter((one) => !counted.some(([value]) => value === one)).map((one) => [one, 0] as const);
  return [...missing, ...counted].map(([value, count]) => ({
    value,
    label: `${ofStates.has(facet) ? t(value) : value} (${count})`,
  }));
}

function Rows({ rows }: { rows: readonly ResourceRow[] }) {
  return (
    <VirtualTable
      label={t('Resources')}
      heads={['Name', 'Kind', 'Namespace', 'Application', 'Cluster', 'Sync', 'Health', 'Reason']}
      items={rows}
      row={(row) => {
        const kind = row.kind.split('.', 1)[0] ?? row.kind;
        const application = `/applications/${row.application.split('/').map(encodeURIComponent).join('/')}`;
        const node = objectKey({ group: row.group, kind, namespace: row.namespace, name: row.name });
        const open = () => navigate(`${application}?node=${encodeURIComponent(node)}`);
        return (
          <Table.Tr key={`${row.application} ${node}`}>
            <Table.Td miw={160}>
              <Anchor
                component="button"
                size="sm"
                c="inherit"
                fw={600}
                ta="left"
                style={{ overflowWrap: 'anywhere' }}
                onClick={open}
              >
                {row.name}
              </Anchor>
            </Table.Td>
            <Table.Td data-label={t('Kind')}>
              <KindName group={row.group} kind={kind} />
            </Table.Td>
            <Table.Td data-label={t('Namespace')} className="soft">
              {row.namespace}
            </Table.Td>
            <Table.Td data-label={t('Application')}>
              <Anchor component="button" size="sm" ta="left" onClick={() => navigate(application)}>
                {row.application.replace(/^[^/]*\//, '')}
              </Anchor>
            </Table.Td>
            <Table.Td data-label={t('Cluster')} className="soft">
              {row.cluster}
            </Table.Td>
            <Table.Td data-label={t('Sync')}>{row.sync && <StatusBadge status={row.sync} size="sm" />}</Table.Td>
            <Table.Td data-label={t('Health')}>{row.health && <StatusBadge status={row.health} size="sm" />}</Table.Td>
            <Table.Td data-label={t('Reason')} className="soft" style={{ overflowWrap: 'anywhere' }}>
              {row.reason}
            </Table.Td>
          </Table.Tr>
        );
      }}
    />
  );
}
