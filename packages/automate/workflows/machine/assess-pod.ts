import { podEnd } from '../execute/pod-node.ts';
import { isCompletedPhase, isFailedOrError, isFulfilled } from '../model/phases.ts';
import { parseProgress } from '../model/progress.ts';
import { mainContainers } from '../model/template-type.ts';
import { timeOf } from '../model/time.ts';
import type { ContainerStatus, NodeStatus, Pod, Template } from '../model/types.ts';
import { judgeFailedPod, neverStarted, pendingReason } from '../operation/failed-pod.ts';
import { markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { podDuration } from '../operation/resources-duration.ts';

/** Brings a node up to what its pod shows. The executor's report must be there before a node succeeds. */
export function assessPod(op: Operation, node: NodeStatus, pod: Pod, template: Template | undefined): void {
  if (isCompletedPhase(node.phase)) return;
  const before = { ...node };
  if (!readPhase(op, node, pod, template)) return;
  readContainers(op, node, pod);
  if (node.daemoned && !isCompletedPhase(node.phase) && pod.status?.podIP) node.podIP = pod.status.podIP;
  if (pod.spec.nodeName) node.hostNodeName = pod.spec.nodeName;
  if (!parseProgress(node.progress)) node.progress = '0/1';
  const exit = pod.status?.containerStatuses?.find(({ name }) => name === 'main')?.state?.terminated?.exitCode;
  if (exit !== undefined) node.outputs = { ...node.outputs, exitCode: String(exit) };
  readExecutor(op, { node, pod, template, before });
  if (before.phase === 'Pending' && node.phase === 'Running' && before.message === node.message) delete node.message;
  if (isFulfilled(node) && !node.daemoned && !node.finishedAt) {
    node.finishedAt = podEnd(op, pod);
    node.resourcesDuration = podDuration(pod);
  }
}

/** False if nothing more is to be read from the pod now. */
function readPhase(op: Operation, node: NodeStatus, pod: Pod, template: Template | undefined): boolean {
  switch (pod.status?.phase) {
    case 'Pending':
    case undefined: {
      node.phase = 'Pending';
      const reason = pendingReason(pod);
      if (reason) node.message = reason;
      else if (pod.status) delete node.message;
      delete node.daemoned;
      return true;
    }
    case 'Running':
      return readRunning(op, node, pod, template);
    case 'Succeeded':
      node.phase = template?.daemon ? 'Failed' : 'Succeeded';
      delete node.message;
      delete node.daemoned;
      delete node.restartingPodUID;
      return true;
    case 'Failed':
      return readFailed(op, node, pod, template);
    default:
      // the kubelet is out of reach: the node's own state is the last that is known
      node.message = `The state of pod ${pod.metadata.name} is unknown: its node does not answer`;
      return false;
  }
}

function readRunning(op: Operation, node: NodeStatus, pod: Pod, template: Template | undefined): boolean {
  const statuses = pod.status?.containerStatuses ?? [];
  delete node.restartingPodUID;
  if (template?.daemon) {
    if (statuses.some(({ ready }) => !ready)) return false;
    node.phase = 'Running';
    node.daemoned = true;
  } else node.phase = 'Running';
  if (isOver(op, statuses, mainContainers(template ?? {})))
    op.actions.push({ kind: 'terminate-pod', pod: pod.metadata.name ?? '', isForced: false });
  return true;
}

/** How long containers of a set may go on after one of them has failed, in milliseconds: short ones end by themselves then. */
const afterFailure = 2_000;

/** True once the rest of a pod is to be ended: sidecars go on for ever otherwise. */
function isOver(op: Operation, statuses: readonly ContainerStatus[], names: readonly string[]): boolean {
  const ends = statuses.filter(({ name }) => names.includes(name)).map(({ state }) => state?.terminated);
  if (ends.length > 0 && ends.every((end) => end !== undefined)) return true;
  const failed = ends.filter((end) => end !== undefined && end.exitCode !== 0);
  if (failed.length === 0) return false;
  const left = Math.min(...failed.map((end) => timeOf(end?.finishedAt) ?? 0)) + afterFailure - op.now;
  if (left > 0) op.requeueAfter(left);
  return left <= 0;
}

function readFailed(op: Operation, node: NodeStatus, pod: Pod, template: Template | undefined): boolean {
  const uid = pod.metadata.uid ?? '';
  if (uid && uid === node.restartingPodUID && node.phase === 'Pending') return false;
  const { failedPodRestart } = op.facts.settings;
  const restarts = node.failedPodRestarts ?? 0;
  if (failedPodRestart?.enabled && restarts < (failedPodRestart.maxRestarts ?? 3) && neverStarted(pod, template)) {
    node.failedPodRestarts = restarts + 1;
    node.restartingPodUID = uid;
    node.phase = 'Pending';
    node.message = `Pod auto-restarting due to ${pod.status?.reason}: ${pod.status?.message ?? ''}`;
    op.actions.push({ kind: 'delete-pod', pod: pod.metadata.name ?? '', ...(uid ? { uid } : {}) });
    return false;
  }
  const { phase, message } = judgeFailedPod(pod, template);
  node.phase = phase;
  if (message) node.message = message;
  else delete node.message;
  delete node.daemoned;
  return true;
}

/** Containers of a set are nodes too. */
function readContainers(op: Operation, node: NodeStatus, pod: Pod): void {
  for (const { name, state } of pod.status?.containerStatuses ?? []) {
    const own = op.node(`${node.name}.${name}`);
    if (own?.type !== 'Container') continue;
    const end = state?.terminated;
    if (end) {
      const message = `${name}: ${end.reason ?? ''} (exit code ${end.exitCode}): ${end.message ?? ''}`;
      if (end.exitCode === 0) markPhase(op, own, 'Succeeded');
      else markPhase(op, own, end.exitCode === 64 ? 'Error' : 'Failed', message);
    } else if (pod.status?.phase === 'Failed') markPhase(op, own, 'Failed', 'Pod Failed whilst container running');
    else if (state?.waiting) markPhase(op, own, 'Pending');
    else if (state?.running) markPhase(op, own, 'Running');
  }
}

interface Reading {
  readonly node: NodeStatus;
  readonly pod: Pod;
  readonly template: Template | undefined;
  readonly before: NodeStatus;
}

/** Holds a node that has ended back until its executor has reported, or cannot any more. */
function readExecutor(op: Operation, { node, pod, template, before }: Reading): void {
  if (!isCompletedPhase(node.phase)) return;
  const wait = pod.status?.containerStatuses?.find(({ name }) => name === 'wait');
  const exit = wait?.state?.terminated?.exitCode;
  const hasWait = pod.spec.containers.some(({ name }) => name === 'wait');
  const evicted = pod.status?.phase === 'Failed' && pod.status.reason === 'Evicted' && !wait;
  if (wait?.state?.running && pod.status?.phase !== 'Failed') node.phase = before.phase ?? 'Running';
  else if ((exit !== undefined && exit !== 0) || evicted || isFailedOrError(node.phase)) {
    // a failed executor reports no more
    if (exit !== 0 && node.taskResultSynced !== undefined) node.taskResultSynced = true;
  } else if (hasWait && !isReported(op, node) && node.phase === 'Succeeded')
    awaitReport(op, { node, pod, template, before });
}

function isReported(op: Operation, node: NodeStatus): boolean {
  return op.resultOf(node.id)?.metadata.labels?.['workflows.argoproj.io/report-outputs-completed'] === 'true';
}

function awaitReport(op: Operation, { node, pod, before }: Reading): void {
  const timeout = op.facts.settings.taskResultTimeout ?? 120_000;
  const since = timeOf(podEnd(op, pod)) ?? op.now;
  const left = since + timeout - op.now;
  if (left > 0) {
    node.phase = before.phase ?? 'Running';
    op.requeueAfter(left + 1);
    return;
  }
  if (node.taskResultSynced !== undefined) node.taskResultSynced = true;
  node.phase = 'Error';
  node.message = `The executor of pod ${pod.metadata.name} ended ${Math.round(timeout / 1000)} s ago without a WorkflowTaskResult: the pod's ServiceAccount must be allowed to create and patch workflowtaskresults`;
}
