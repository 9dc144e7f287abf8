import { readFileSync } from 'node:fs';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';

const protocolOther = defineDiagnosis(
  'MetricsProtocolUnsupported',
  'Metrics are to go to a collector of OpenTelemetry by a protocol that is not spoken',
);
const certificateUnreadable = defineDiagnosis(
  'MetricsCertificateUnreadable',
  'A certificate for the collector of OpenTelemetry cannot be read',
);

type Env = Readonly<Record<string, string | undefined>>;

const protocols = ['grpc', 'http/protobuf', 'http/json'] as const;
type Protocol = (typeof protocols)[number];

/** Certificates as PEM. */
interface CollectorTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface Collector {
  readonly protocol: Protocol;
  /** With its path by HTTP; scheme, host and port by gRPC. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: CollectorTls;
  /** Milliseconds. */
  readonly interval: number;
  /** Milliseconds that one export may take. */
  readonly timeout: number;
  readonly service: string;
}

/** What the standard variables of OpenTelemetry say, by gRPC where they name no protocol, as upstream; undefined without an endpoint. Throws a diagnosis. */
export function collectorOf(env: Env): Collector | undefined {
  const own = env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT;
  const base = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if ((!own && !base) || env.OTEL_METRICS_EXPORTER === 'none' || env.OTEL_SDK_DISABLED === 'true') return undefined;
  const protocol = protocolOf(env);
  const headers = of(env, 'HEADERS')?.value ?? '';
  return {
    protocol,
    url: addressOf(protocol, own ? { own } : { base: base ?? '' }),
    headers: headersOf(headers),
    tls: {
      ...pem(env, 'ca', 'CERTIFICATE'),
      ...pem(env, 'cert', 'CLIENT_CERTIFICATE'),
      ...pem(env, 'key', 'CLIENT_KEY'),
    },
    interval: milliseconds(env.OTEL_METRIC_EXPORT_INTERVAL, 60_000),
    timeout: milliseconds(of(env, 'TIMEOUT')?.value, 10_000),
    service: env.OTEL_SERVICE_NAME || 'workflows-controller',
  };
}

/** A variable of all signals, or the one of metrics alone, which goes before. */
function of(env: Env, name: string): { field: string; value: string } | undefined {
  for (const field of [`OTEL_EXPORTER_OTLP_METRICS_${name}`, `OTEL_EXPORTER_OTLP_${name}`])
    if (env[field]) return { field, value: env[field] };
  return undefined;
}

function protocolOf(env: Env): Protocol {
  const given = of(env, 'PROTOCOL');
  if (!given) return 'grpc';
  const found = protocols.find((protocol) => protocol === given.value);
  if (found) return found;
  throw failure(protocolOther, {
    message: `${given.field} is ${given.value}`,
    place: { field: given.field },
    evidence: { found: given.value, wanted: protocols.join(', ') },
    remedies: [`Set it to grpc with port 4317 of the collector, or to http/protobuf with port 4318`],
  });
}

function addressOf(protocol: Protocol, { own, base = '' }: { own?: string; base?: string }): string {
  const url = own ?? (protocol === 'grpc' ? base : `${base.replace(/\/$/, '')}/v1/metrics`);
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol))
    return protocol === 'grpc' ? new URL(url).origin : url;
  throw failure(protocolOther, {
    message: `"${url}" is no address with http:// or https://`,
    place: { field: own ? 'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT' },
    remedies: [`Write it as http://HOST:${protocol === 'grpc' ? 4317 : 4318}; https:// is with TLS`],
  });
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

function pem(env: Env, part: keyof CollectorTls, name: string): CollectorTls {
  const given = of(env, name);
  if (!given) return {};
  try {
    return { [part]: readFileSync(given.value, 'utf8') };
  } catch (error) {
    throw failure(certificateUnreadable, {
      message: `${given.field} names ${given.value}, which cannot be read: ${(error as Error).message}`,
      place: { field: given.field },
      remedies: [
        'Mount the file there, or unset the variable where the system trusts the certificate of the collector',
      ],
    });
  }
}

function milliseconds(text: string | undefined, otherwise: number): number {
  const given = Number(text || otherwise);
  return Number.isFinite(given) && given >= 1 ? given : otherwise;
}
