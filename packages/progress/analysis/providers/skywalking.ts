import { requireDuration } from '../decisions/duration.ts';
import { badAnswer } from '../model/failures.ts';
import type { Metric } from '../model/types.ts';
import { goJson } from './go-format.ts';
import { ask, parseJson } from './http.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';

/** Asks SkyWalking's GraphQL for the last `interval`; the result is the answer's `data`. */
export const skywalking: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, { signal, clock }: ProviderContext): Promise<Reading> {
  const { address = '', query: text = '', interval = '' } = provider.skywalking ?? {};
  const end = clock.now();
  const duration = { start: minute(end - requireDuration(interval)), end: minute(end), step: 'MINUTE' };
  const answer = await ask({
    url: `${address}/graphql`,
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', accept: 'application/json; charset=utf-8' },
    body: JSON.stringify({ query: text, variables: { duration } }),
    timeout: 30_000,
    signal,
  });
  const { data = null, errors = [] } = parseJson(answer.text, 'decoding response') as {
    data?: unknown;
    errors?: { message?: string }[];
  };
  if (errors[0]) throw badAnswer(`graphql: ${errors[0].message}`);
  if (answer.status !== 200) throw badAnswer(`graphql: server returned a non-200 status code: ${answer.status}`);
  if (data === null) throw badAnswer('no results returned from SkyWalking query');
  return { value: goJson(data), result: data };
}

/** `2006-01-02 1504`, as SkyWalking wants times with steps of a minute. */
function minute(time: number): string {
  const [date, clock = ''] = new Date(time).toISOString().split('T');
  return `${date} ${clock.slice(0, 2)}${clock.slice(3, 5)}`;
}
