import { goValue, sprintf } from '@tiphys/template';
import { isRecord, newParams, type Params } from './params.ts';

/** Nested values as one level of paths with dots; lists by index. Empty maps and lists leave nothing. */
export function flatten(value: Readonly<Params>): Params {
  const flat = newParams();
  const walk = (prefix: string, item: unknown) => {
    if (isRecord(item) || Array.isArray(item)) {
      for (const [key, member] of Object.entries(item)) walk(prefix === '' ? key : `${prefix}.${key}`, member);
    } else flat[prefix] = item;
  };
  for (const [key, item] of Object.entries(value)) walk(key, item);
  return flat;
}

/** The same with all values as texts. */
export function flattenToText(value: Readonly<Params>): Record<string, string> {
  const texts = newParams();
  for (const [key, item] of Object.entries(flatten(value))) texts[key] = goText(item);
  return texts as Record<string, string>;
}

/** A value as Go's `%v` prints it. */
export function goText(value: unknown): string {
  if (typeof value === 'string') return value;
  return sprintf('%v', [goValue(value)]);
}
