import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { plainOf } from './plain.ts';
import { type Plain, type PlannedField, planOf, toWire } from './wire.ts';

type Json = Record<string, unknown>;
/** Gives others a turn. */
type Pause = () => Promise<void>;

/** Items of one list that are made without a break. */
const atOnce = 100;

/** As `plainOf`; between the parts of long lists of the message itself `pause` is awaited. */
export async function plainWithBreaks<D extends DescMessage>(
  desc: D,
  json: unknown,
  pause: Pause,
): Promise<Plain<MessageShape<D>>> {
  return inParts(desc, json, pause, { make: (part) => plainOf(desc, part), keyOf: ({ key }) => key });
}

/** As `toWire`; between the parts of long lists of the message itself `pause` is awaited. */
export async function toWireWithBreaks<D extends DescMessage>(
  desc: D,
  json: unknown,
  pause: Pause,
): Promise<MessageShape<D>> {
  return inParts(desc, json, pause, { make: (part) => toWire(desc, part), keyOf: ({ local }) => local });
}

interface Way<T> {
  readonly make: (json: unknown) => T;
  /** Of a field in what is made. */
  readonly keyOf: (field: PlannedField) => string;
}

async function inParts<T>(desc: DescMessage, json: unknown, pause: Pause, { make, keyOf }: Way<T>): Promise<T> {
  const whole = { ...(json as Json | undefined) };
  const long = planOf(desc).flatMap((field) => {
    const items: unknown = whole[field.key];
    return field.desc.fieldKind === 'list' && Array.isArray(items) && items.length > atOnce ? [{ field, items }] : [];
  });
  if (long.length === 0) return make(json);
  const without = { ...whole, ...Object.fromEntries(long.map(({ field }) => [field.key, undefined])) };
  const lists: Json = {};
  for (const { field, items } of long) {
    const made: unknown[] = [];
    for (let from = 0; from < items.length; from += atOnce) {
      if (from > 0) await pause();
      const part = make({ ...without, [field.key]: items.slice(from, from + atOnce) }) as Json;
      made.push(...(part[keyOf(field)] as unknown[]));
    }
    lists[keyOf(field)] = made;
  }
  // the first item holds the place of the list's key
  const first = Object.fromEntries(long.map(({ field, items }) => [field.key, items.slice(0, 1)]));
  return Object.assign(make({ ...whole, ...first }) as object, lists) as T;
}
