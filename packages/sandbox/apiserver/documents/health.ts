import type { ServerResponse } from 'node:http';
import type { ServerContext } from '@tiphys/apimachinery';
import { sendBytes, sendText } from '../http/answer.ts';

type Probe = 'healthz' | 'livez' | 'readyz';

/** What a server of this version has done once it listens, in the order in which it tells; here it is done from the start. */
const STARTED = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/start-cluster-authentication-info-controller',
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
  'poststarthook/start-legacy-token-tracking-controller',
  'poststarthook/start-service-ip-repair-controllers',
  'poststarthook/rbac/bootstrap-roles',
  'poststarthook/scheduling/bootstrap-system-priority-classes',
  'poststarthook/priority-and-fairness-config-producer',
  'poststarthook/bootstrap-controller',
  'poststarthook/start-kubernetes-service-cidr-controller',
  'poststarthook/aggregator-reload-proxy-client-cert',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-registration-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'autoregister-completion',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

const BASIC = ['ping', 'log', 'etcd'];

/** Checks of each probe, in the order in which they are told. */
const CHECKS: Record<Probe, readonly string[]> = {
  healthz: [...BASIC, ...STARTED],
  livez: [...BASIC, ...STARTED],
  readyz: [...BASIC, 'etcd-readiness', 'informer-sync', ...STARTED, 'shutdown'],
};

/** Where each probe and each of its checks can be asked for. */
export function probePaths(): string[] {
  return Object.entries(CHECKS).flatMap(([probe, checks]) => [
    `/${probe}`,
    ...checks.map((check) => `/${probe}/${check}`),
  ]);
}

/** `/metrics/slis`: each check of each probe as a gauge, and how often it has been asked: once, now. */
export function probeMetrics(): string {
  const series = Object.entries(CHECKS).flatMap(([probe, checks]) =>
    checks.map((name) => `name="${name}",type="${probe}"`),
  );
  const all = series.sort();
  return [
    '# HELP kubernetes_healthcheck [STABLE] This metric records the result of a single healthcheck.',
    '# TYPE kubernetes_healthcheck gauge',
    ...all.map((labels) => `kubernetes_healthcheck{${labels}} 1`),
    '# HELP kubernetes_healthchecks_total [STABLE] This metric records the results of all healthcheck.',
    '# TYPE kubernetes_healthchecks_total counter',
    ...all.map((labels) => {
      const [name, type] = labels.split(',');
      return `kubernetes_healthchecks_total{${name},status="success",${type}} 1`;
    }),
    '',
  ].join('\n');
}

/** `/healthz`, `/livez`, `/readyz` and their single checks; undefined for other paths. */
export function probeOf(path: string): { probe: Probe; check: string | undefined } | undefined {
  const [, probe, check] = /^\/(healthz|livez|readyz)(?:\/(.*))?$/.exec(path) ?? [];
  return probe ? { probe: probe as Probe, check } : undefined;
}

/** Answers a probe with `ok`, or its checks one by one where one fails or `?verbose` asks for them; `?exclude=` leaves one out. */
export async function answerProbe(
  { store }: ServerContext,
  response: ServerResponse,
  { probe, check }: { probe: Probe; check: string | undefined },
  query: URLSearchParams,
): Promise<void> {
  const broken = await store.durable().then(
    () => undefined,
    (error: unknown) => error,
  );
  const fails = (name: string) => broken !== undefined && name.startsWith('etcd');
  if (check !== undefined) {
    if (!CHECKS[probe].includes(check)) sendText(response, 404, '404 page not found\n');
    else if (fails(check)) sendText(response, 500, `internal server error: ${String(broken)}\n`);
    else sendBytes(response, 200, 'text/plain; charset=utf-8', Buffer.from('ok'));
    return;
  }
  const excluded = new Set(query.getAll('exclude'));
  const lines = CHECKS[probe].map((name) => {
    if (excluded.delete(name)) return `[+]${name} excluded: ok\n`;
    return fails(name) ? `[-]${name} failed: reason withheld\n` : `[+]${name} ok\n`;
  });
  if (excluded.size)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${[...excluded].map((name) => JSON.stringify(name)).join(', ')}\n`,
    );
  if (lines.some((line) => line.startsWith('[-]'))) sendText(response, 500, `${lines.join('')}${probe} check failed\n`);
  else sendText(response, 200, query.has('verbose') ? `${lines.join('')}${probe} check passed\n` : 'ok');
}
