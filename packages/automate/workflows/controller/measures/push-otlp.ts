import { type Diagnosis, defineDiagnosis, diagnose, failure } from '@tiphys/diagnosis';
import { type Clock, pause } from '@tiphys/kubernetes';
import { guardedDispatcher } from '@tiphys/outbound';
import type { Registry } from 'prom-client';
import { request } from 'undici';
import { otlpRequest, type Told } from './otlp.ts';

const notPushed = defineDiagnosis(
  'MetricsNotPushed',
  'The collector of OpenTelemetry does not take the metrics of workflows',
);
const protocolOther = defineDiagnosis(
  'MetricsProtocolUnsupported',
  'Metrics are to go to a collector of OpenTelemetry by a protocol that is not spoken',
);

type Env = Readonly<Record<string, string | undefined>>;

export interface Collector {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly interval: number;
  readonly service: string;
}

/** What the standard variables of OpenTelemetry say; undefined without an endpoint. Throws a diagnosis for gRPC. */
export function collectorOf(env: Env): Collector | undefined {
  const own = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if ((!own && !base) || env.OTEL_METRICS_EXPORTER === 'none' || env.OTEL_SDK_DISABLED === 'true') return undefined;
  const field = env.OTEL_EXPORTER_OTLP_METRICS_PROTOCOL
    ? 'OTEL_EXPORTER_OTLP_METRICS_PROTOCOL'
    : 'OTEL_EXPORTER_OTLP_PROTOCOL';
  const protocol = env[field] || 'http/json';
  const remedies = [
    'Set OTEL_EXPORTER_OTLP_PROTOCOL=http/json, and the endpoint to the HTTP port of the collector, which is 4318',
  ];
  if (protocol !== 'http/json')
    throw failure(protocolOther, { message: `${field} is ${protocol}`, place: { field }, remedies });
  const url = own || `${base?.replace(/\/$/, '')}/v1/metrics`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw failure(protocolOther, {
      message: `"${url}" is no address of HTTP`,
      place: { field: own ? 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT' },
      remedies: ['Write it as http://HOST:4318'],
    });
  const interval = Number(env.OTEL_METRIC_EXPORT_INTERVAL || 60_000);
  return {
    url,
    headers: headersOf(env.OTEL_EXPORTER_OTLP_METRICS_HEADERS || env.OTEL_EXPORTER_OTLP_HEADERS || ''),
    interval: Number.isFinite(interval) && interval >= 1 ? interval : 60_000,
    service: env.OTEL_SERVICE_NAME || 'workflows-controller',
  };
}

/** `NAME=VALUE,…`, with values as in URLs. */
function headersOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [pair.slice(0, at).trim(), decoded(pair.slice(at + 1).trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return text;
  }
}

interface Pushing {
  readonly registry: Registry;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly report: (problem: Diagnosis) => void;
}

/** Sends the metrics to a collector at each interval, and once more at the end. What is refused is told, and the next one is sent. */
export async function pushMetrics(collector: Collector, { registry, clock, signal, report }: Pushing): Promise<void> {
  const start = clock.now();
  const dispatcher = await guardedDispatcher();
  try {
    for (let isLast = false; !isLast; ) {
      await pause(clock, collector.interval, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      isLast = signal.aborted;
      const metrics = (await registry.getMetricsAsJSON()) as Told[];
      const body = JSON.stringify(otlpRequest(metrics, { start, now: clock.now() }, collector.service));
      const problem = await sent(collector, { body, dispatcher });
      if (problem) report(problem);
    }
  } finally {
    await dispatcher.close();
  }
}

/** What went wrong; undefined if the collector has taken it. */
async function sent(
  { url, headers }: Collector,
  { body, dispatcher }: { body: string; dispatcher: Awaited<ReturnType<typeof guardedDispatcher>> },
): Promise<Diagnosis | undefined> {
  const refused = (reason: string) =>
    diagnose(notPushed, {
      message: `${url} does not take the metrics: ${reason}`,
      place: { field: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
      remedies: ['Name the HTTP port of a collector, which is 4318; that of gRPC is 4317'],
    });
  try {
    const answer = await request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
      dispatcher,
      headersTimeout: 10_000,
      bodyTimeout: 10_000,
    });
    await answer.body.dump();
    return answer.statusCode < 300 ? undefined : refused(`it answers with ${answer.statusCode}`);
  } catch (error) {
    return refused((error as Error).message);
  }
}
