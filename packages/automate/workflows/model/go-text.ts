import type { AnyString, Item, Parameter } from './types.ts';

/** JSON as Go writes it: `<`, `>` and `&` escaped; keys of maps in order. */
export function goJson(value: unknown): string {
  return escaped(JSON.stringify(sorted(value)));
}

function escaped(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const sourceFields = 'path jsonPath jqFilter event parameter supplied configMapKeyRef default expression'.split(' ');

/** Parameters as `{{workflow.parameters}}` and `{{inputs.parameters}}` have them: fields in upstream's order, values as texts. */
export function parametersJson(parameters: readonly Parameter[] | undefined): string {
  const text = (value: AnyString | undefined) => (value === undefined ? undefined : anyText(value));
  const all = parameters?.map(
    ({ name, default: fallback, value, valueFrom, globalName, enum: choices, description }) => ({
      name,
      default: text(fallback),
      value: text(value),
      valueFrom:
        valueFrom &&
        Object.fromEntries(sourceFields.map((field) => [field, (valueFrom as Record<string, unknown>)[field]])),
      globalName,
      enum: choices?.map(anyText),
      description: text(description),
    }),
  );
  return escaped(JSON.stringify(all ?? null));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, field]) => field !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, field]) => [key, sorted(field)]),
  );
}

/** A parameter's value as text, whatever it was written as. */
export function anyText(value: AnyString): string {
  return String(value);
}

/** An item of a loop as it appears in names, or a field of it. */
export function itemText(item: Item): string {
  return typeof item === 'string' ? item : JSON.stringify(item);
}

/** An item as `{{item}}` has it: the fields of a map are in order, those of what is in it as they came. */
export function wholeItemText(item: Item): string {
  if (item === null || typeof item !== 'object') return itemText(item);
  const entries = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
  return escaped(JSON.stringify(Array.isArray(item) ? item : Object.fromEntries(entries)));
}
