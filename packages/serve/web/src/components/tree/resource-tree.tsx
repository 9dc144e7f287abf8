import { Button, Checkbox, Group, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { Application, ApplicationTree, Host, TreeNode } from '../../api/model.ts';
import { ownTreeSearch } from '../../applications/peer-addresses.ts';
import { useSearch } from '../../browser/router.ts';
import { isShown } from '../../extensions/registry.ts';
import { useExtensions } from '../../extensions/use-extensions.ts';
import { filterTree, type TreeFilter, treeFacets } from '../../graph/filter.ts';
import { t } from '../../i18n/texts.ts';
import { ownPage } from '../../objects/object-pages.ts';
import { objectKey } from '../../objects/objects.ts';
import { MultiChoice } from '../common/multi-choice.tsx';
import { ExtensionIcon } from '../extensions/extension-icon.tsx';
import { ExtensionSlot } from '../extensions/extension-slot.tsx';
import { GraphView } from './graph-view.tsx';
import { ListView } from './list-view.tsx';
import { NetworkView } from './network-view.tsx';
import { BoxContext, type BoxSurroundings } from './node-menu.tsx';
import { type ObjectActs, ObjectMenuItems } from './object-menu.tsx';
import { PodsView } from './pods-view.tsx';

const views = [
  ['graph', 'Graph'],
  ['pods', 'Pods'],
  ['network', 'Network'],
  ['list', 'List'],
] as const;

/** A view by our name or Argo CD's. */
function viewNamed(name: string | null | undefined): (typeof views)[number][0] | undefined {
  return name === 'tree' ? 'graph' : views.find(([value]) => value === name)?.[0];
}

/** The view that an application asks for, by Argo CD's names. */
function defaultViewOf({ metadata }: Application): (typeof views)[number][0] | undefined {
  return viewNamed(metadata.annotations?.['pref.argocd.argoproj.io/default-view']);
}

interface ResourceTreeProps {
  application: Application;
  tree: ApplicationTree;
  nodes: readonly TreeNode[];
  /** What lives in the application's namespace and nobody manages. */
  orphans: readonly TreeNode[];
  hosts: readonly Host[];
  acts: ObjectActs;
  /** Key of the object that is opened. */
  selected: string | undefined;
}

/** The objects of an application and what belongs to them: as a graph, by pods, by the way of requests, or as a list. The address holds what is seen. */
export function ResourceTree({ application, tree, nodes, orphans, hosts, acts, selected }: ResourceTreeProps) {
  const [search, changeSearch] = useSearch();
  // a graph on a narrow screen is too small to be read
  const usual = window.innerWidth < 700 ? 'list' : (defaultViewOf(application) ?? 'graph');
  const extensions = useExtensions().views.filter((item) => isShown(item, application));
  const extension = extensions.find(({ title }) => `extension:${title}` === search.get('view'));
  const view = extension ? `extension:${extension.title}` : (viewNamed(search.get('view')) ?? usual);
  const resources = application.status?.resources;
  const statusOf = useMemo(() => {
    const known = new Map((resources ?? []).map((item) => [objectKey(item), item.status]));
    return (node: TreeNode) => known.get(objectKey(node));
  }, [resources]);
  const foldAll = search.get('fold') === 'all';
  const withOrphans = search.get('orphans') === 'true';
  const all = useMemo(() => (withOrphans ? [...nodes, ...orphans] : nodes), [nodes, orphans, withOrphans]);
  const asked = search.toString();
  const filter = useMemo(() => filterOf(new URLSearchParams(asked)), [asked]);
  const shown = useMemo(() => filterTree(all, filter, statusOf), [all, filter, statusOf]);
  const choices = useMemo(
    () => ({
      kind: unique(all.map((node) => node.kind)),
      health: unique(all.map((node) => node.health?.status)),
      sync: unique(all.map(statusOf)),
      namespace: unique(all.map((node) => node.namespace)),
    }),
    [all, statusOf],
  );
  const boxes: BoxSurroundings = {
    items: (node) => <ObjectMenuItems node={node} application={application} acts={acts} status={statusOf(node)} />,
    page: (node) => ownPage(application, node),
  };
  const parts = { nodes: shown, statusOf, onOpen: acts.open, selected };
  return (
    <BoxContext value={boxes}>
      <Stack gap="sm">
        <Group gap="xs">
          <SegmentedControl
            aria-label={t('View')}
            value={view}
            onChange={(value) => changeSearch({ view: value === usual ? undefined : value })}
            data={[
              ...views.map(([value, label]) => ({ value, label: t(label) })),
              ...extensions.map(({ title, icon }) => ({
                value: `extension:${title}`,
                label: (
                  <>
                    <ExtensionIcon name={icon} /> {title}
                  </>
                ),
              })),
            ]}
          />
          <TextInput
            className="tree-words"
            placeholder={t('Filter by kind or name')}
            aria-label={t('Filter objects')}
            value={filter.text}
            onChange={(event) => changeSearch({ ...filter, resource: undefined, text: event.currentTarget.value })}
            data-search
          />
          {treeFacets
            // one namespace is no choice
            .filter((name) => name !== 'namespace' || choices.namespace.length > 1 || filter[name].length > 0)
            .map((name) => (
              <MultiChoice
                key={name}
                aria-label={t(filterTitles[name])}
                placeholder={filter[name].length > 0 ? '' : t(filterTitles[name])}
                data={[...new Set([...filter[name], ...choices[name]])].map((value) => ({
                  value,
                  label: name === 'health' || name === 'sync' ? t(value) : value,
                }))}
                value={[...filter[name]]}
                onChange={(values) => changeSearch({ ...filter, resource: undefined, [name]: values })}
                clearable
                clearButtonProps={{ 'aria-label': t('Clear') }}
                searchable={name === 'kind' || name === 'namespace'}
                className="tree-choice"
                comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
              />
            ))}
          {view === 'graph' && (
            <Button
              size="xs"
              variant="default"
              onClick={() => changeSearch({ fold: foldAll ? undefined : 'all' })}
              aria-pressed={foldAll}
            >
              {foldAll ? t('Unfold all') : t('Fold all')}
            </Button>
          )}
          {orphans.length > 0 && (
            <Checkbox
              label={t('{count} orphans', { count: orphans.length })}
              checked={withOrphans}
              onChange={(event) => changeSearch({ orphans: event.currentTarget.checked ? 'true' : undefined })}
            />
          )}
          <Text size="sm" className="soft">
            {shown.length === 1 ? t('1 object') : t('{count} objects', { count: shown.length })}
          </Text>
        </Group>
        {extension && (
          <ExtensionSlot key={extension.title} title={extension.title}>
            <extension.component application={application} tree={tree} />
          </ExtensionSlot>
        )}
        {view === 'graph' && <GraphView application={application} {...parts} foldAll={foldAll} />}
        {view === 'pods' && (
          <PodsView
            nodes={shown}
            hosts={hosts}
            usual={application.metadata.annotations?.['pref.argocd.argoproj.io/default-pod-sort']}
            onOpen={acts.open}
          />
        )}
        {view === 'network' && <NetworkView {...parts} />}
        {view === 'list' && <ListView {...parts} />}
      </Stack>
    </BoxContext>
  );
}

const filterTitles = { kind: 'Kind', health: 'Health', sync: 'Sync status', namespace: 'Namespace' } as const;

function filterOf(given: URLSearchParams): TreeFilter {
  const search = ownTreeSearch(given);
  const [kind = [], health = [], sync = [], namespace = []] = treeFacets.map((name) => search.getAll(name));
  return { text: search.get('text') ?? '', kind, health, sync, namespace };
}

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values)].filter((value) => value !== undefined).sort();
}
