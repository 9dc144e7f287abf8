import { Badge, Button, Drawer, Group, SegmentedControl, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { lazy, memo, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { type Counts, facets } from '../api/application-list.ts';
import { useFavourites } from '../applications/favourites.ts';
import {
  type EditList,
  filterCount,
  type ListState,
  listQuery,
  readListState,
  writeListState,
} from '../applications/list-state.ts';
import { useApplicationList } from '../applications/use-application-list.ts';
import { replaceSearch, useSearch } from '../browser/router.ts';
import { whenIdle } from '../browser/when-idle.ts';
import { SelfManagementNotice } from '../components/application/self-management-notice.tsx';
import { Failure } from '../components/common/failure.tsx';
import { Icon } from '../components/common/icon.tsx';
import { Loading } from '../components/common/loading.tsx';
import { ApplicationRows } from '../components/list/application-rows.tsx';
import { ApplicationSummary } from '../components/list/application-summary.tsx';
import { ApplicationTiles } from '../components/list/application-tiles.tsx';
import { BulkBar } from '../components/list/bulk-bar.tsx';
import { FacetPanel } from '../components/list/facet-panel.tsx';
import { FirstApplication } from '../components/list/first-application.tsx';
import { HealthBar } from '../components/list/health-bar.tsx';
import { useListKeys } from '../components/list/list-keys.ts';
import { RowActs } from '../components/list/row-acts.tsx';
import { SavedViews } from '../components/list/saved-views.tsx';
import { t } from '../i18n/texts.ts';

const sorts = [
  ['urgency', 'Worst first'],
  ['name', 'Name'],
  ['-name', 'Name, backwards'],
  ['project', 'Project'],
  ['health', 'Health'],
  ['sync', 'Sync status'],
  ['-deployed', 'Deployed last'],
  ['deployed', 'Deployed first'],
  ['-created', 'Newest'],
  ['created', 'Oldest'],
] as const;

const NewApplication = lazy(() =>
  import('../components/create/new-application.tsx').then(({ NewApplication: drawer }) => ({ default: drawer })),
);

const noCounts = Object.fromEntries(facets.map((facet) => [facet, []])) as unknown as Counts;

const edit: EditList = (run) =>
  replaceSearch(writeListState(run(readListState(new URLSearchParams(window.location.search)))));
const change = (next: ListState) => replaceSearch(writeListState(next));

/**
 * All applications: what is wrong with them first. The address holds every filter. What most go to next is loaded
 * when the first of them are drawn: before, it would hold them up.
 */
export function ApplicationsPage({ loadNext }: { loadNext: () => Promise<unknown> }) {
  const [search, changeSearch] = useSearch();
  const state = useMemo(() => readListState(search), [search]);
  const favourites = useFavourites();
  const query = listQuery(state, favourites.keys);
  const shown = useApplicationList(query);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [filtersOpen, filters] = useDisclosure();
  const wide = useMediaQuery('(min-width: 75em)', true, { getInitialValueInEffect: false });
  useListKeys();
  const { list } = shown;
  const drawn = list !== undefined;
  useEffect(() => {
    if (drawn) return whenIdle(() => void loadNext());
    return undefined;
  }, [drawn, loadNext]);
  const chosen = useSame(state.chosen);
  // another order or page of the same list: what is drawn of the counts stays
  const counts = useSame(list?.counts ?? noCounts);
  const facetPanel = list && (
    <FacetPanel
      counts={counts}
      chosen={chosen}
      favourites={state.favourites}
      searching={state.text !== ''}
      edit={edit}
    />
  );
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
  const setSort = useCallback((sort: string) => edit((all) => ({ ...all, sort })), []);
  const parts = { shown, total: list?.total ?? 0, selected, select, favourites };
  return (
    <Stack gap="md" pb={selected.size > 0 ? 84 : 0}>
      <SelfManagementNotice />
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Title order={2}>{t('Applications')}</Title>
          {list && (
            <Badge variant="light" color="gray" size="lg" aria-live="polite">
              {list.total === list.all ? list.all : `${list.total} / ${list.all}`}
            </Badge>
          )}
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
          <ViewSwitch view={state.view} />
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
        <SortSelect sort={state.sort} />
        {!wide && (
          <Button variant="default" onClick={filters.open}>
            {t('Filters')}
            {filterCount(state) > 0 && ` · ${filterCount(state)}`}
          </Button>
        )}
      </Group>
      {list && list.all > 0 && <HealthBar counts={counts} chosen={chosen} edit={edit} />}
      {shown.error !== null && shown.error !== undefined && <Failure error={shown.error} retry={shown.retry} />}
      {shown.loading && <Loading height={320} />}
      {list?.all === 0 && <FirstApplication />}
      {list && list.all > 0 && (
        <div className="list-columns">
          {wide && facetPanel}
          <div style={{ minWidth: 0 }}>
            {list.total === 0 && (
              <Stack align="flex-start" gap="sm" mt="sm">
                <Text className="soft">{t('No application matches the filter.')}</Text>
                <Button
                  variant="default"
                  size="sm"
                  onClick={() => edit((all) => ({ ...all, chosen: {}, favourites: false, text: '' }))}
                >
                  {t('Show all applications')}
                </Button>
              </Stack>
            )}
            {state.view === 'summary' && <ApplicationSummary counts={counts} chosen={chosen} edit={edit} />}
            <RowActs>
              {state.view === 'tiles' && <ApplicationTiles {...parts} />}
              {state.view === 'list' && <ApplicationRows {...parts} sort={state.sort} setSort={setSort} />}
            </RowActs>
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

const ViewSwitch = memo(function ViewSwitch({ view }: { view: ListState['view'] }) {
  return (
    <SegmentedControl
      aria-label={t('View')}
      value={view}
      onChange={(next) => edit((state) => ({ ...state, view: next as ListState['view'] }))}
      data={[
        { label: t('Tiles'), value: 'tiles' },
        { label: t('List'), value: 'list' },
        { label: t('Summary'), value: 'summary' },
      ]}
    />
  );
});

/** What can be chosen, and what the address or the head of a column asks for beside it. */
function sortChoices(sort: string) {
  const choices = sorts.map(([value, label]) => ({ value, label: t(label) }));
  if (choices.some(({ value }) => value === sort)) return choices;
  const plain = choices.find(({ value }) => `-${value}` === sort)?.label ?? sort;
  return [...choices, { value: sort, label: t('{what}, backwards', { what: plain }) }];
}

const SortSelect = memo(function SortSelect({ sort }: { sort: string }) {
  return (
    <Select
      aria-label={t('Sort by')}
      w={190}
      data={sortChoices(sort)}
      value={sort}
      allowDeselect={false}
      onChange={(next) => next && edit((state) => ({ ...state, sort: next }))}
    />
  );
});

/** The same object for as long as it says the same. */
function useSame<T extends object>(value: T): T {
  const same = useRef(value);
  if (JSON.stringify(same.current) !== JSON.stringify(value)) same.current = value;
  return same.current;
}
