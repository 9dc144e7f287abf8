import { Anchor, Group, SegmentedControl, Select, Stack, Table, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import type { ApplicationSet, SetElement, TreeNode } from '../../api/model.ts';
import { filterRows, isGenerator, rowsOf, type SetRow, treeOf } from '../../applications/application-sets.ts';
import { navigate, useSearch } from '../../browser/router.ts';
import { buildGraph, rootId } from '../../graph/layout.ts';
import { t } from '../../i18n/texts.ts';
import { KindIcon } from '../common/kind-icon.tsx';
import { StatusBadge } from '../common/status-badge.tsx';
import { VirtualTable } from '../common/virtual-table.tsx';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import { GroupBox } from '../tree/graph-view.tsx';
import { ActItems, BoxContext, type BoxSurroundings, CopyNameItem, type NodeAct } from '../tree/node-menu.tsx';
import { accentStyle, boxSize, Marks, ObjectBox } from '../tree/object-box.tsx';

const filters = [
  ['health', 'Health'],
  ['sync', 'Sync status'],
] as const;

/** The Applications of a set by the generators that made them, as a graph or a list. The address holds what is seen. */
export function SetTree({
  set,
  elements,
  refresh,
}: {
  set: ApplicationSet;
  elements: readonly SetElement[];
  /** Compares one of its applications with its repository. */
  refresh: (name: string) => void;
}) {
  const [search, changeSearch] = useSearch();
  // a graph on a narrow screen is too small to be read
  const usual = window.innerWidth < 700 ? 'list' : 'graph';
  const view = search.get('view') ?? usual;
  const all = useMemo(() => rowsOf(set, elements), [set, elements]);
  const [text, health, sync] = ['text', 'health', 'sync'].map((name) => search.get(name) ?? '') as [
    string,
    string,
    string,
  ];
  const rows = useMemo(() => filterRows(all, { text, health, sync }), [all, text, health, sync]);
  const open = (name: string, tab = '') =>
    navigate(`/applications/${encodeURIComponent(set.metadata.namespace)}/${encodeURIComponent(name)}${tab}`);
  const actsOf = (name: string): NodeAct[] => [
    { label: t('Open'), run: () => open(name) },
    { label: t('Diff'), run: () => open(name, '/diff') },
    { label: t('Events'), run: () => open(name, '/events') },
    { label: t('History'), run: () => open(name, '/history') },
    { label: t('Refresh'), run: () => refresh(name) },
  ];
  const boxes: BoxSurroundings = {
    items: ({ name }) => (
      <>
        <ActItems acts={actsOf(name)} />
        <CopyNameItem name={name} />
      </>
    ),
  };
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <SegmentedControl
          aria-label={t('View')}
          value={view}
          onChange={(value) => changeSearch({ view: value === usual ? undefined : value })}
          data={[
            { value: 'graph', label: t('Graph') },
            { value: 'list', label: t('List') },
          ]}
        />
        <TextInput
          className="tree-words"
          placeholder={t('Filter by name or element')}
          aria-label={t('Filter applications')}
          value={text}
          onChange={(event) => changeSearch({ text: event.currentTarget.value })}
          data-search
        />
        {filters.map(([name, title]) => (
          <Select
            key={name}
            aria-label={t(title)}
            placeholder={t(title)}
            data={[...new Set(all.flatMap((row) => row[name] ?? []))].sort()}
            value={search.get(name)}
            onChange={(value) => changeSearch({ [name]: value ?? undefined })}
            clearable
            clearButtonProps={{ 'aria-label': t('Clear') }}
            className="tree-choice"
            comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
          />
        ))}
        <Text size="sm" className="soft" role="status">
          {rows.length === 1 ? t('1 application') : t('{count} applications', { count: rows.length })}
        </Text>
      </Group>
      {view === 'list' ? (
        <SetList rows={rows} open={open} />
      ) : (
        <BoxContext value={boxes}>
          <SetGraph set={set} rows={rows} elements={elements} open={open} />
        </BoxContext>
      )}
    </Stack>
  );
}

/** Applications of one generator, or of the set, beyond so many are one box until it is opened. */
const limits = { owner: 40, leaves: 40, owners: 40 };

function SetGraph({
  set,
  rows,
  elements,
  open,
}: {
  set: ApplicationSet;
  rows: readonly SetRow[];
  elements: readonly SetElement[];
  open: (name: string) => void;
}) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const byName = useMemo(() => new Map(rows.map((row) => [row.name, row])), [rows]);
  const graph = useMemo(() => {
    const statusOf = (node: TreeNode) => (isGenerator(node) ? undefined : byName.get(node.name)?.sync);
    return buildGraph(treeOf(set, rows, elements), statusOf, opened, limits);
  }, [set, rows, elements, byName, opened]);
  const toggle = (id: string) =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  return (
    <GraphCanvas
      label={t('Applications of {name} by what made them', { name: set.metadata.name })}
      drawing={graph}
      size={boxSize}
      layout="tree"
      draw={(id) => {
        const box = graph.nodes.get(id);
        if (id === rootId || !box) return <SetBox set={set} />;
        if (box.group) return <GroupBox box={box} toggle={() => toggle(id)} />;
        if (isGenerator(box.node)) return <GeneratorBox node={box.node} rows={rows} />;
        const row = byName.get(box.node.name);
        return (
          <ObjectBox
            node={box.node}
            status={box.status}
            detail={[row?.step, row?.element].filter(Boolean).join(' · ') || undefined}
            open={({ name }) => open(name)}
          />
        );
      }}
    />
  );
}

function SetBox({ set: { metadata, status } }: { set: ApplicationSet }) {
  return (
    <div className="tree-node" style={accentStyle(status?.health?.status)}>
      <div className="kind with-icon">
        <KindIcon group="argoproj.io" kind="ApplicationSet" size={14} />
        ApplicationSet
      </div>
      <div className="name">{metadata.name}</div>
      <Marks health={status?.health?.status} sync={undefined} />
    </div>
  );
}

function GeneratorBox({ node, rows }: { node: TreeNode; rows: readonly SetRow[] }) {
  const count = rows.filter(({ generator }) => generator === node.name).length;
  return (
    <div className="tree-node outside">
      <div className="kind">{t('Generator')}</div>
      <div className="name">{node.kind}</div>
      <div className="kind" title={node.name}>
        {count === 1 ? t('1 application') : t('{count} applications', { count })} · {node.name.replace(/^spec\./, '')}
      </div>
    </div>
  );
}

function SetList({ rows, open }: { rows: readonly SetRow[]; open: (name: string) => void }) {
  return (
    <VirtualTable
      label={t('Applications of the set')}
      heads={['Application', 'Health', 'Sync', 'Step', 'Made for', 'Generator']}
      items={rows}
      row={({ name, health, sync, step, element, generator }) => (
        <Table.Tr key={name}>
          <Table.Td miw={180}>
            <Anchor
              component="button"
              size="sm"
              fw={600}
              ta="left"
              style={{ overflowWrap: 'anywhere' }}
              onClick={() => open(name)}
            >
              {name}
            </Anchor>
          </Table.Td>
          <Table.Td data-label={t('Health')}>
            <StatusBadge status={health} size="sm" />
          </Table.Td>
          <Table.Td data-label={t('Sync')}>
            <StatusBadge status={sync} size="sm" />
          </Table.Td>
          <Table.Td data-label={t('Step')}>{step}</Table.Td>
          <Table.Td data-label={t('Made for')} style={{ overflowWrap: 'anywhere' }}>
            {element}
          </Table.Td>
          <Table.Td data-label={t('Generator')} className="mono soft">
            {generator}
          </Table.Td>
        </Table.Tr>
      )}
    />
  );
}
