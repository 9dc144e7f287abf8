import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Metric } from '../model/types.ts';
import { ask, parseJson } from './http.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';

/** Asks Graphite's render API; the result is the list of the first target's values. */
export const graphite: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, { signal }: ProviderContext): Promise<Reading> {
  const { address = '', query: text = '' } = provider.graphite ?? {};
  const answer = await ask({ url: renderUrl(address, text), timeout: 10_000, signal });
  if (answer.status >= 400) throw badAnswer(`error response: ${answer.text.slice(0, 1000)}`);
  const targets = parseJson(answer.text) as { datapoints?: unknown[] }[];
  const points = targets[0]?.datapoints ?? [];
  if (points.length === 0) throw badAnswer('no values found');
  const values = points.map(pointValue).filter((value) => value !== undefined);
  return { value: `[${values.map((value) => value.toFixed(6)).join(',')}]`, result: values };
}

function renderUrl(address: string, text: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw misconfiguredProvider(`Graphite address ${address} is not a valid URL`);
  }
  url.pathname = `${url.pathname.replace(/(?<!\/)\/+$/, '')}/render`;
  const parameters = new URLSearchParams(text.replace(/\s+/g, ''));
  parameters.set('format', 'json');
  parameters.sort();
  url.search = parameters.toString();
  return url.toString();
}

/** The value of `[value, time]`; undefined where there is none. */
function pointValue(point: unknown): number | undefined {
  if (!Array.isArray(point) || point.length !== 2)
    throw badAnswer(`error unmarshaling data point: ${JSON.stringify(point)}`);
  const [value] = point;
  if (value === null) return undefined;
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number))
    throw badAnswer(`error unmarshaling value: ${JSON.stringify(value)}`);
  return number;
}
