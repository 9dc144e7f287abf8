import type { Value, ValueMap } from '@tiphys/template';
import { lineOf, quickRead, type ReadOptions, type Shape, type Wanted, YamlReader } from '@tiphys/yaml';
import { mergeMaps } from './value-tables.ts';

/** YAML as template values: numbers are float64, as they are after Helm's way through JSON. */
export const valueShape: Shape<Value, ValueMap> = {
  map: () => new Map(),
  set: (map, key, value) => map.set(key, value),
  list: (items) => items,
  scalar: (value) => (typeof value === 'bigint' ? Number(value) : value),
};

/**
 * The value of the first document of a text; null if it is empty. With `wanted`, all of it is checked, and only what is
 * wanted of tables need be there. Throws `YamlError`.
 */
export function readYaml(text: string, options: ReadOptions = {}, wanted?: Wanted): Value {
  const quick = options.limits ? undefined : quickRead(text, valueShape, wanted);
  if (quick) return quick.value;
  const reader = new YamlReader(text, options);
  for (const document of reader.documents()) return reader.decode(document, valueShape);
  return null;
}

/** Tells what type JSON has for a value, as Go's decoder says it. */
export function jsonTypeOf(value: Value): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? 'array' : 'object';
}

/** Raised for values that are not a table. */
export class ValuesShapeError extends Error {}

export interface LoadedValues {
  readonly values: ValueMap;
  /** 1-based line of the key at a path, or 0 if no document has it. */
  lineOf(path: readonly (string | number)[]): number;
}

/** A values file: its documents are merged. Throws `YamlError` or `ValuesShapeError`, both without Helm's prefix. */
export function loadValues(text: string, options: ReadOptions = {}): LoadedValues {
  let values: ValueMap = new Map();
  const parts: { offset: number; text: string; map: ValueMap }[] = [];
  for (const { text: part, line } of splitDocuments(text)) {
    const value = readYaml(part, options);
    if (value === null) continue;
    if (!(value instanceof Map)) {
      throw new ValuesShapeError(
        `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type map[string]interface {}`,
      );
    }
    const map = value as ValueMap;
    parts.push({ offset: line - 1, text: part, map });
    values = values.size === 0 ? map : mergeMaps(values, map);
  }
  return {
    values,
    lineOf(path) {
      for (const { offset, text: part, map } of parts.toReversed()) {
        if (!has(map, path)) continue;
        for (const document of new YamlReader(part, options).documents()) return lineOf(document, path) + offset;
      }
      return 0;
    },
  };
}

function has(value: Value, path: readonly (string | number)[]): boolean {
  let node: Value = value;
  for (const step of path) {
    if (node instanceof Map) {
      if (!(node as ValueMap).has(String(step))) return false;
      node = (node as ValueMap).get(String(step)) as Value;
    } else if (Array.isArray(node)) {
      if (Number(step) >= node.length) return false;
      node = node[Number(step)];
    } else return false;
  }
  return true;
}

/** Cuts at lines of `---`, by text alone, as Kubernetes' YAMLReader does. */
function splitDocuments(text: string): { text: string; line: number }[] {
  if (!text.includes('---')) return text === '' ? [] : [{ text, line: 1 }];
  const parts: { text: string; line: number }[] = [];
  let from = 0;
  let fromLine = 1;
  let line = 0;
  for (let at = 0; at < text.length; ) {
    let end = text.indexOf('\n', at);
    end = end < 0 ? text.length : end + 1;
    line++;
    if (text.startsWith('---', at)) {
      const rest = text.slice(at + 3, end).trim();
      if ((rest === '' || rest.startsWith('#')) && at > from) {
        parts.push({ text: text.slice(from, at), line: fromLine });
        from = end;
        fromLine = line + 1;
      }
    }
    at = end;
  }
  if (from < text.length) parts.push({ text: text.slice(from), line: fromLine });
  return parts;
}
