import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Resource } from '@tiphys/apimachinery';
import { builtinDiscovery } from '@tiphys/kubernetes';
import type { RequestInfo } from '../request/request-info.ts';

const BUCKETS = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** Those of the requests that objectives are about, which begin later. */
const OBJECTIVES = 0.05;
const STREAMS = new Set(['proxy', 'exec', 'attach', 'portforward']);

interface Durations {
  sum: number;
  /** By the index of the bucket; those that took longer come last. */
  readonly counts: number[];
}

/** Media type of metrics. */
export const METRICS = 'text/plain; version=0.0.4; charset=utf-8; escaping=underscores';

/** Counts requests under the names that kube-apiserver gives them, for `/metrics`. */
export class RequestMetrics {
  readonly #totals = new Map<string, number>();
  readonly #durations = new Map<string, Durations>();
  readonly #open = new Map<string, number>();
  readonly #deprecated = new Set<string>();
  readonly #inFlight = { mutating: 0, readOnly: 0 };

  /** Counts one request when its answer has left. */
  observe(request: IncomingMessage, response: ServerResponse, info: RequestInfo): void {
    const labels = labelsOf(request, info);
    const long = info.verb === 'watch' || STREAMS.has(info.subresource);
    const kind = ['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '') ? 'readOnly' : 'mutating';
    const begun = performance.now();
    if (!long) this.#inFlight[kind] += 1;
    if (long) this.#open.set(labels, (this.#open.get(labels) ?? 0) + 1);
    response.once('close', () => {
      if (long) this.#open.set(labels, (this.#open.get(labels) ?? 1) - 1);
      const total = `code="${response.statusCode}",${labels}`;
      this.#totals.set(total, (this.#totals.get(total) ?? 0) + 1);
      if (!long) this.#inFlight[kind] -= 1;
      if (!long) this.#time(labels, (performance.now() - begun) / 1000);
    });
  }

  deprecated({ group, version, plural }: Resource, subresource: string): void {
    this.#deprecated.add(
      `group="${group}",removed_release="",resource="${plural}",subresource="${subresource}",version="${version}"`,
    );
  }

  /** The text of `/metrics`; `objects` are the sizes of the stored resources. */
  text(objects: Iterable<readonly [resource: string, count: number]>): string {
    const { rss } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    const started = Date.now() / 1000 - process.uptime();
    return [
      ...family('apiserver_request_total', 'counter', 'Counter of apiserver requests.', this.#totals),
      ...family('apiserver_longrunning_requests', 'gauge', 'Gauge of all active long-running requests.', this.#open),
      ...this.#histogram('apiserver_request_duration_seconds', 'Response latency distribution in seconds.', 0),
      ...this.#histogram(
        'apiserver_request_sli_duration_seconds',
        'Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds.',
        OBJECTIVES,
      ),
      ...family(
        'apiserver_current_inflight_requests',
        'gauge',
        'Number of requests that are being answered, by whether they change anything.',
        Object.entries(this.#inFlight).map(([kind, count]) => [`request_kind="${kind}"`, count] as const),
      ),
      ...family(
        'apiserver_requested_deprecated_apis',
        'gauge',
        'Gauge of deprecated APIs that have been requested.',
        [...this.#deprecated].map((labels) => [labels, 1] as const),
      ),
      ...family(
        'apiserver_storage_objects',
        'gauge',
        'Number of stored objects split by kind.',
        [...objects].map(([resource, count]) => [`resource="${resource}"`, count] as const),
      ),
      ...family('kubernetes_build_info', 'gauge', 'What this server claims to be.', [[buildLabels(), 1]]),
      ...family('process_cpu_seconds_total', 'counter', 'Total user and system CPU time spent in seconds.', [
        ['', (user + system) / 1e6],
      ]),
      ...family('process_resident_memory_bytes', 'gauge', 'Resident memory size in bytes.', [['', rss]]),
      ...family('process_start_time_seconds', 'gauge', 'Start time of the process since unix epoch.', [['', started]]),
      '',
    ].join('\n');
  }

  #time(labels: string, seconds: number): void {
    let durations = this.#durations.get(labels);
    if (!durations) {
      durations = { sum: 0, counts: new Array<number>(BUCKETS.length + 1).fill(0) };
      this.#durations.set(labels, durations);
    }
    durations.sum += seconds;
    const index = BUCKETS.findIndex((bound) => seconds <= bound);
    const { counts } = durations;
    const at = index < 0 ? BUCKETS.length : index;
    counts[at] = (counts[at] ?? 0) + 1;
  }

  /** Buckets from the least bound on. */
  #histogram(name: string, help: string, least: number): string[] {
    const samples = [...this.#durations].flatMap(([labels, { sum, counts }]) => {
      let below = 0;
      const buckets = counts.map((count, index) => {
        below += count;
        const bound = BUCKETS[index] ?? Number.POSITIVE_INFINITY;
        return bound < least ? '' : `${name}_bucket{${labels},le="${BUCKETS[index] ?? '+Inf'}"} ${below}`;
      });
      return [...buckets.filter(Boolean), `${name}_sum{${labels}} ${sum}`, `${name}_count{${labels}} ${below}`];
    });
    return [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`, ...samples];
  }
}

function labelsOf({ method = 'GET' }: IncomingMessage, info: RequestInfo): string {
  const { resourceRequest, verb, group, version, plural, name, namespace, subresource, path } = info;
  const scope = !resourceRequest ? '' : name || verb === 'create' ? 'resource' : namespace ? 'namespace' : 'cluster';
  const shown = STREAMS.has(subresource)
    ? 'CONNECT'
    : ['list', 'watch', 'deletecollection'].includes(verb)
      ? verb.toUpperCase()
      : method;
  // Paths that mean nothing are counted as one.
  const place = resourceRequest
    ? subresource
    : (/^\/(api|apis|openapi\/v[23]|healthz|livez|readyz|version|metrics)\b/.exec(path)?.[1] ?? '');
  const labels = { component: 'apiserver', group, resource: plural, scope, subresource: place, verb: shown, version };
  return Object.entries(resourceRequest ? labels : { ...labels, group: '', resource: '', version: '' })
    .map(([key, value]) => `${key}="${value.replace(/[\\"\n]/g, '_')}"`)
    .join(',');
}

function buildLabels(): string {
  const version = builtinDiscovery().version as unknown as Record<string, string>;
  const fields = [
    'buildDate',
    'compiler',
    'gitCommit',
    'gitTreeState',
    'gitVersion',
    'goVersion',
    'major',
    'minor',
    'platform',
  ];
  return fields
    .map((field) => `${field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}="${version[field] ?? ''}"`)
    .join(',');
}

function family(
  name: string,
  type: string,
  help: string,
  samples: Iterable<readonly [labels: string, value: number]>,
): string[] {
  const lines = [...samples].map(([labels, value]) => `${name}${labels ? `{${labels}}` : ''} ${value}`);
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines.sort()];
}
