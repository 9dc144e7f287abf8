import { useEffect, useMemo, useState } from 'react';
import type { Application, TreeNode } from '../../api/model.ts';
import { buildGraph, type GraphNode } from '../../graph/layout.ts';
import { t } from '../../i18n/texts.ts';
import { KindIcon } from '../common/kind-icon.tsx';
import { GraphCanvas } from '../graph/graph-canvas.tsx';
import { accentStyle, boxSize, Marks, ObjectBox } from './object-box.tsx';

/** The objects of an application as a tree; what is alike is one box until it is opened. */
export function GraphView({
  application,
  nodes,
  statusOf,
  onOpen,
  selected,
  foldAll,
}: {
  application: Application;
  nodes: readonly TreeNode[];
  statusOf: (node: TreeNode) => string | undefined;
  onOpen: (node: TreeNode) => void;
  selected: string | undefined;
  /** Only what the application manages itself is drawn, but for what somebody unfolds. */
  foldAll: boolean;
}) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  // what is not as all are
  const [turned, setTurned] = useState<ReadonlySet<string>>(new Set());
  // biome-ignore lint/correctness/useExhaustiveDependencies: who folds all, or unfolds all, means all
  useEffect(() => setTurned(new Set()), [foldAll]);
  const graph = useMemo(
    () => buildGraph(nodes, statusOf, opened, undefined, (id) => foldAll !== turned.has(id)),
    [nodes, statusOf, opened, foldAll, turned],
  );
  const toggle = (id: string) => setOpened((before) => withOther(before, id));
  const turn = (id: string) => setTurned((before) => withOther(before, id));
  return (
    <GraphCanvas
      label={t('Objects of {name} and what belongs to them', { name: application.metadata.name })}
      drawing={graph}
      size={boxSize}
      layout="tree"
      selected={selected}
      draw={(id) => {
        const box = graph.nodes.get(id);
        if (!box) return <ApplicationBox application={application} />;
        return box.group ? (
          <GroupBox box={box} toggle={() => toggle(id)} />
        ) : (
          <ObjectBox node={box.node} status={box.status} open={onOpen} below={box.below} turn={() => turn(id)} />
        );
      }}
    />
  );
}

/** With it where it was not there, and without it where it was. */
function withOther(set: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(id)) next.add(id);
  return next;
}

function ApplicationBox({ application }: { application: Application }) {
  const { health, sync } = application.status ?? {};
  return (
    <div className="tree-node" style={accentStyle(health?.status)}>
      <div className="kind with-icon">
        <KindIcon group="argoproj.io" kind="Application" size={14} />
        Application
      </div>
      <div className="name">{application.metadata.name}</div>
      <Marks health={health?.status} sync={sync?.status} />
    </div>
  );
}

/** The box that stands for many of one kind. */
export function GroupBox({ box: { node, status, group }, toggle }: { box: GraphNode; toggle: () => void }) {
  const words = (group?.healths ?? []).map(([health, count]) => `${count} ${t(health)}`).join(', ');
  const name = t('{count} of this kind', { count: group?.count ?? 0 });
  return (
    <button
      type="button"
      className="tree-node folded"
      aria-expanded={group?.opened}
      onClick={toggle}
      style={accentStyle(node.health?.status)}
      title={`${node.kind}: ${words}`}
    >
      <div className="kind with-icon">
        <KindIcon group={node.group} kind={node.kind} size={14} />
        {node.kind}
      </div>
      <div className="name">
        {group?.opened ? '▾' : '▸'} {name}
      </div>
      <div className="kind">
        {words}
        {status && status !== 'Synced' && ` · ${t(status)}`}
      </div>
    </button>
  );
}
