import { requireDuration } from '../decisions/duration.ts';
import { evaluateTime } from '../evaluation/evaluate-time.ts';
import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Metric, PrometheusMetric } from '../model/types.ts';
import { awsCredentials } from './aws-credentials.ts';
import { basicHeaders } from './basic-auth.ts';
import { plainNumber } from './go-format.ts';
import { ask, type HttpAnswer } from './http.ts';
import { oauth2Headers } from './oauth2.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';
import { signV4 } from './sigv4.ts';

/** Asks Prometheus' HTTP API: a scalar is a number, a vector or matrix the list of its values. */
export const prometheus: QueryProvider = {
  kind: 'query',
  query,
  metadata: ({ provider }): Record<string, string> =>
    provider.prometheus?.query ? { ResolvedPrometheusQuery: provider.prometheus.query } : {},
};

async function query({ provider }: Metric, context: ProviderContext): Promise<Reading> {
  const prometheus = provider.prometheus as PrometheusMetric;
  const address = serverAddress(prometheus, context.environment.ARGO_ROLLOUTS_PROMETHEUS_ADDRESS);
  const timeout = timeoutOf(prometheus);
  const question = questionOf(prometheus, context.clock.now());
  const request = { timeout, signal: context.signal, insecure: prometheus.insecure === true };
  const url = `${address.replace(/(?<!\/)\/+$/, '')}${question.path}`;
  const body = question.form.toString();
  const plain: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    ...basicHeaders(prometheus.authentication),
    ...(await oauth2Headers(prometheus.authentication?.oauth2, request)),
  };
  // what the metric says itself comes before what was made for it, as upstream
  for (const { key, value } of prometheus.headers ?? []) plain[key.toLowerCase()] = value;
  const send = async (method: 'GET' | 'POST') => {
    const target = method === 'GET' ? `${url}?${body}` : url;
    const sent = method === 'GET' ? '' : body;
    const headers = await signed(prometheus, {
      method,
      url: target,
      headers: plain,
      body: sent,
      now: context.clock.now(),
    });
    return ask({ ...request, url: target, method, headers, ...(method === 'GET' ? {} : { body }) });
  };
  let answer = await send('POST');
  // some servers and proxies take queries by GET alone
  if (answer.status === 405 || answer.status === 501) answer = await send('GET');
  return reading(answer);
}

function serverAddress({ address }: PrometheusMetric, fallback: string | undefined): string {
  const chosen = address || fallback;
  if (!chosen) throw misconfiguredProvider('prometheus address is not configured');
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(chosen))
    throw misconfiguredProvider('prometheus address is not is url format');
  return chosen;
}

function timeoutOf({ timeout }: PrometheusMetric): number {
  if (timeout === undefined) return 30_000;
  if (timeout < 0) throw misconfiguredProvider('prometheus timeout should not be negative');
  return timeout * 1000;
}

function questionOf(prometheus: PrometheusMetric, now: number): { path: string; form: URLSearchParams } {
  const form = new URLSearchParams({ query: prometheus.query ?? '' });
  const range = prometheus.rangeQuery;
  if (!range) {
    form.set('time', seconds(now));
    return { path: '/api/v1/query', form };
  }
  const at = (name: 'start' | 'end') =>
    evaluateTime(range[name] ?? '', now, `failed to parse rangeQuery.${name} as time`);
  form.set('start', seconds(at('start')));
  form.set('end', seconds(at('end')));
  form.set('step', String(stepSeconds(range.step ?? '')));
  return { path: '/api/v1/query_range', form };
}

function stepSeconds(text: string): number {
  try {
    return requireDuration(text) / 1000;
  } catch (error) {
    throw misconfiguredProvider(`failed to parse rangeQuery.step as duration: ${(error as Error).message}`);
  }
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

/** Amazon Managed Prometheus alone is asked with signatures, as upstream tells it by its address. */
async function signed(
  { authentication }: PrometheusMetric,
  request: { method: string; url: string; headers: Record<string, string>; body: string; now: number },
): Promise<Record<string, string>> {
  const { region, profile, roleArn } = authentication?.sigv4 ?? {};
  if (!request.url.includes('aps-workspaces') || !(region || profile || roleArn)) return request.headers;
  const wanted = { ...(profile ? { profile } : {}), ...(roleArn ? { roleArn } : {}), ...(region ? { region } : {}) };
  const credentials = await awsCredentials(wanted);
  return signV4({ ...request, region: region ?? 'us-east-1', service: 'aps', credentials });
}

interface ApiAnswer {
  status?: string;
  data?: { resultType?: string; result?: unknown };
  errorType?: string;
  error?: string;
  warnings?: string[];
}

function reading({ status, text }: HttpAnswer): Reading {
  const answer = parsed(text);
  if (answer?.status !== 'success') {
    if (answer?.errorType) throw badAnswer(`${answer.errorType}: ${answer.error ?? ''}`);
    if (status >= 500) throw badAnswer(`server_error: server error: ${status}`);
    throw badAnswer(
      status >= 400 ? `client_error: client error: ${status}` : `bad_response: bad response code ${status}`,
    );
  }
  const warnings = (answer.warnings ?? []).map((warning) => `"${warning}"`).join(', ');
  return { ...resultOf(answer.data ?? {}), ...(warnings ? { metadata: { warnings } } : {}) };
}

function parsed(text: string): ApiAnswer | undefined {
  try {
    return JSON.parse(text) as ApiAnswer;
  } catch {
    return undefined;
  }
}

function resultOf({ resultType, result }: NonNullable<ApiAnswer['data']>): Reading {
  switch (resultType) {
    case 'scalar': {
      const value = sample((result as [number, string])[1]);
      return { value: plainNumber(value), result: value };
    }
    case 'vector':
      return list((result as { value: [number, string] }[]).map(({ value }) => sample(value?.[1])));
    case 'matrix':
      return list(
        (result as { values: [number, string][] }[]).flatMap(({ values = [] }) => values.map(([, v]) => sample(v))),
      );
    default:
      throw badAnswer('Prometheus metric type not supported');
  }
}

function list(values: readonly number[]): Reading {
  return { value: `[${values.map(plainNumber).join(',')}]`, result: values };
}

function sample(text: unknown): number {
  if (typeof text !== 'string') throw badAnswer('Prometheus answered with a sample that is no number');
  return Number(text.replace('Inf', 'Infinity'));
}
