import { loadMetricsService } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { type Clock, pause } from '@tiphys/kubernetes';
import { guarded, guardedDispatcher, guardedSessions } from '@tiphys/outbound';
import type { Registry } from 'prom-client';
import type { Collector } from './collector.ts';
import { otlpRequest, type Told } from './otlp.ts';

const notPushed = defineDiagnosis(
  'MetricsNotPushed',
  'The collector of OpenTelemetry does not take the metrics of workflows',
);

interface Pushing {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (problem: Diagnosis) => void;
}

/** A way to the collector. */
interface Exporter {
  /** Rejects if the collector does not take it. */
  send(metrics: object): Promise<void>;
  close(): Promise<void>;
}

/** Sends the metrics to a collector at each interval, and once more at the end. What is refused is told, and the next one is sent. */
export async function pushMetrics(collector: Collector, { registry, clock, signal, report }: Pushing): Promise<void> {
  const start = clock.now();
  const exporter = await (collector.protocol === 'grpc' ? byGrpc(collector) : byHttp(collector));
  try {
    for (let isLast = false; !isLast; ) {
      await pause(clock, collector.interval, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      isLast = signal.aborted;
      const metrics = (await registry.getMetricsAsJSON()) as Told[];
      try {
        await exporter.send(otlpRequest(metrics, { start, now: clock.now() }, collector.service));
      } catch (error) {
        report(refused(collector, error as Error));
      }
    }
  } finally {
    await exporter.close();
  }
}

function refused({ url, protocol }: Collector, { message }: Error): Diagnosis {
  return diagnose(notPushed, {
    message: `${url} does not take the metrics by ${protocol}: ${message}`,
    place: { field: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
    remedies: [
      protocol === 'grpc'
        ? 'Name the gRPC port of a collector, which is 4317; for that of HTTP, 4318, set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf'
        : 'Name the HTTP port of a collector, which is 4318; for that of gRPC, 4317, set OTEL_EXPORTER_OTLP_PROTOCOL=grpc',
    ],
  });
}

async function byHttp({ url, protocol, headers, tls, timeout }: Collector): Promise<Exporter> {
  const isJson = protocol === 'http/json';
  const dispatcher = await guardedDispatcher({ tls });
  const service = isJson ? undefined : await loadMetricsService();
  return {
    async send(metrics) {
      const { request } = await import('undici');
      const answer = await request(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': isJson ? 'application/json' : 'application/x-protobuf' },
        body: service ? service.encode(metrics) : JSON.stringify(metrics),
        dispatcher,
        headersTimeout: timeout,
        bodyTimeout: timeout,
      });
      await answer.body.dump();
      if (answer.statusCode >= 300) throw new Error(`it answers with ${answer.statusCode}`);
    },
    close: () => dispatcher.close(),
  };
}

async function byGrpc({ url, headers, tls, timeout }: Collector): Promise<Exporter> {
  const [{ createClient }, { createGrpcTransport, Http2SessionManager }, service] = await Promise.all([
    import('@connectrpc/connect'),
    import('@connectrpc/connect-node'),
    loadMetricsService(),
  ]);
  const sessions = guardedSessions(new Http2SessionManager(url, {}, { ...tls, ...guarded(url, false) }));
  const transport = createGrpcTransport({ baseUrl: url, sessionManager: sessions });
  const client = createClient(service.metrics, transport);
  return {
    async send(metrics) {
      const { partialSuccess } = await client.export(service.message(metrics), { headers, timeoutMs: timeout });
      const { rejectedDataPoints: rejected = 0n, errorMessage = '' } = partialSuccess ?? {};
      if (rejected > 0n) throw new Error(`${rejected} values are refused: ${errorMessage}`);
    },
    close: async () => sessions.abort(),
  };
}
