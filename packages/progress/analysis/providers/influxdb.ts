import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Metric } from '../model/types.ts';
import { goText } from './go-format.ts';
import { ask } from './http.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';
import { readSecret } from './secrets.ts';

/** Asks InfluxDB 2 by Flux with the profile's Secret; the result is the list of `_value` of all records. */
export const influxdb: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, context: ProviderContext): Promise<Reading> {
  const { profile, query: text = '' } = provider.influxdb ?? {};
  const secret = await readSecret(context, { namespace: context.namespace, name: profile || 'influxdb' });
  const token = secret.get('authToken');
  const org = secret.get('org');
  const address = secret.get('address');
  if (!token || !org || !address) throw misconfiguredProvider('authToken, org, or address not found');
  const answer = await ask({
    url: `${address.replace(/(?<!\/)\/+$/, '')}/api/v2/query?${new URLSearchParams({ org })}`,
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json', accept: 'text/csv' },
    body: JSON.stringify({
      query: text,
      type: 'flux',
      dialect: { annotations: ['datatype', 'group', 'default'], delimiter: ',', header: true },
    }),
    timeout: 30_000,
    signal: context.signal,
  });
  if (answer.status < 200 || answer.status >= 300)
    throw badAnswer(`InfluxDB answered ${answer.status}: ${answer.text.slice(0, 1000)}`);
  const values = fluxValues(answer.text);
  if (values.length === 0) throw badAnswer('no results returned from flux query');
  return { value: goText(values), result: values };
}

/** `_value` of every record of Flux's annotated CSV. */
export function fluxValues(text: string): unknown[] {
  const values: unknown[] = [];
  let types: readonly string[] = [];
  let defaults: readonly string[] = [];
  let names: readonly string[] | undefined;
  for (const row of csvRows(text)) {
    if (row.length <= 1) continue;
    const [annotation = ''] = row;
    if (annotation === '#datatype') {
      types = row;
      names = undefined;
    } else if (annotation === '#default') defaults = row;
    else if (annotation.startsWith('#')) continue;
    else if (!names) {
      names = row;
      if (row[1] === 'error') throw badAnswer('InfluxDB answered with an error table: see its log for the query');
    } else {
      const column = names.indexOf('_value');
      if (column >= 0) values.push(typed(row[column] || defaults[column] || '', types[column] ?? 'string'));
    }
  }
  return values;
}

function typed(text: string, type: string): unknown {
  if (text === '' && type !== 'string') return null;
  switch (type) {
    case 'double':
    case 'long':
    case 'unsignedLong':
      return Number(text);
    case 'boolean':
      return text === 'true';
    default:
      return text;
  }
}

function* csvRows(text: string): Iterable<string[]> {
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = takeCell(text, at);
    row.push(cell.text);
    at = cell.end;
    if (text[at] === ',') {
      at += 1;
      continue;
    }
    yield row;
    row = [];
    while (text[at] === '\r' || text[at] === '\n') at += 1;
  }
  if (row.length > 0) yield row;
}

/** The cell that begins at `at`; its end is at the comma or the end of the line. */
function takeCell(text: string, at: number): { text: string; end: number } {
  if (text[at] !== '"') {
    let end = at;
    while (end < text.length && !',\r\n'.includes(text[end] as string)) end += 1;
    return { text: text.slice(at, end), end };
  }
  let cell = '';
  let end = at + 1;
  for (; end < text.length; end += 1) {
    if (text[end] !== '"') cell += text[end];
    else if (text[end + 1] === '"') {
      cell += '"';
      end += 1;
    } else break;
  }
  return { text: cell, end: end + 1 };
}
