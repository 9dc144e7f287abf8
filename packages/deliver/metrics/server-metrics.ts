import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { KubectlMetrics } from './kubectl-metrics.ts';

/** A method of the API: `unary`, `server_stream` and so on as go-grpc-prometheus names them. */
export interface MeteredMethod {
  readonly service: string;
  readonly method: string;
  readonly type: 'unary' | 'server_stream' | 'client_stream' | 'bidi_stream';
}

const method = ['grpc_type', 'grpc_service', 'grpc_method'] as const;

/** Names of gRPC's codes as Go writes them, by number. */
const codes = [
  'OK',
  'Canceled',
  'Unknown',
  'InvalidArgument',
  'DeadlineExceeded',
  'NotFound',
  'AlreadyExists',
  'PermissionDenied',
  'ResourceExhausted',
  'FailedPrecondition',
  'Aborted',
  'OutOfRange',
  'Unimplemented',
  'Internal',
  'Unavailable',
  'DataLoss',
  'Unauthenticated',
] as const;

/** What the API server shows on port 8083, under Argo CD's names. */
export class ServerMetrics {
  readonly registry = new Registry();
  readonly kubectl: KubectlMetrics;
  readonly #started: Counter<(typeof method)[number]>;
  readonly #received: Counter<(typeof method)[number]>;
  readonly #sent: Counter<(typeof method)[number]>;
  readonly #handled: Counter<(typeof method)[number] | 'grpc_code'>;
  readonly #logins: Counter<'status'>;
  readonly #webhooks: Counter<'repo'>;
  readonly #webhooksInFlight: Gauge;
  readonly #extensionRequests: Counter<'extension' | 'status'>;
  readonly #extensionSeconds: Histogram<'extension'>;

  constructor(version: string) {
    const registers = [this.registry];
    const rpc = (name: string, help: string) =>
      new Counter({ name: `grpc_server_${name}`, help, labelNames: method, registers });
    this.#started = rpc('started_total', 'Total number of RPCs started on the server.');
    this.#received = rpc('msg_received_total', 'Total number of RPC stream messages received on the server.');
    this.#sent = rpc('msg_sent_total', 'Total number of gRPC stream messages sent by the server.');
    this.#handled = new Counter({
      name: 'grpc_server_handled_total',
      help: 'Total number of RPCs completed on the server, regardless of success or failure.',
      labelNames: [...method, 'grpc_code'],
      registers,
    });
    const counter = <T extends string>(name: string, help: string, labelNames: T[]) =>
      new Counter({ name, help, labelNames, registers });
    this.#logins = counter('argocd_login_request_total', 'Number of login requests to the Argo CD API server.', [
      'status',
    ]);
    this.#webhooks = counter('argocd_webhook_requests_total', 'Number of webhook requests received by repo.', ['repo']);
    this.#webhooksInFlight = new Gauge({
      name: 'argocd_webhook_handlers_in_flight',
      help: 'Number of webhook handlers being processed',
      registers,
    });
    this.#extensionRequests = counter(
      'argocd_proxy_extension_request_total',
      'Number of requests sent to configured proxy extensions.',
      ['extension', 'status'],
    );
    this.#extensionSeconds = new Histogram({
      name: 'argocd_proxy_extension_request_duration_seconds',
      help: 'Request duration in seconds between the Argo CD API server and the extension backend.',
      labelNames: ['extension'],
      buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10],
      registers,
    });
    counter('argocd_redis_request_total', 'Number of redis requests executed by the API server.', [
      'initiator',
      'command',
      'failed',
    ]);
    new Histogram({
      name: 'argocd_redis_request_duration',
      help: 'Redis requests duration.',
      labelNames: ['initiator'],
      buckets: [0.1, 0.25, 0.5, 1, 2],
      registers,
    });
    new Gauge({
      name: 'argocd_info',
      help: 'ArgoCD version information',
      labelNames: ['version'],
      registers,
    }).set({ version }, 1);
    this.kubectl = new KubectlMetrics(this.registry);
  }

  /** Shows the methods with zeros before anybody calls them, so that rates have a beginning. */
  serve(methods: Iterable<MeteredMethod>): void {
    for (const served of methods) {
      const labels = labelsOf(served);
      this.#started.inc(labels, 0);
      this.#received.inc(labels, 0);
      this.#sent.inc(labels, 0);
      for (const grpc_code of codes) this.#handled.inc({ ...labels, grpc_code }, 0);
    }
  }

  /** A call begins, with its first message. */
  started(called: MeteredMethod): void {
    this.#started.inc(labelsOf(called));
    this.#received.inc(labelsOf(called));
  }

  sent(called: MeteredMethod): void {
    this.#sent.inc(labelsOf(called));
  }

  /** A call has ended; `code` is gRPC's number. */
  handled(called: MeteredMethod, code: number): void {
    this.#handled.inc({ ...labelsOf(called), grpc_code: codes[code] ?? 'Unknown' });
  }

  login(status: 'success' | 'failure'): void {
    this.#logins.inc({ status });
  }

  /** A push to a repository that applications read was announced. */
  webhook(repo: string): void {
    this.#webhooks.inc({ repo });
  }

  /** A request of a UI extension was handed on, and answered with this HTTP status after so many seconds. */
  extensionRequest(extension: string, status: number, seconds: number): void {
    this.#extensionRequests.inc({ extension, status: String(status) });
    this.#extensionSeconds.observe({ extension }, seconds);
  }

  webhooksInFlight(change: 1 | -1): void {
    this.#webhooksInFlight.inc(change);
  }
}

function labelsOf({ type, service, method: name }: MeteredMethod) {
  return { grpc_type: type, grpc_service: service, grpc_method: name };
}
