import type { RequestRecord } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

const seconds = [0.005, 0.1, 0.5, 2, 8, 30];
const bytes = [64, 512, 4096, 65_536, 1_048_576, 16_777_216];

/**
 * Requests to clusters under Argo CD's names `argocd_kubectl_*`. Tiphys has no limiter of its own before a request, so that
 * `rate_limiter_duration_seconds` is 0 for each; what it does not have at all (transport caches, rotated certificates) stays
 * without samples.
 */
export class KubectlMetrics {
  readonly #duration: Histogram<'host' | 'verb'>;
  readonly #limiter: Histogram<'host' | 'verb'>;
  readonly #sent: Histogram<'host' | 'method'>;
  readonly #received: Histogram<'host' | 'method'>;
  readonly #total: Counter<'host' | 'method' | 'code'>;

  constructor(registry: Registry) {
    const registers = [registry];
    const histogram = <T extends string>(name: string, help: string, buckets: number[], labelNames: T[]) =>
      new Histogram({ name: `argocd_kubectl_${name}`, help, buckets, labelNames, registers });
    this.#duration = histogram('request_duration_seconds', 'Request latency in seconds', seconds, ['host', 'verb']);
    this.#limiter = histogram('rate_limiter_duration_seconds', 'Kubectl rate limiter latency', seconds, [
      'host',
      'verb',
    ]);
    this.#sent = histogram('request_size_bytes', 'Size of kubectl requests', bytes, ['host', 'method']);
    this.#received = histogram('response_size_bytes', 'Size of kubectl responses', bytes, ['host', 'method']);
    histogram('dns_resolution_duration_seconds', 'Kubectl resolver latency', seconds, ['host']);
    const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
      new Counter({ name: `argocd_kubectl_${name}`, help, labelNames, registers });
    this.#total = counter('requests_total', 'Number of kubectl request results', ['host', 'method', 'code']);
    counter('request_retries_total', 'Number of kubectl request retries', ['host', 'method', 'code']);
    counter('exec_plugin_call_total', 'Number of kubectl exec plugin calls', ['code', 'call_status']);
    counter('transport_create_calls_total', 'Number of kubectl transport create calls', ['result']);
    const gauge = (name: string, help: string) =>
      new Gauge({ name: `argocd_kubectl_${name}`, help, labelNames: ['none'], registers });
    gauge('client_cert_rotation_age_seconds', 'Age of a certificate that has just been rotated');
    gauge('transport_cache_entries', 'Number of kubectl transport cache entries');
  }

  observe({ server, method, status, milliseconds, sent, received }: RequestRecord): void {
    const { host } = new URL(server);
    this.#duration.observe({ host, verb: method }, milliseconds / 1000);
    this.#limiter.observe({ host, verb: method }, 0);
    this.#sent.observe({ host, method }, sent);
    if (received !== undefined) this.#received.observe({ host, method }, received);
    this.#total.inc({ host, method, code: status === 0 ? '<error>' : String(status) });
  }
}
