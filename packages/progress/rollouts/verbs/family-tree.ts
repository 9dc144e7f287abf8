import type { AnalysisRun } from '@tiphys/analysis';
import { type Experiment, type Rollout, rolloutNames } from '@tiphys/api';
import { ageOf, humanDuration, type KubeObject } from '@tiphys/kubernetes';
import type { Pod } from '../objects/kinds.ts';
import { annotationOf, byAge, hashOf, type ReplicaSet, revisionOf } from '../objects/replica-set.ts';
import { counts, kindIcons, podIcon, statusIcon } from './icons.ts';
import { podState } from './pod-state.ts';

/** What a namespace has of the kinds that a tree shows; others' objects may be among them. */
export interface Relatives {
  readonly replicaSets: readonly ReplicaSet[];
  readonly pods: readonly Pod[];
  readonly experiments: readonly Experiment[];
  readonly analysisRuns: readonly AnalysisRun[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A line of a tree: name, kind, status, age and the rest. */
export type TreeRow = readonly [name: string, kind: string, status: string, age: string, info: string];

interface Branch {
  readonly row: TreeRow;
  readonly children: readonly Branch[];
}

export const treeHeader: TreeRow = ['NAME', 'KIND', 'STATUS', 'AGE', 'INFO'];

/** A Rollout with its revisions, newest first, and what belongs to each. */
export function rolloutTree(rollout: Rollout, status: string, relatives: Relatives): TreeRow[] {
  const branches = [
    ...ofOwner(relatives.replicaSets, rollout).sort(byRevision),
    ...ofOwner(relatives.experiments, rollout).sort(byAge),
    ...ofOwner(relatives.analysisRuns, rollout).sort(byAge),
  ].map((object) => [revisionOf(object), branchOf(object, relatives, rollout)] as const);
  const revisions = [...new Set(branches.map(([revision]) => revision))].sort((a, b) => b - a);
  const children = revisions.map((revision) => ({
    row: [`${kindIcons.Revision} revision:${revision}`, '', '', '', ''] as TreeRow,
    children: branches.filter(([of]) => of === revision).map(([, branch]) => branch),
  }));
  return printed({ row: rowOf(rollout, 'Rollout', { status, now: relatives.now }), children });
}

export function experimentTree(experiment: Experiment, relatives: Relatives): TreeRow[] {
  return printed(experimentBranch(experiment, relatives));
}

/** What the object owns. */
export function ofOwner<T extends KubeObject>(objects: readonly T[], { metadata }: KubeObject): T[] {
  return objects.filter((object) => object.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid));
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  return revisionOf(b) - revisionOf(a) || byAge(a, b);
}

function branchOf(object: KubeObject, relatives: Relatives, rollout?: Rollout): Branch {
  if (object.kind === 'Experiment') return experimentBranch(object as Experiment, relatives);
  if (object.kind === 'AnalysisRun') return analysisBranch(object as AnalysisRun, relatives.now);
  return replicaSetBranch(object as ReplicaSet, relatives, rollout);
}

function experimentBranch(experiment: Experiment, relatives: Relatives): Branch {
  const children = [
    ...ofOwner(relatives.replicaSets, experiment).sort(byAge),
    ...ofOwner(relatives.analysisRuns, experiment).sort(byAge),
  ];
  const status = experiment.status?.phase ?? '';
  return {
    row: rowOf(experiment, 'Experiment', { status, now: relatives.now }),
    children: children.map((child) => branchOf(child, relatives)),
  };
}

function replicaSetBranch(set: ReplicaSet, { pods, now }: Relatives, rollout?: Rollout): Branch {
  const deadline = annotationOf(set, rolloutNames.annotations.scaleDownDeadline);
  const left = deadline ? Date.parse(deadline) - now : undefined;
  const delay = left === undefined || Number.isNaN(left) ? [] : [`delay:${left < 0 ? 'passed' : humanDuration(left)}`];
  const info = [...(rollout ? tagsOf(set, rollout) : []), ...delay].join(',');
  return {
    row: rowOf(set, 'ReplicaSet', { status: replicaSetHealth(set), info, now }),
    children: ofOwner(pods, set)
      .sort(byAge)
      .map((pod) => podBranch(pod, now)),
  };
}

function podBranch(pod: Pod, now: number): Branch {
  const { status, ready, total, restarts } = podState(pod);
  const info = [`ready:${ready}/${total}`, ...(restarts > 0 ? [`restarts:${restarts}`] : [])].join(',');
  return { row: rowOf(pod, 'Pod', { status, icon: podIcon(status), info, now }), children: [] };
}

function analysisBranch(run: AnalysisRun, now: number): Branch {
  const { phase = '', metricResults = [] } = run.status ?? {};
  const info = (Object.keys(counts) as (keyof typeof counts)[])
    .map((name) => [counts[name], metricResults.reduce((sum, result) => sum + (result[name] ?? 0), 0)] as const)
    .filter(([, count]) => count > 0)
    .map(([icon, count]) => `${icon} ${count}`);
  const jobs = metricResults
    .flatMap(({ measurements = [] }) => measurements)
    .filter(({ metadata }) => metadata?.['job-name'] !== undefined)
    .map(({ phase: status, startedAt, metadata }) => {
      const name = metadata?.['job-name'] ?? '';
      const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name, creationTimestamp: startedAt ?? '' } };
      return { row: rowOf(job, 'Job', { status, now }), children: [] };
    });
  return { row: rowOf(run, 'AnalysisRun', { status: phase, info: info.join(','), now }), children: jobs };
}

/** The parts that a ReplicaSet has in an update. */
export function tagsOf(set: ReplicaSet, { spec: { strategy }, status = {} }: Rollout): string[] {
  const hash = hashOf(set);
  if (!hash) return [];
  const isStable = status.stableRS === hash;
  const stable = isStable ? ['stable'] : [];
  if (strategy.blueGreen) {
    const { activeSelector, previewSelector } = status.blueGreen ?? {};
    return [...stable, ...(activeSelector === hash ? ['active'] : previewSelector === hash ? ['preview'] : [])];
  }
  const isCanary = !isStable && status.currentPodHash === hash;
  if (!strategy.canary || !(isStable || isCanary)) return [];
  const pingPong =
    strategy.canary.pingPong && (isStable === (status.canary?.stablePingPong === 'ping') ? 'ping' : 'pong');
  return [...stable, ...(isCanary ? ['canary'] : []), ...(pingPong ? [pingPong] : [])];
}

/** One word, as kubectl's plugin has it. */
export function replicaSetHealth({ metadata, spec, status = {} }: ReplicaSet): string {
  const { observedGeneration = 0, availableReplicas = 0, conditions = [] } = status;
  if ((metadata.generation ?? 0) > observedGeneration) return 'Progressing';
  if (conditions.some((condition) => condition.type === 'ReplicaFailure' && condition.status === 'True'))
    return 'ReplicaFailure';
  const replicas = spec.replicas ?? 1;
  if (availableReplicas < replicas) return 'Progressing';
  return replicas === 0 ? 'ScaledDown' : 'Healthy';
}

interface Told {
  readonly status: string;
  readonly icon?: string;
  readonly info?: string;
  readonly now: number;
}

function rowOf({ metadata }: KubeObject, kind: keyof typeof kindIcons, told: Told): TreeRow {
  const { status, icon = statusIcon(status), info = '', now } = told;
  const name = `${kindIcons[kind]} ${metadata.name ?? ''}`;
  return [name, kind, `${icon} ${status}`, ageOf(metadata.creationTimestamp, now), info];
}

function printed({ row, children }: Branch, before = ''): TreeRow[] {
  return [
    row,
    ...children.flatMap((child, index) => {
      const isLast = index === children.length - 1;
      const [first, ...rest] = printed(child, `${before}${isLast ? '   ' : '│  '}`);
      const [name, ...cells] = first as TreeRow;
      return [[`${before}${isLast ? '└──' : '├──'}${name}`, ...cells] as TreeRow, ...rest];
    }),
  ];
}
