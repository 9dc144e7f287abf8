import { Checkbox, Group, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import type { Application, ApplicationTree, Host, TreeNode } from '../../api/model.ts';
import { useSearch } from '../../browser/router.ts';
import { isShown } from '../../extensions/registry.ts';
import { useExtensions } from '../../extensions/use-extensions.ts';
import { filterTree } from '../../graph/filter.ts';
import { t } from '../../i18n/texts.ts';
import { hasLogs, objectKey } from '../../objects/objects.ts';
import { ExtensionIcon } from '../extensions/extension-icon.tsx';
import { ExtensionSlot } from '../extensions/extension-slot.tsx';
import { GraphView } from './graph-view.tsx';
import { ListView } from './list-view.tsx';
import { NetworkView } from './network-view.tsx';
import { type NodeAct, NodeActsContext } from './node-menu.tsx';
import { PodsView } from './pods-view.tsx';

const views = [
  ['graph', 'Graph'],
  ['pods', 'Pods'],
  ['network', 'Network'],
  ['list', 'List'],
] as const;

/** The view that an application asks for, by Argo CD's names. */
function defaultViewOf({ metadata }: Application): (typeof views)[number][0] | undefined {
  const asked = metadata.annotations?.['pref.argocd.argoproj.io/default-view'];
  return asked === 'tree' ? 'graph' : views.find(([value]) => value === asked)?.[0];
}

/** What is done with one object. */
interface NodeActs {
  open: (node: TreeNode, tab?: string) => void;
  /** Undefined for what the application does not manage itself. */
  sync: (node: TreeNode) => (() => void) | undefined;
}

function actsOf({ open, sync }: NodeActs, node: TreeNode): NodeAct[] {
  const synced = sync(node);
  return [
    { label: t('Open'), run: () => open(node) },
    ...(hasLogs(node) ? [{ label: t('Logs'), run: () => open(node, 'logs') }] : []),
    { label: t('Events'), run: () => open(node, 'events') },
    ...(synced ? [{ label: t('Sync this alone'), run: synced }] : []),
  ];
}

interface ResourceTreeProps {
  application: Application;
  tree: ApplicationTree;
  nodes: readonly TreeNode[];
  /** What lives in the application's namespace and nobody manages. */
  orphans: readonly TreeNode[];
  hosts: readonly Host[];
  acts: NodeActs;
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
  const view = extension
    ? `extension:${extension.title}`
    : (views.find(([value]) => value === search.get('view'))?.[0] ?? usual);
  const resources = application.status?.resources;
  const statusOf = useMemo(() => {
    const known = new Map((resources ?? []).map((item) => [objectKey(item), item.status]));
    return (node: TreeNode) => known.get(objectKey(node));
  }, [resources]);
  const withOrphans = search.get('orphans') === 'true';
  const all = useMemo(() => (withOrphans ? [...nodes, ...orphans] : nodes), [nodes, orphans, withOrphans]);
  const [text, kind, health, sync] = ['text', 'kind', 'health', 'sync'].map((name) => search.get(name) ?? '') as [
    string,
    string,
    string,
    string,
  ];
  const shown = useMemo(
    () => filterTree(all, { text, kind, health, sync }, statusOf),
    [all, text, kind, health, sync, statusOf],
  );
  const choices = useMemo(
    () => ({
      kind: unique(all.map((node) => node.kind)),
      health: unique(all.map((node) => node.health?.status)),
      sync: unique(all.map(statusOf)),
    }),
    [all, statusOf],
  );
  const parts = { nodes: shown, statusOf, onOpen: acts.open, selected };
  return (
    <NodeActsContext value={(node) => actsOf(acts, node)}>
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
            value={text}
            onChange={(event) => changeSearch({ text: event.currentTarget.value })}
            data-search
          />
          {(['kind', 'health', 'sync'] as const).map((name) => (
            <Select
              key={name}
              aria-label={t(filterTitles[name])}
              placeholder={t(filterTitles[name])}
              data={choices[name]}
              value={search.get(name)}
              onChange={(value) => changeSearch({ [name]: value ?? undefined })}
              clearable
              clearButtonProps={{ 'aria-label': t('Clear') }}
              searchable={name === 'kind'}
              className="tree-choice"
              comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
            />
          ))}
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
        {view === 'graph' && <GraphView application={application} {...parts} />}
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
    </NodeActsContext>
  );
}

const filterTitles = { kind: 'Kind', health: 'Health', sync: 'Sync status' } as const;

function unique(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values)].filter((value) => value !== undefined).sort();
}
