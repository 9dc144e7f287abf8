import type { Rollout } from '@tiphys/api';
import { splitKey } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import { type MeasuredKind, RolloutMeasures } from '@tiphys/rollout-metrics';
import type { Registry } from 'prom-client';
import type { Informers } from './informers.ts';

/** The release of Argo Rollouts whose behaviour is kept, as `argo_rollouts_controller_info` tells it. */
const compatibleVersion = 'v1.9.0';

/** The measures of this family, over the objects as informers have them. */
export function rolloutMeasures(registry: Registry, informers: Informers): RolloutMeasures {
  return new RolloutMeasures(
    registry,
    {
      rollouts: () => informers.rollouts.list(),
      experiments: () => informers.experiments.list(),
      analysisRuns: () => informers.analysisRuns.list(),
      templates: () => [...informers.templates.list(), ...informers.clusterTemplates.list()],
    },
    compatibleVersion,
  );
}

interface PassHooks {
  readonly onPass: (pass: { readonly key: string }, milliseconds: number) => void;
  readonly onError: (key: string, error: unknown) => void;
  readonly onGone: (key: string) => void;
}

/** What a reconciler tells the measures; only how it tells of failures if nothing is measured. */
export function measured(
  measures: RolloutMeasures | undefined,
  kind: MeasuredKind,
  onError: (key: string, error: unknown) => void,
): PassHooks | { onError: typeof onError } {
  if (!measures) return { onError };
  return {
    onPass: ({ key }, milliseconds) => measures.passed(kind, splitKey(key), milliseconds),
    onError: (key, error) => {
      measures.failed(kind, splitKey(key));
      onError(key, error);
    },
    onGone: (key) => measures.forget(kind, splitKey(key)),
  };
}

/** Counts how long an update took, once, when its end is seen. */
export function noteFinish(measures: RolloutMeasures | undefined, now: KubeObject, old: KubeObject | undefined): void {
  const duration = (now as Rollout).status?.duration;
  const before = (old as Rollout | undefined)?.status?.duration;
  if (!measures || !old || !duration?.finishedAt || duration.finishedAt === before?.finishedAt) return;
  measures.finished(duration);
}
