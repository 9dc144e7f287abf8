import { isDeepStrictEqual } from 'node:util';
import { type JsonValue, parseDocuments } from '@tiphys/yaml';

/** A text among the documents of a YAML file. */
export interface ValuePlace {
  /** Counted from 0. */
  readonly document: number;
  readonly path: readonly (string | number)[];
}

/** The values of a YAML text; none for what is no YAML, such as a template. */
export function documentsOf(text: string): readonly JsonValue[] {
  try {
    return parseDocuments(text).documents.map(({ value }) => value);
  } catch {
    return [];
  }
}

/** What is at a path of a value; undefined if there is nothing. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, step)
        ? (inner as Record<string | number, unknown>)[step]
        : undefined,
    value,
  );
}

/**
 * Gives a place another text and leaves everything else as it is, comments and style too. Undefined where that cannot be done on the
 * line that says it: what comes out is read again, and differs in that place alone.
 */
export function editValue(text: string, { document, path }: ValuePlace, value: string): string | undefined {
  const { documents } = parseDocuments(text);
  const found = documents[document];
  const before = valueAt(found?.value, path);
  if (!found || typeof before !== 'string') return undefined;
  const wanted = documents.map((each, index) => (index === document ? changed(each.value, path, value) : each.value));
  const lines = text.split('\n');
  const at = found.lineOf(path) - 1;
  const line = lines[at] ?? '';
  for (const old of quotedForms(before))
    for (let start = line.indexOf(old); start >= 0; start = line.indexOf(old, start + 1))
      for (const written of old === before ? [value, JSON.stringify(value)] : [quoted(value, old[0])]) {
        const edited = lines.with(at, line.slice(0, start) + written + line.slice(start + old.length)).join('\n');
        if (isDeepStrictEqual(documentsOf(edited), wanted)) return edited;
      }
  return undefined;
}

function quotedForms(text: string): readonly string[] {
  return [`"${text}"`, `'${text}'`, text];
}

function quoted(text: string, quote: string | undefined): string {
  return quote === "'" ? `'${text.replaceAll("'", "''")}'` : JSON.stringify(text);
}

function changed(value: JsonValue, [step, ...rest]: readonly (string | number)[], to: string): JsonValue {
  if (step === undefined) return to;
  if (Array.isArray(value)) return value.with(Number(step), changed(value[Number(step)] ?? null, rest, to));
  const inner = value as { readonly [key: string]: JsonValue };
  return { ...inner, [step]: changed(inner[step] ?? null, rest, to) };
}
