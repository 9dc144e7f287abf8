import { goDuration } from '@tiphys/go';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Outputs } from '../model/types.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { initTemplateNode } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import type { Work } from './call.ts';
import { failNode, waitingNode } from './execute-template.ts';

interface MemoEntry {
  nodeID: string;
  outputs: Outputs | null;
  creationTimestamp: string;
  lastHitTimestamp: string;
}

const configMapType = 'workflows.argoproj.io/configmap-type';

/** Looks up what the template gave before for the same key; the node is made, and has ended if there was something. */
export function recallMemo(op: Operation, work: Work, existing: NodeStatus | undefined): Outcome {
  const { memoize } = work.template;
  if (!memoize) return { node: existing };
  const { key, maxAge } = memoize;
  const cacheName = memoize.cache.configMap.name;
  let entry: MemoEntry | undefined;
  try {
    entry = readEntry(op, cacheName, key);
    if (entry && maxAge && isTooOld(op, entry, maxAge)) entry = undefined;
  } catch (error) {
    if ((error as Error).name === 'MissingFact') throw error;
    const { message } = error as Error;
    return { node: failNode(op, work, message), halt: halted(message) };
  }
  const node = existing ?? initTemplateNode(op, work.template, waitingNode(op, work));
  node.memoizationStatus = { hit: entry !== undefined, key, cacheName };
  if (entry) {
    node.phase = 'Succeeded';
    if (entry.outputs) node.outputs = entry.outputs;
    node.finishedAt = op.timestamp;
    const hit = { ...entry, lastHitTimestamp: op.timestamp };
    op.actions.push({ kind: 'save-memo', configMap: cacheName, key, entry: JSON.stringify(hit) });
  }
  return { node };
}

function readEntry(op: Operation, cacheName: string, key: string): MemoEntry | undefined {
  if (!/^[a-zA-Z0-9][-a-zA-Z0-9]*$/.test(key)) throw new Error(`invalid cache key: ${key}`);
  const map = op.facts.configMap(op.namespace, cacheName);
  const type = map?.metadata.labels?.[configMapType];
  if (map && type !== 'Cache') {
    throw new Error(
      type === undefined
        ? `memoization configmap doesn't have ${configMapType} label, refusing to use it`
        : `memoization configmap doesn't have label ${configMapType} = Cache, refusing to use it`,
    );
  }
  // what this very decision keeps is not stored yet
  const own = op.actions.findLast(
    (each) => each.kind === 'save-memo' && each.configMap === cacheName && each.key === key,
  );
  const text = own?.kind === 'save-memo' ? own.entry : map?.data?.[key];
  if (!text) return undefined;
  try {
    const entry = JSON.parse(text) as MemoEntry;
    return entry.nodeID ? entry : undefined;
  } catch (error) {
    throw new Error(`malformed cache entry: could not unmarshal JSON; unable to parse: ${(error as Error).message}`);
  }
}

function isTooOld(op: Operation, { creationTimestamp }: MemoEntry, maxAge: string): boolean {
  const age = goDuration(maxAge);
  if (age === undefined) throw new Error(`invalid maxAge: time: invalid duration "${maxAge}"`);
  return op.now - (timeOf(creationTimestamp) ?? 0) > age;
}

/** Keeps what a node gave for anyone who asks with the same key. */
export function saveMemo(op: Operation, node: NodeStatus): void {
  const { memoizationStatus } = node;
  if (!memoizationStatus || memoizationStatus.hit) return;
  const entry: MemoEntry = {
    nodeID: node.id,
    outputs: node.outputs ?? null,
    creationTimestamp: op.timestamp,
    lastHitTimestamp: op.timestamp,
  };
  const { key, cacheName } = memoizationStatus;
  op.actions.push({ kind: 'save-memo', configMap: cacheName, key, entry: JSON.stringify(entry) });
}
