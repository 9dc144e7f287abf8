import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Metric } from '../model/types.ts';
import { goJson } from './go-format.ts';
import { ask, parseJson } from './http.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';
import { readSecret } from './secrets.ts';

const hosts: ReadonlyMap<string, string> = new Map([
  ['us', 'https://api.newrelic.com/graphql'],
  ['eu', 'https://api.eu.newrelic.com/graphql'],
  ['staging', 'https://staging-api.newrelic.com/graphql'],
]);

const document =
  'query ($query: Nrql!, $accountId: Int!, $timeout: Seconds!) ' +
  '{ actor { account(id: $accountId) { nrql(query: $query, timeout: $timeout) { results } } } }';

/** Asks New Relic by NRQL with the profile's Secret; the result is one row, or the list of rows. */
export const newRelic: QueryProvider = {
  kind: 'query',
  query,
  metadata: ({ provider }): Record<string, string> =>
    provider.newRelic?.query ? { ResolvedNewRelicQuery: provider.newRelic.query } : {},
};

async function query({ provider }: Metric, context: ProviderContext): Promise<Reading> {
  const { profile, query: text = '', timeout = 5 } = provider.newRelic ?? {};
  if (timeout < 0) throw misconfiguredProvider('timeout value needs to be a positive value');
  const account = await readAccount(context, profile || 'newrelic');
  const answer = await ask({
    url: account.url,
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': account.key },
    body: JSON.stringify({ query: document, variables: { accountId: account.id, query: text, timeout } }),
    timeout: 30_000,
    signal: context.signal,
  });
  if (answer.status !== 200) throw badAnswer(`${answer.status} response returned: ${answer.text.slice(0, 1000)}`);
  return reading(parseJson(answer.text));
}

async function readAccount(context: ProviderContext, name: string): Promise<{ id: number; key: string; url: string }> {
  const secret = await readSecret(context, { namespace: context.namespace, name });
  const key = secret.get('personal-api-key');
  const id = secret.get('account-id');
  if (!key || !id) throw misconfiguredProvider('account ID or personal API key not found');
  if (!/^\d+$/.test(id)) throw misconfiguredProvider(`could not parse account ID: ${JSON.stringify(id)} is no number`);
  const region = (secret.get('region') ?? 'us').toLowerCase();
  const url = secret.get('base-url-nerdgraph') ?? hosts.get(region);
  if (url === undefined)
    throw misconfiguredProvider(`region ${JSON.stringify(region)} is not known: use us, eu or staging`);
  return { id: Number(id), key, url };
}

interface Answer {
  data?: { actor?: { account?: { nrql?: { results?: Record<string, unknown>[] } } } };
  errors?: { message?: string }[];
}

function reading(answer: unknown): Reading {
  const { data, errors = [] } = answer as Answer;
  if (errors.length > 0) throw badAnswer(errors.map(({ message }) => message).join(', '));
  const results = data?.actor?.account?.nrql?.results ?? [];
  const [first] = results;
  if (!first || (results.length === 1 && Object.keys(first).length === 0))
    throw badAnswer('no results returned from NRQL query');
  const result = results.length === 1 ? first : results;
  return { value: goJson(result), result };
}
