import { requireDuration } from '../decisions/duration.ts';
import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { DatadogMetric, Metric } from '../model/types.ts';
import { columnsReading, type DatadogColumn } from './datadog-columns.ts';
import { goJson, plainNumber } from './go-format.ts';
import { ask, type HttpAnswer, parseJson } from './http.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';
import { readSecret } from './secrets.ts';

interface Account {
  readonly address: string;
  readonly apiKey: string;
  readonly appKey: string;
}

/** Asks Datadog: version 1 for the last point of the first series, version 2 for scalars, grouped or not. */
export const datadog: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, context: ProviderContext): Promise<Reading> {
  const metric = provider.datadog as DatadogMetric;
  const account = await findAccount(metric, context);
  const version = metric.apiVersion || 'v1';
  const fault = faultOf(metric, version);
  if (fault) throw misconfiguredProvider(fault);
  const interval = Math.trunc(requireDuration(metric.interval || '5m') / 1000);
  const to = Math.floor(context.clock.now() / 1000);
  const question = version === 'v1' ? questionV1(metric, to - interval, to) : questionV2(metric, to - interval, to);
  const answer = await ask({
    ...question,
    url: `${account.address || 'https://api.datadoghq.com'}${question.path}`,
    headers: {
      'content-type': 'application/json',
      'dd-api-key': account.apiKey,
      'dd-application-key': account.appKey,
    },
    timeout: metric.requestTimeout ? requireDuration(metric.requestTimeout) : 10_000,
    signal: context.signal,
  });
  checkStatus(answer);
  return version === 'v1' ? readingV1(answer.text) : readingV2(answer.text);
}

function faultOf(metric: DatadogMetric, version: string): string | undefined {
  const { query, queries = {}, formula, aggregator, requestTimeout } = metric;
  const count = Object.keys(queries).length;
  if (!query && count === 0) return 'Must have either a query or queries. Please review the Analysis Template.';
  if (query && count > 0) return 'Cannot have both a query and queries. Please review the Analysis Template.';
  if (version === 'v1' && !query)
    return 'Query is empty. API Version v1 only supports using the query parameter in your Analysis Template.';
  if (formula && count === 0)
    return 'Formula are only valid when queries are set. Please review the Analysis Template.';
  if (!formula && count > 1) return 'When multiple queries are provided you must include a formula.';
  if (version === 'v1' && aggregator) return 'Aggregator is not supported in v1. Please review the Analysis Template.';
  if (requestTimeout && requireDuration(requestTimeout) <= 0)
    return 'Request timeout must be a positive duration (e.g. 30s). Please review the Analysis Template.';
  return undefined;
}

async function findAccount({ secretRef }: DatadogMetric, context: ProviderContext): Promise<Account> {
  const { name = '', namespaced = false } = secretRef ?? {};
  if (namespaced && !name) throw misconfiguredProvider('secret name is required for namespaced credentials');
  const namespace = namespaced ? (context.run.metadata.namespace ?? '') : context.namespace;
  const account =
    (name ? undefined : fromEnvironment(context.environment)) ??
    (await fromSecret(context, namespace, name || 'datadog'));
  if (!account) throw misconfiguredProvider('failed to find the credentials for datadog metrics provider');
  return account;
}

function fromEnvironment({ DD_ADDRESS, DD_API_KEY, DD_APP_KEY }: ProviderContext['environment']): Account | undefined {
  if (DD_ADDRESS === undefined || !DD_API_KEY || !DD_APP_KEY) return undefined;
  return { address: DD_ADDRESS, apiKey: DD_API_KEY, appKey: DD_APP_KEY };
}

async function fromSecret(context: ProviderContext, namespace: string, name: string): Promise<Account | undefined> {
  const secret = await readSecret(context, { namespace, name });
  const apiKey = secret.get('api-key');
  const appKey = secret.get('app-key');
  return apiKey && appKey ? { address: secret.get('address') ?? '', apiKey, appKey } : undefined;
}

interface Question {
  readonly path: string;
  readonly method: string;
  readonly body?: string;
}

function questionV1({ query = '' }: DatadogMetric, from: number, to: number): Question {
  const parameters = new URLSearchParams({ from: String(from), query, to: String(to) });
  return { path: `/api/v1/query?${parameters}`, method: 'GET' };
}

function questionV2({ query, queries, formula, aggregator }: DatadogMetric, from: number, to: number): Question {
  const named = query ? { query } : (queries ?? {});
  const attributes = {
    from: from * 1000,
    to: to * 1000,
    queries: Object.entries(named).map(([name, text]) => ({
      aggregator: aggregator || 'last',
      data_source: 'metrics',
      name,
      query: text,
    })),
    formulas: formula ? [{ formula }] : [],
  };
  const body = JSON.stringify({ data: { attributes, type: 'scalar_request' } });
  return { path: '/api/v2/query/scalar', method: 'POST', body };
}

function checkStatus({ status, text }: HttpAnswer): void {
  const shown = text.slice(0, 1000);
  if (status === 401 || status === 403)
    throw badAnswer(`received authentication error response code: ${status} ${shown}`);
  if (status !== 200) throw badAnswer(`received non 2xx response code: ${status} ${shown}`);
}

function readingV1(text: string): Reading {
  const { series = [] } = parseJson(text) as { series?: { pointlist?: number[][] }[] };
  const point = series[0]?.pointlist?.at(-1);
  if (!point) return { value: goJson(series), result: null };
  if (point.length !== 2) throw badAnswer('Datapoint does not have 2 values');
  return { value: plainNumber(point[1] as number), result: point[1] };
}

function readingV2(text: string): Reading {
  const { data = {}, errors } = parseJson(text) as {
    data?: { attributes?: { columns?: DatadogColumn[] }; errors?: string };
    errors?: unknown;
  };
  const fault = data.errors || (errors ? JSON.stringify(errors) : '');
  if (fault) throw badAnswer(`There were errors in your query: ${fault}`);
  return columnsReading(data.attributes?.columns ?? []);
}
