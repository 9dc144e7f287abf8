import { isSecretPath } from './request/request-path.ts';

const hidden = '(hidden)';
/** What is shorter says nothing, and would be found everywhere. */
const shortest = 3;

/**
 * The text of a refusal without what was sent of a Secret: the API server, or a webhook behind it, may repeat values, or the
 * part of the object where it could not go on. Other requests' answers stay as they are.
 */
export function withoutSecretValues(text: string, { path, body }: { path: string; body?: unknown }): string {
  if (!isSecretPath(path)) return text;
  const values = [...new Set(valuesOf(body))].sort((a, b) => b.length - a.length);
  const without = values.reduce(
    (left, value) => left.replaceAll(value, hidden).replaceAll(JSON.stringify(value).slice(1, -1), hidden),
    text,
  );
  return without
    .replace(/, error found in #\d+ byte of .*/s, endOf(text))
    .replace(/(Invalid value: )(\\"(?:[^\\"]|\\[^"])*\\"|"[^"]*")/g, `$1${hidden}`);
}

/** A JSON text that is cut off has to be closed, so that it is still one. */
function endOf(text: string): string {
  return text.startsWith('{') ? '"}' : '';
}

/** Every text of `data`, `stringData`, annotations and patches, plain and in base64. */
function valuesOf(body: unknown): string[] {
  if (typeof body === 'string') return body.length < shortest ? [] : [body, ...bothForms(body)];
  if (Array.isArray(body)) return body.flatMap(valuesOf);
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body).flatMap(([name, value]) => (named.has(name) ? [] : valuesOf(value)));
}

/** What a refusal has to be able to name. */
const named = new Set([
  'apiVersion',
  'kind',
  'type',
  'name',
  'namespace',
  'generateName',
  'resourceVersion',
  'uid',
  'op',
]);

function bothForms(value: string): string[] {
  const decoded = Buffer.from(value, 'base64').toString('utf8');
  return [Buffer.from(value).toString('base64'), decoded].filter(
    (form) => form.length >= shortest && !form.includes('\ufffd'),
  );
}
