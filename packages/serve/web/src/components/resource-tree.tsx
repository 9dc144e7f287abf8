import '@xyflow/react/dist/style.css';
import { Anchor, Group, SegmentedControl, Stack, Table, Text, TextInput, useComputedColorScheme } from '@mantine/core';
import { Background, Controls, type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react';
import { useMemo, useState } from 'react';
import type { Application, TreeNode } from '../api/model.ts';
import { buildGraph, rootId } from '../graph/layout.ts';
import { boxSize, placeBoxes } from '../graph/place.ts';
import { lookOf } from '../status.ts';
import { ago } from '../time.ts';
import { ScrollPanel } from './scroll-panel.tsx';
import { StatusBadge } from './status-badge.tsx';

interface BoxData extends Record<string, unknown> {
  kind: string;
  name: string;
  health: string | undefined;
  sync: string | undefined;
  detail: string;
}

type Box = Node<BoxData, 'box'>;

/** The objects of an application and what belongs to them, as a graph or as a list. */
export function ResourceTree({
  application,
  nodes,
  onOpen,
}: {
  application: Application;
  nodes: readonly TreeNode[];
  onOpen: (node: TreeNode) => void;
}) {
  // a graph on a narrow screen is too small to be read
  const [view, setView] = useState(() => (window.innerWidth < 700 ? 'list' : 'graph'));
  const [text, setText] = useState('');
  const statuses = useMemo(() => {
    const of = (item: { group?: string; kind: string; namespace?: string; name: string }) =>
      [item.group ?? '', item.kind, item.namespace ?? '', item.name].join('/');
    const known = new Map((application.status?.resources ?? []).map((item) => [of(item), item.status]));
    return (node: TreeNode) => known.get(of(node));
  }, [application]);
  const shown = useMemo(
    () => nodes.filter((node) => `${node.kind} ${node.name}`.toLowerCase().includes(text.toLowerCase())),
    [nodes, text],
  );
  return (
    <Stack gap="sm">
      <Group>
        <SegmentedControl
          aria-label="View"
          value={view}
          onChange={setView}
          data={[
            { label: 'Graph', value: 'graph' },
            { label: 'List', value: 'list' },
          ]}
        />
        <TextInput
          placeholder="Filter by kind or name"
          aria-label="Filter objects"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Text size="sm" className="soft">
          {shown.length} objects
        </Text>
      </Group>
      {view === 'graph' ? (
        <GraphView application={application} nodes={shown} statusOf={statuses} onOpen={onOpen} />
      ) : (
        <ListView nodes={shown} statusOf={statuses} onOpen={onOpen} />
      )}
    </Stack>
  );
}

function GraphView({
  application,
  nodes,
  statusOf,
  onOpen,
}: {
  application: Application;
  nodes: readonly TreeNode[];
  statusOf: (node: TreeNode) => string | undefined;
  onOpen: (node: TreeNode) => void;
}) {
  const scheme = useComputedColorScheme('light');
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const graph = useMemo(() => buildGraph(nodes, statusOf, opened), [nodes, statusOf, opened]);
  const places = useMemo(() => placeBoxes(graph), [graph]);
  const root: Box = {
    id: rootId,
    type: 'box',
    ...boxSize,
    position: places.get(rootId) ?? { x: 0, y: 0 },
    data: {
      kind: 'Application',
      name: application.metadata.name,
      health: application.status?.health?.status,
      sync: application.status?.sync?.status,
      detail: '',
    },
  };
  const boxes: Box[] = graph.nodes.flatMap(({ id, node, status, group }) => {
    const position = places.get(id);
    if (!position) return [];
    const detail =
      group?.healths.map(([health, count]) => `${count} ${health}`).join(', ') ??
      node.info?.find(({ name }) => name === 'Status Reason' || name === 'Revision' || name === 'Containers')?.value ??
      ago(node.createdAt, Date.now());
    return [
      {
        id,
        type: 'box',
        position,
        ...boxSize,
        data: {
          kind: node.kind,
          name: group ? `${group.opened ? '▾' : '▸'} ${node.name}` : node.name,
          health: node.health?.status,
          sync: status,
          detail,
        },
      },
    ];
  });
  const edges: Edge[] = graph.edges.map(({ id, from, to }) => ({ id, source: from, target: to, type: 'smoothstep' }));
  // all of a large tree at once is thousands of boxes that nobody can read: it begins at the application
  const large = boxes.length > 200;
  const height = Math.min(820, Math.max(360, ...[...places.values()].map(({ y }) => y + 140)));
  return (
    <div className="panel" style={{ height, overflow: 'hidden' }}>
      <ReactFlow
        key={nodes.length}
        nodes={[root, ...boxes]}
        edges={edges}
        nodeTypes={nodeTypes}
        fitView={!large}
        {...(large ? { defaultViewport: { x: 24, y: height / 2 - root.position.y, zoom: 1 } } : {})}
        onlyRenderVisibleElements={large}
        fitViewOptions={{ maxZoom: 1, padding: 0.08 }}
        minZoom={0.02}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        colorMode={scheme}
        onNodeClick={(_event, box) => {
          const found = graph.nodes.find(({ id }) => id === box.id);
          if (!found) return;
          if (!found.group) return onOpen(found.node);
          const next = new Set(opened);
          if (!next.delete(found.id)) next.add(found.id);
          setOpened(next);
        }}
      >
        <Background gap={24} />
        <Controls showInteractive={false} />
      </ReactFlow>
    </div>
  );
}

function BoxView({ data }: NodeProps<Box>) {
  const { kind, name, health, sync, detail } = data;
  const look = lookOf(health);
  return (
    <button
      type="button"
      className="tree-node"
      style={{ ['--accent' as string]: `var(--mantine-color-${look.colour}-6)` }}
      title={`${kind} ${name}: ${health ?? 'no health'} ${sync ?? ''}`}
    >
      <Handle type="target" position={Position.Left} style={{ opacity: 0 }} />
      <div className="kind">
        {kind}
        {detail && ` · ${detail}`}
      </div>
      <div className="name">{name}</div>
      <div className="kind">
        {health && (
          <Text span size="xs" c={look.colour}>
            {look.symbol} {health}
          </Text>
        )}
        {sync && (
          <Text span size="xs" c={lookOf(sync).colour}>
            {' '}
            {lookOf(sync).symbol} {sync}
          </Text>
        )}
      </div>
      <Handle type="source" position={Position.Right} style={{ opacity: 0 }} />
    </button>
  );
}

const nodeTypes = { box: BoxView };

function ListView({
  nodes,
  statusOf,
  onOpen,
}: {
  nodes: readonly TreeNode[];
  statusOf: (node: TreeNode) => string | undefined;
  onOpen: (node: TreeNode) => void;
}) {
  return (
    <ScrollPanel label="Objects">
      <Table highlightOnHover horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            {['Kind', 'Namespace', 'Name', 'Sync', 'Health', 'Reason'].map((title) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {nodes.map((node) => (
            <Table.Tr
              key={node.uid ?? node.kind + node.name}
              onClick={() => onOpen(node)}
              style={{ cursor: 'pointer' }}
            >
              <Table.Td>{node.kind}</Table.Td>
              <Table.Td className="soft">{node.namespace}</Table.Td>
              <Table.Td miw={180}>
                <Anchor
                  component="button"
                  size="sm"
                  c="inherit"
                  fw={600}
                  ta="left"
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {node.name}
                </Anchor>
              </Table.Td>
              <Table.Td>{statusOf(node) && <StatusBadge status={statusOf(node)} size="sm" />}</Table.Td>
              <Table.Td>{node.health?.status && <StatusBadge status={node.health.status} size="sm" />}</Table.Td>
              <Table.Td className="soft">{node.health?.message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollPanel>
  );
}
