import type { TreeNode } from '../../api/model.ts';
import { lookOf } from '../../applications/status.ts';
import { ago } from '../../browser/time.ts';
import type { GraphNode } from '../../graph/layout.ts';
import { t } from '../../i18n/texts.ts';
import { labelsOf } from '../../objects/objects.ts';
import { KindIcon } from '../common/kind-icon.tsx';
import { NodeMenu, NodePageLink } from './node-menu.tsx';

export const boxSize = { width: 232, height: 66 };

/** One object in a graph: its state, a press opens it. */
export function ObjectBox({
  node,
  status,
  open,
  detail: given,
  below,
  turn,
}: {
  node: TreeNode;
  status: string | undefined;
  open: (node: TreeNode) => void;
  /** What is told beside the kind, in the place of what the object itself has to tell. */
  detail?: string | undefined;
  /** What it owns, and how that is left out or drawn. */
  below?: GraphNode['below'];
  turn?: () => void;
}) {
  const restarts = node.info?.find(({ name }) => name === 'Restart Count')?.value;
  const reason =
    node.info?.find(({ name }) => name === 'Status Reason' || name === 'Revision' || name === 'Containers')?.value ??
    ago(node.createdAt, Date.now());
  const detail = given ?? (restarts ? `${reason} · ↻ ${restarts}` : reason);
  const labels = labelsOf(node);
  return (
    <div className="node-box">
      <button
        type="button"
        className="tree-node"
        onClick={() => open(node)}
        style={accentStyle(below?.folded ? below.worst : node.health?.status)}
        title={[
          `${node.kind} ${node.name}: ${node.health?.status ? t(node.health.status) : t('no health')} ${t(status ?? '')}`,
          ...labels,
        ].join('\n')}
      >
        <div className="kind with-icon">
          <KindIcon group={node.group} kind={node.kind} size={14} />
          {node.kind}
          {detail && ` · ${detail}`}
        </div>
        <div className="name">{node.name}</div>
        <Marks health={node.health?.status} sync={status} labels={labels} />
      </button>
      {below && turn && (
        <button
          type="button"
          className="node-fold"
          aria-expanded={!below.folded}
          aria-label={t('What {name} owns', { name: `${node.kind} ${node.name}` })}
          title={below.folded ? t('Unfold what it owns') : t('Fold what it owns')}
          onClick={turn}
        >
          {below.folded ? `+${below.count}` : '−'}
        </button>
      )}
      <NodePageLink node={node} />
      <NodeMenu node={node} />
    </div>
  );
}

export const accentStyle = (health: string | undefined) => ({
  ['--accent' as string]: `var(--mantine-color-${lookOf(health).colour}-6)`,
});

export function Marks({
  health,
  sync,
  labels = [],
}: {
  health: string | undefined;
  sync: string | undefined;
  labels?: readonly string[];
}) {
  return (
    <div className="kind">
      {[health, sync].filter(Boolean).map((status) => (
        <span key={status} className="mark" data-colour={lookOf(status).colour}>
          {lookOf(status).symbol} {t(status ?? '')}
        </span>
      ))}
      {labels.join(' ')}
    </div>
  );
}
