import { workflowNames } from '@tiphys/api';
import { nodeId } from '../model/node-names.ts';
import { isCompletedPhase, isFailedOrError, isFulfilled } from '../model/phases.ts';
import { secondsBetween } from '../model/time.ts';
import type { NodePhase, NodeStatus, NodeType, Template, TemplateCall } from '../model/types.ts';
import type { Operation } from './operation.ts';

export interface NewNode {
  readonly name: string;
  readonly type: NodeType;
  /** Where the caller was written; see `templateScope` of nodes. */
  readonly scope: string;
  readonly call: TemplateCall;
  readonly boundaryId: string;
  readonly phase: NodePhase;
  readonly flag?: NodeStatus['nodeFlag'] | undefined;
  readonly message?: string | undefined;
  /** True for nodes whose outputs the executor reports. */
  readonly awaitsResult?: boolean;
}

/** Adds a node. Its name must be new. */
export function initNode(op: Operation, { name, type, scope, call, boundaryId, phase, ...more }: NewNode): NodeStatus {
  if (op.node(name)) throw new Error(`Node ${name} exists already`);
  const boundary = op.nodeById(boundaryId);
  const node: NodeStatus = {
    id: op.idOf(name),
    name,
    displayName: boundary ? displayName(name, boundary.name) : name,
    type,
    templateName: call.template,
    templateRef: call.templateRef,
    templateScope: scope,
    phase,
    boundaryID: boundaryId || undefined,
    nodeFlag: more.flag,
    message: more.message || undefined,
    startedAt: op.timestamp,
    finishedAt: null,
    estimatedDuration: estimate(op, name) || undefined,
  } as NodeStatus;
  if (more.awaitsResult && type === 'Pod') node.taskResultSynced = true;
  op.add(node);
  if (isFulfilled(node)) node.finishedAt = node.startedAt;
  return node;
}

/** The part of a node's name that is its own: without its boundary's and the number of its group of steps. */
function displayName(name: string, boundary: string): string {
  const own = name.startsWith(boundary) ? name.slice(boundary.length) : name;
  return own.replace(/^(\[\d{1,9}\])?\./, '');
}

/** Adds a node that runs a template, with the template's inputs. */
export function initTemplateNode(op: Operation, template: Template, fresh: NewNode): NodeStatus {
  const node = initNode(op, fresh);
  const { inputs, memoize, outputs } = template;
  if (inputs?.parameters?.length || inputs?.artifacts?.length) node.inputs = structuredClone(inputs);
  if (memoize) node.memoizationStatus = { hit: false, key: memoize.key, cacheName: memoize.cache.configMap.name };
  if (fresh.type === 'Suspend') {
    const supplied = (outputs?.parameters ?? []).filter(({ valueFrom }) => valueFrom?.supplied);
    if (supplied.length > 0) {
      node.outputs = {
        parameters: supplied.map((parameter) => {
          const copy = structuredClone(parameter);
          const input = inputs?.parameters?.find(({ name }) => name === copy.name);
          if (copy.valueFrom && copy.valueFrom.default === undefined && input?.default !== undefined)
            copy.valueFrom.default = input.default;
          return copy;
        }),
      };
    }
  }
  return node;
}

/** Sets phase and, if given, message of a node; an ended node gets its end. */
export function markPhase(op: Operation, node: NodeStatus, phase: NodePhase, message?: string): NodeStatus {
  // what never ran has nothing to report; what has ended may still have
  const isUnbegun = node.phase !== 'Running' && !isCompletedPhase(node.phase);
  if (isUnbegun && isFailedOrError(phase) && node.taskResultSynced !== undefined) node.taskResultSynced = true;
  node.phase = phase;
  // one that a resubmission has brought begins now
  if (phase !== 'Pending') node.startedAt ??= op.timestamp;
  if (message !== undefined) {
    if (message) node.message = message;
    else delete node.message;
  }
  if (isFulfilled(node) && !node.finishedAt) node.finishedAt = op.timestamp;
  return node;
}

export function markError(op: Operation, node: NodeStatus, message: string): NodeStatus {
  return markPhase(op, node, 'Error', message);
}

/** Draws an arrow from one node to another, once. */
export function addChild(parent: NodeStatus, childId: string): void {
  parent.children ??= [];
  const { children } = parent;
  if (children.length < few ? children.includes(childId) : setOf(children).has(childId)) return;
  children.push(childId);
  known.get(children)?.add(childId);
}

/** Up to so many children are looked through one by one. */
const few = 16;
/** Children of loops, which may be thousands, as they were when they were last looked through. */
const known = new WeakMap<string[], Set<string>>();

function setOf(children: string[]): ReadonlySet<string> {
  const set = known.get(children);
  if (set?.size === children.length) return set;
  const anew = new Set(children);
  known.set(children, anew);
  return anew;
}

/** Children of a retry node that are its attempts, in order; hooks are left out. */
export function attemptsOf(op: Operation, node: NodeStatus): NodeStatus[] {
  return (node.children ?? [])
    .map((id) => op.nodeById(id))
    .filter((child): child is NodeStatus => child?.nodeFlag?.retried === true);
}

/** The last child of a retry node that is no hook, whose outputs count as the node's. */
export function lastAttemptOf(op: Operation, node: NodeStatus): NodeStatus | undefined {
  if (node.type !== 'Retry' || node.memoizationStatus?.hit) return undefined;
  return (node.children ?? [])
    .map((id) => op.nodeById(id))
    .findLast((child) => child !== undefined && !child.nodeFlag?.hooked);
}

/** True if every leaf below a node has ended. */
export function descendantsFulfilled(op: Operation, node: NodeStatus): boolean {
  const stack = [node];
  const seen = new Set<string>();
  for (let next = stack.pop(); next; next = stack.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    const children = (next.children ?? []).map((id) => op.nodeById(id)).filter((child) => child !== undefined);
    if (children.length === 0 && !isFulfilled(next)) return false;
    stack.push(...children);
  }
  return true;
}

/** All nodes below a node. */
export function descendantsOf(op: Operation, node: NodeStatus): NodeStatus[] {
  const found = new Map<string, NodeStatus>();
  const stack = [...(node.children ?? [])];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const child = op.nodeById(id);
    if (!child || found.has(id)) continue;
    found.set(id, child);
    stack.push(...(child.children ?? []));
  }
  return [...found.values()];
}

/** True for nodes of an exit handler, which a stop lets run. */
export function isPartOfExitHandler(op: Operation, node: NodeStatus): boolean {
  let at: NodeStatus | undefined = node;
  for (; at; at = op.nodeById(at.boundaryID)) if (at.name.endsWith('.onExit')) return true;
  return false;
}

/** Seconds that a node took in the finished workflow that estimates rest on; 0 if unknown. */
function estimate(op: Operation, name: string): number {
  const { baseline } = op.facts;
  const earlier = baseline?.metadata.name;
  if (!baseline || !earlier) return 0;
  const node = baseline.status?.nodes?.[nodeId(earlier, name.replace(op.name, earlier))];
  return node ? Math.floor(secondsBetween(node.startedAt, node.finishedAt)) : 0;
}

/** The name that a template wants to be shown by. */
export function wantedDisplayName(template: Template): string | undefined {
  return template.annotations?.[workflowNames.annotations.displayName];
}
