import { workflowNames } from '@tiphys/api';
import { fnv32a } from '@tiphys/go';
import { hasLocation, repositoryLocation } from '../model/artifacts.ts';
import { isCompletedWorkflow } from '../model/phases.ts';
import type { Artifact, NodeStatus, Pod, Workflow } from '../model/types.ts';
import { setCondition } from '../operation/conditions.ts';
import { setExecutableSpec } from '../operation/executable-spec.ts';
import type { Action, Facts, GCTask } from '../operation/facts.ts';
import { Operation } from '../operation/operation.ts';
import { setRepository } from '../operation/repository.ts';
import { artifactGCPod, type PodAccess } from '../pods/artifact-gc-pod.ts';
import { templateOfNode } from './reconcile-pods.ts';

const { finalizers, labels, annotations } = workflowNames;
const component = 'artifact-gc';

type Collected = 'OnWorkflowCompletion' | 'OnWorkflowDeletion';
const shortNames: Record<Collected, string> = { OnWorkflowCompletion: 'wfcomp', OnWorkflowDeletion: 'wfdel' };

/** Holds a workflow whose artifacts are to be deleted until they are: from its first pass on, as it may be deleted at any time. */
export function holdForArtifacts(op: Operation): void {
  const { metadata } = op.workflow;
  if (op.facts.settings.keepsArtifacts) return;
  if (metadata.finalizers?.includes(finalizers.artifactGC)) return;
  const templates = [...(op.spec.templates ?? []), ...Object.values(op.status.storedTemplates ?? {})];
  const wanted = templates.some((template) => template.outputs?.artifacts?.some((each) => strategyOf(op, each)));
  // clients read the field without asking whether it is there
  const { notSpecified, ...known } = op.status.artifactGCStatus ?? {};
  op.status.artifactGCStatus = wanted ? known : { ...known, notSpecified: true };
  if (wanted) metadata.finalizers = [...(metadata.finalizers ?? []), finalizers.artifactGC];
}

/** True if a workflow is over, or goes, and artifacts of it are still to be deleted. */
export function isCollecting({ metadata, status }: Workflow): boolean {
  return Boolean(metadata.finalizers?.includes(finalizers.artifactGC) && isCompletedWorkflow(status?.phase));
}

export interface Collection {
  /** The workflow as it is to be written. */
  readonly workflow: Workflow;
  readonly actions: readonly Action[];
}

/** What is to be done about the artifacts of a workflow that has ended: pods that delete them, and what those report. */
export function collectArtifacts(workflow: Workflow, facts: Facts): Collection {
  const copy = structuredClone(workflow);
  const op = new Operation(copy, facts, new Set());
  setExecutableSpec(op);
  setRepository(op);
  for (const strategy of dueStrategies(copy)) begin(op, strategy);
  for (const pod of facts.pods) if (pod.metadata.labels?.[labels.component] === component) takeOver(op, pod);
  if (isDone(op))
    copy.metadata.finalizers = (copy.metadata.finalizers ?? []).filter((name) => name !== finalizers.artifactGC);
  return { workflow: copy, actions: op.actions };
}

function dueStrategies({ metadata, status }: Workflow): Collected[] {
  const due: Collected[] = metadata.deletionTimestamp
    ? ['OnWorkflowCompletion', 'OnWorkflowDeletion']
    : ['OnWorkflowCompletion'];
  return due.filter((strategy) => !status?.artifactGCStatus?.strategiesProcessed?.[strategy]);
}

/** The strategy for an artifact, its own or the workflow's; undefined for one that is kept. */
function strategyOf(op: Operation, { artifactGC }: Artifact): Collected | undefined {
  const strategy = artifactGC?.strategy || op.spec.artifactGC?.strategy;
  return strategy === 'OnWorkflowCompletion' || strategy === 'OnWorkflowDeletion' ? strategy : undefined;
}

function artifactsOf(op: Operation): { node: NodeStatus; artifact: Artifact }[] {
  return op
    .nodes()
    .filter(({ type }) => type === 'Pod')
    .flatMap((node) => (node.outputs?.artifacts ?? []).map((artifact) => ({ node, artifact })));
}

/** Artifacts that need the same rights and metadata are deleted by one pod. */
function begin(op: Operation, strategy: Collected): void {
  const groups = new Map<string, { access: PodAccess; entries: { node: NodeStatus; artifact: Artifact }[] }>();
  for (const entry of artifactsOf(op)) {
    if (entry.artifact.deleted || strategyOf(op, entry.artifact) !== strategy) continue;
    const access = accessOf(op, entry.artifact);
    const name = `${op.name}-artgc-${shortNames[strategy]}-${accessHash(access)}`;
    const group = groups.get(name) ?? { access, entries: [] };
    groups.set(name, group);
    group.entries.push(entry);
  }
  for (const [name, { access, entries }] of groups) {
    const task = taskOf(op, name, entries);
    const locations = Object.values(task.spec.artifactsByNode).flatMap((each) => [
      ...(each.archiveLocation ? [each.archiveLocation] : []),
      ...Object.values(each.artifacts),
    ]);
    const pod = artifactGCPod({
      name,
      hash: hashOf(name),
      workflow: { name: op.name, namespace: op.namespace },
      strategy,
      access,
      podSpecPatch: op.spec.artifactGC?.podSpecPatch,
      locations,
      settings: op.facts.settings,
      now: op.timestamp,
    });
    op.actions.push({ kind: 'collect-artifacts', task, pod });
  }
  op.status.artifactGCStatus ??= {};
  op.status.artifactGCStatus.strategiesProcessed = {
    ...op.status.artifactGCStatus.strategiesProcessed,
    [strategy]: true,
  };
}

function accessOf({ spec }: Operation, { artifactGC }: Artifact): PodAccess {
  return {
    serviceAccount: artifactGC?.serviceAccountName || spec.artifactGC?.serviceAccountName || '',
    labels: { ...spec.artifactGC?.podMetadata?.labels, ...artifactGC?.podMetadata?.labels },
    annotations: { ...spec.artifactGC?.podMetadata?.annotations, ...artifactGC?.podMetadata?.annotations },
  };
}

function accessHash({ serviceAccount, labels: own, annotations: notes }: PodAccess): number {
  const sorted = (fields: Readonly<Record<string, string>>) =>
    Object.keys(fields)
      .sort()
      .map((name) => name + fields[name]);
  return fnv32a([serviceAccount, ...sorted(own), ...sorted(notes)].join(''));
}

function hashOf(podName: string): string {
  return String(fnv32a(podName));
}

function taskOf(op: Operation, podName: string, entries: { node: NodeStatus; artifact: Artifact }[]): GCTask {
  const artifactsByNode: GCTask['spec']['artifactsByNode'] = {};
  for (const { node, artifact } of entries) {
    const own = templateOfNode(op, node)?.archiveLocation;
    const archiveLocation = hasLocation(own) ? own : repositoryLocation(op.repository);
    artifactsByNode[node.id] ??= { ...(archiveLocation ? { archiveLocation } : {}), artifacts: {} };
    (artifactsByNode[node.id] as { artifacts: Record<string, Artifact> }).artifacts[artifact.name] = artifact;
  }
  return {
    metadata: { name: `${podName}-0`, namespace: op.namespace, labels: { [labels.artifactGCPod]: hashOf(podName) } },
    spec: { artifactsByNode },
  };
}

/** Notes what a pod that has ended says of each artifact. */
function takeOver(op: Operation, pod: Pod): void {
  const { name = '' } = pod.metadata;
  const phase = pod.status?.phase;
  op.status.artifactGCStatus ??= {};
  const { artifactGCStatus } = op.status;
  if (artifactGCStatus.podsRecouped?.[name] || (phase !== 'Succeeded' && phase !== 'Failed')) return;
  const strategy = pod.metadata.annotations?.[annotations.artifactGCStrategy] ?? '';
  if (phase === 'Failed')
    fail(
      op,
      `Artifact Garbage Collection failed for strategy ${strategy}, pod ${name} exited with non-zero exit code: check pod logs for more information`,
    );
  for (const task of op.facts.gcTasks(op.namespace, hashOf(name))) {
    const isClean = readTask(op, task, strategy);
    // one that failed stays there to be looked at
    if (isClean && phase === 'Succeeded') op.actions.push({ kind: 'delete-gc-task', name: task.metadata.name ?? '' });
  }
  artifactGCStatus.podsRecouped = { ...artifactGCStatus.podsRecouped, [name]: true };
}

function readTask(op: Operation, task: GCTask, strategy: string): boolean {
  let isClean = true;
  for (const [id, { artifactResults = {} }] of Object.entries(task.status?.artifactResultsByNode ?? {})) {
    for (const artifact of op.nodeById(id)?.outputs?.artifacts ?? []) {
      const result = artifactResults[artifact.name];
      if (!result) continue;
      if (result.success) artifact.deleted = true;
      if (result.error === undefined) continue;
      if (isClean)
        op.actions.push({
          kind: 'event',
          type: 'Warning',
          reason: 'ArtifactGCFailed',
          message: `Artifact Garbage Collection failed for strategy ${strategy}, err:${result.error}`,
        });
      isClean = false;
      setCondition(op, {
        type: 'ArtifactGCError',
        status: 'True',
        message: `${result.error} (artifactGCTask: ${task.metadata.name})`,
      });
    }
  }
  return isClean;
}

function fail(op: Operation, message: string): void {
  setCondition(op, { type: 'ArtifactGCError', status: 'True', message });
  op.actions.push({ kind: 'event', type: 'Warning', reason: 'ArtifactGCFailed', message });
}

/** True once nothing holds the workflow any more. */
function isDone(op: Operation): boolean {
  if (op.spec.artifactGC?.forceFinalizerRemoval) {
    const pods = Object.values(op.status.artifactGCStatus?.podsRecouped ?? {});
    return pods.length > 0 && pods.every(Boolean);
  }
  return artifactsOf(op).every(({ artifact }) => artifact.deleted || !strategyOf(op, artifact));
}
