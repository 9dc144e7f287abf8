import {
  Badge,
  Button,
  Drawer,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDebouncedValue, useDisclosure, useMediaQuery } from '@mantine/hooks';
import { lazy, memo, Suspense, useCallback, useMemo, useState } from 'react';
import { useFavourites } from '../applications/favourites.ts';
import { filterCount, type ListState, listQuery, readListState, writeListState } from '../applications/list-state.ts';
import { useApplicationList } from '../applications/use-application-list.ts';
import { replaceSearch, useSearch } from '../browser/router.ts';
import { SelfManagementNotice } from '../components/application/self-management-notice.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Icon } from '../components/common/icon.tsx';
import { ApplicationRows } from '../components/list/application-rows.tsx';
import { ApplicationSummary } from '../components/list/application-summary.tsx';
import { ApplicationTiles } from '../components/list/application-tiles.tsx';
import { BulkBar } from '../components/list/bulk-bar.tsx';
import { FacetPanel } from '../components/list/facet-panel.tsx';
import { FirstApplication } from '../components/list/first-application.tsx';
import { HealthBar } from '../components/list/health-bar.tsx';
import { SavedViews } from '../components/list/saved-views.tsx';
import { t } from '../i18n/texts.ts';

const sorts = [
  ['urgency', 'Worst first'],
  ['name', 'Name'],
  ['-name', 'Name, backwards'],
  ['project', 'Project'],
  ['-deployed', 'Deployed last'],
  ['deployed', 'Deployed first'],
  ['-created', 'Newest'],
  ['created', 'Oldest'],
] as const;

const NewApplication = lazy(() =>
  import('../components/create/new-application.tsx').then(({ NewApplication: drawer }) => ({ default: drawer })),
);

const change = (next: ListState) => replaceSearch(writeListState(next));
/** Drawn again when counts or the state have changed, not with every row. */
const Facets = memo(FacetPanel);
const Bar = memo(HealthBar);

/** All applications: what is wrong with them first. The address holds every filter. */
export function ApplicationsPage() {
  const [search, changeSearch] = useSearch();
  const state = useMemo(() => readListState(search), [search]);
  const favourites = useFavourites();
  const [query] = useDebouncedValue(listQuery(state, favourites.keys), 40, { leading: true });
  const shown = useApplicationList(query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtersOpen, filters] = useDisclosure();
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  const { list } = shown;
  const facetPanel = list && <Facets counts={list.counts} state={state} change={change} />;
  // one function for all drawings: rows that are as they were are not drawn again
  const select = useCallback(
    (key: string) =>
      setSelected((before) => {
        const next = new Set(before);
        if (!next.delete(key)) next.add(key);
        return next;
      }),
    [],
  );
  const parts = { shown, total: list?.total ?? 0, selected, select, favourites };
  return (
    <Stack gap="md" pb={selected.size > 0 ? 84 : 0}>
      <SelfManagementNotice />
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={2}>{t('Applications')}</Title>
          <Badge variant="light" color="gray" size="lg" aria-live="polite">
            {!list || list.total === list.all ? (list?.all ?? '…') : `${list.total} / ${list.all}`}
          </Badge>
          <span
            className="live-dot"
            role="img"
            data-off={shown.connected ? undefined : true}
            aria-label={shown.connected ? t('Live') : t('Reconnecting')}
            title={shown.connected ? t('Live') : t('Reconnecting')}
          />
        </Group>
        <Group gap="xs">
          <Button onClick={() => changeSearch({ new: 'true' })} leftSection={<Icon name="plus" size={16} />}>
            {t('New')}
          </Button>
          <SavedViews state={state} change={change} />
          <SegmentedControl
            aria-label={t('View')}
            value={state.view}
            onChange={(view) => change({ ...state, view: view as ListState['view'] })}
            data={[
              { label: t('Tiles'), value: 'tiles' },
              { label: t('List'), value: 'list' },
              { label: t('Summary'), value: 'summary' },
            ]}
          />
        </Group>
      </Group>
      <Group gap="xs" wrap="wrap">
        <TextInput
          placeholder={t('Search')}
          title={t('Name, project, repository, revision, cluster, namespace, label, or words of what is wrong')}
          value={state.text}
          onChange={(event) => change({ ...state, text: event.currentTarget.value })}
          style={{ flex: '1 1 220px' }}
          aria-label={t('Filter')}
          data-search
        />
        <Select
          aria-label={t('Sort by')}
          w={170}
          data={sorts.map(([value, label]) => ({ value, label: t(label) }))}
          value={state.sort}
          allowDeselect={false}
          onChange={(sort) => sort && change({ ...state, sort })}
        />
        {!wide && (
          <Button variant="default" onClick={filters.open}>
            {t('Filters')}
            {filterCount(state) > 0 && ` · ${filterCount(state)}`}
          </Button>
        )}
      </Group>
      {list && list.all > 0 && <Bar counts={list.counts} state={state} change={change} />}
      {shown.error !== null && shown.error !== undefined && <Failure error={shown.error} retry={shown.retry} />}
      {shown.loading && <Skeleton height={320} radius="md" />}
      {list?.all === 0 && <FirstApplication />}
      {list && list.all > 0 && (
        <div className="list-columns">
          {wide && facetPanel}
          <div style={{ minWidth: 0 }}>
            {list.total === 0 && <Text className="soft">{t('No application matches the filter.')}</Text>}
            {state.view === 'summary' && <ApplicationSummary counts={list.counts} state={state} change={change} />}
            {state.view === 'tiles' && <ApplicationTiles {...parts} />}
            {state.view === 'list' && <ApplicationRows {...parts} />}
          </div>
        </div>
      )}
      <Drawer opened={filtersOpen} onClose={filters.close} title={t('Filters')} size="sm">
        {facetPanel}
      </Drawer>
      {search.get('new') !== null && (
        <Suspense fallback={null}>
          <NewApplication close={() => changeSearch({ new: undefined })} />
        </Suspense>
      )}
      <BulkBar query={query} total={list?.total ?? 0} selected={selected} setSelected={setSelected} />
    </Stack>
  );
}
