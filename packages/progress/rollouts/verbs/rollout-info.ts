import type { AnalysisRun } from '@tiphys/analysis';
import { type CanaryStep, type Experiment, type Rollout, rolloutNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { annotationOf, available, byAge, type ReplicaSet, revisionOf } from '../objects/replica-set.ts';
import { replicasOf, stepsOf, weightOfSteps } from '../objects/rollout.ts';
import { actualWeight, stepOf, strategyOf } from './describe.ts';
import { ofOwner, type Relatives, replicaSetHealth, tagsOf } from './family-tree.ts';
import { podIcon, statusIcon } from './icons.ts';
import { podState } from './pod-state.ts';
import { shownPhase } from './shown-phase.ts';

/** Upstream's message `rollout.RolloutInfo` as its gateway writes it in JSON: what is empty is left out. */
export interface RolloutInfo {
  readonly [field: string]: unknown;
}

/**
 * A Rollout with what belongs to it, as the dashboard of Argo Rollouts is told. Providers and arguments of analyses, and configurations of
 * step plugins, which may hold credentials, stay out.
 */
export function rolloutInfo(rollout: Rollout, relatives: Relatives): RolloutInfo {
  const { metadata, spec, status = {} } = rollout;
  const { phase, message } = shownPhase(rollout);
  const { labels, annotations = {}, name, namespace, uid, generation, creationTimestamp, resourceVersion } = metadata;
  const { [lastApplied]: _, ...told } = annotations;
  const sets = ofOwner(relatives.replicaSets, rollout);
  return filled({
    objectMeta: filled({
      ...{ name, namespace, labels, annotations: told, uid, generation, creationTimestamp, resourceVersion },
    }),
    status: phase,
    message,
    icon: statusIcon(phase),
    strategy: strategyOf(rollout),
    ...(spec.strategy.canary
      ? {
          step: stepOf(rollout),
          steps: stepOf(rollout) === undefined ? [] : stepsOf(rollout).map(withoutConfiguration),
          setWeight: String(weightOfSteps(rollout)),
          actualWeight: String(actualWeight(rollout, sets)),
        }
      : {}),
    ready: status.readyReplicas,
    current: status.replicas,
    desired: replicasOf(rollout),
    updated: status.updatedReplicas,
    available: status.availableReplicas,
    restartedAt: status.restartedAt ?? 'Never',
    generation: status.observedGeneration,
    replicaSets: replicaSetInfos(rollout, relatives, rollout),
    experiments: ofOwner(relatives.experiments, rollout)
      .toSorted(byRevision)
      .map((experiment) => experimentInfo(experiment, relatives)),
    analysisRuns: analysisInfos(rollout, relatives),
    containers: containersOf(spec.template?.spec?.containers),
    initContainers: containersOf(spec.template?.spec?.initContainers),
  });
}

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Without what Go's JSON leaves out as empty. */
function filled(fields: Readonly<Record<string, unknown>>): RolloutInfo {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === '' ||
    value === 0 ||
    value === false ||
    (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)));
}

function headOf({ metadata: { name, namespace, creationTimestamp, uid } }: KubeObject): RolloutInfo {
  return filled({ name, namespace, creationTimestamp, uid });
}

function withoutConfiguration(step: CanaryStep): unknown {
  const { plugin, analysis, ...others } = step;
  return {
    ...others,
    ...(plugin ? { plugin: { name: plugin.name } } : {}),
    ...(analysis ? { analysis: { templates: analysis.templates } } : {}),
  };
}

function containersOf(containers: unknown): RolloutInfo[] {
  const all = Array.isArray(containers) ? (containers as { name?: string; image?: string }[]) : [];
  return all.map(({ name, image }) => filled({ name, image }));
}

function imagesOf(containers: unknown): unknown[] {
  return containersOf(containers).map(({ image }) => image ?? '');
}

function byRevision(a: KubeObject, b: KubeObject): number {
  return revisionOf(b) - revisionOf(a) || (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '');
}

function replicaSetInfos(owner: KubeObject, relatives: Relatives, rollout?: Rollout): RolloutInfo[] {
  return ofOwner(relatives.replicaSets, owner)
    .toSorted(byRevision)
    .map((set) => replicaSetInfo(set, relatives, rollout));
}

function replicaSetInfo(set: ReplicaSet, { pods }: Relatives, rollout?: Rollout): RolloutInfo {
  const tags = rollout ? tagsOf(set, rollout) : [];
  const status = replicaSetHealth(set);
  const { containers, initContainers } = set.spec.template?.spec ?? {};
  return filled({
    objectMeta: headOf(set),
    status,
    icon: statusIcon(status),
    revision: revisionOf(set),
    ...Object.fromEntries(tags.map((tag) => [tag, true])),
    replicas: set.status?.replicas,
    available: available(set),
    template: annotationOf(set, rolloutNames.annotations.experimentTemplateName),
    scaleDownDeadline: annotationOf(set, rolloutNames.annotations.scaleDownDeadline),
    images: imagesOf(containers),
    initContainerImages: imagesOf(initContainers),
    pods: ofOwner(pods, set)
      .toSorted(byAge)
      .map((pod) => {
        const { status: word, ready, total, restarts } = podState(pod);
        const told = { status: word, icon: podIcon(word), ready: `${ready}/${total}`, restarts };
        return filled({ objectMeta: headOf(pod), ...told });
      }),
  });
}

function experimentInfo(experiment: Experiment, relatives: Relatives): RolloutInfo {
  const { phase = '', message } = experiment.status ?? {};
  return filled({
    objectMeta: headOf(experiment),
    icon: statusIcon(phase),
    revision: revisionOf(experiment),
    status: phase,
    message,
    replicaSets: replicaSetInfos(experiment, relatives),
    analysisRuns: analysisInfos(experiment, relatives),
  });
}

function analysisInfos(owner: KubeObject, { analysisRuns }: Relatives): RolloutInfo[] {
  return ofOwner(analysisRuns, owner).toSorted(byRevision).map(analysisInfo);
}

function analysisInfo(run: AnalysisRun): RolloutInfo {
  const { phase = '', metricResults = [] } = run.status ?? {};
  const count = (name: 'successful' | 'failed' | 'inconclusive' | 'error') =>
    metricResults.reduce((sum, result) => sum + (result[name] ?? 0), 0);
  const measured = metricResults.flatMap(({ name, measurements = [] }) =>
    measurements.map((measurement) => ({ ...measurement, metricName: name })),
  );
  const metrics = run.spec.metrics ?? [];
  return filled({
    objectMeta: headOf(run),
    icon: statusIcon(phase),
    revision: revisionOf(run),
    status: phase,
    successful: count('successful'),
    failed: count('failed'),
    inconclusive: count('inconclusive'),
    error: count('error'),
    jobs: measured.flatMap(({ metadata, phase: status, startedAt, metricName }) =>
      metadata?.['job-name'] === undefined
        ? []
        : [
            filled({
              objectMeta: filled({ name: metadata['job-name'], creationTimestamp: startedAt }),
              ...{ status, icon: statusIcon(status), metricName, startedAt },
            }),
          ],
    ),
    nonJobInfo: measured.flatMap(({ metadata, value, phase: status, startedAt, metricName }) =>
      metadata?.['job-name'] === undefined ? [filled({ value, status, metricName, startedAt })] : [],
    ),
    metrics: metrics.map(({ name, successCondition, count: times, inconclusiveLimit, failureLimit }) =>
      filled({
        name,
        successCondition,
        count: Number(times ?? 0),
        inconclusiveLimit: Number(inconclusiveLimit ?? 0),
        failureLimit: Number(failureLimit ?? 0),
      }),
    ),
    specAndStatus: {
      spec: { metrics: metrics.map(({ provider: _, ...metric }) => ({ ...metric, provider: {} })), args: [] },
      status: run.status ?? {},
    },
  });
}
