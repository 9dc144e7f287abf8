import type { Metric } from '@tiphys/analysis';
import type { KubeObject } from '@tiphys/kubernetes';

interface RolloutFacts {
  spec?: { strategy?: { blueGreen?: unknown; canary?: { trafficRouting?: Record<string, unknown> } } };
  status?: { conditions?: { type: string; reason?: string }[] };
}

/** The last of upstream's list that a Rollout names. */
const routers: readonly (readonly [string, string])[] = [
  ['alb', 'ALB'],
  ['ambassador', 'Ambassador'],
  ['istio', 'Istio'],
  ['nginx', 'Nginx'],
  ['smi', 'SMI'],
  ['appMesh', 'AppMesh'],
];

const phases: ReadonlyMap<string | undefined, string> = new Map([
  ['NewReplicaSetAvailable', 'Completed'],
  ['RolloutPaused', 'Paused'],
  ['ReplicaSetCreateError', 'Error'],
  ['ProgressDeadlineExceeded', 'Timeout'],
  ['RolloutAborted', 'Abort'],
]);

export function strategyOf(rollout: KubeObject): string {
  const strategy = (rollout as RolloutFacts).spec?.strategy;
  return strategy?.blueGreen ? 'blueGreen' : strategy?.canary ? 'canary' : 'none';
}

export function routerOf(rollout: KubeObject): string {
  const strategy = (rollout as RolloutFacts).spec?.strategy;
  const routing = strategy?.blueGreen ? undefined : strategy?.canary?.trafficRouting;
  return routers.findLast(([field]) => routing?.[field])?.[1] ?? '';
}

/** The phase that metrics show, which is made of conditions and is not that of the status. */
export function rolloutPhase(rollout: KubeObject): string {
  const conditions = (rollout as RolloutFacts).status?.conditions ?? [];
  if (conditions.some(({ type }) => type === 'InvalidSpec')) return 'InvalidSpec';
  return phases.get(conditions.find(({ type }) => type === 'Progressing')?.reason) ?? 'Progressing';
}

/** Upstream's words for the providers. */
const types: Readonly<Record<keyof Metric['provider'], string>> = {
  prometheus: 'Prometheus',
  job: 'Job',
  kayenta: 'Kayenta',
  web: 'Web',
  datadog: 'Datadog',
  wavefront: 'Wavefront',
  newRelic: 'NewRelic',
  graphite: 'Graphite',
  cloudWatch: 'CloudWatch',
  influxdb: 'Influxdb',
  skywalking: 'skywalking',
  plugin: 'RPCPlugin',
};

export function metricType({ provider }: Metric): string {
  for (const [field, type] of Object.entries(types)) if (provider[field as keyof Metric['provider']]) return type;
  return 'Unknown Provider';
}
