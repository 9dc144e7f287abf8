import type { KubeObject, ObjectType } from '@tiphys/kubernetes';
import { sameValue } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../model/fields.ts';
import type { Difference, GeneratedField } from '../model/model.ts';
import { isSecret } from '../model/secret-mask.ts';
import { typeOf } from './compare-object.ts';
import { formatPath, type Step } from './field-path.ts';
import { fieldTypeOf, keysOf } from './three-way.ts';

/** The desired object with the generated values that live holds, and what they were to be. */
export interface LiveGenerated {
  readonly object: KubeObject;
  /** Values are hidden: most are secrets. Empty if live holds what is desired. */
  readonly noise: readonly Difference[];
}

/**
 * Puts live values in place of desired ones where both were generated: what remains different is a change. A field that live
 * does not have is no noise, nor is one whose text differs around what was generated. Neither object is changed.
 */
export function withLiveGenerated(
  desired: KubeObject,
  live: KubeObject,
  fields: readonly GeneratedField[],
): LiveGenerated {
  const { type } = typeOf(desired);
  const noise: Difference[] = [];
  let object: KubeObject | undefined;
  for (const field of fields) {
    const [first, name] = field.path;
    const plain = isSecret(desired) && first === 'stringData' && typeof name === 'string';
    const found = plain ? secretText(live, name) : liveValue(desired, live, field.path, type);
    const wanted = valueAt(desired, field.path);
    if (!found || isObject(found.value) || Array.isArray(found.value) || sameValue(found.value, wanted)) continue;
    if (!sameAround(found.value, field)) continue;
    object ??= structuredClone(desired);
    put(object, field.path, found.value);
    noise.push({
      path: formatPath(plain ? ['data', name] : found.path),
      live: '++++++++',
      desired: '++++++++++++',
    });
  }
  return { object: object ?? desired, noise };
}

interface Found {
  readonly value: unknown;
  readonly path: readonly Step[];
}

/** What `stringData` became. */
function secretText(live: KubeObject, name: string): Found | undefined {
  const data = live['data'];
  const encoded = isObject(data) ? data[name] : undefined;
  if (typeof encoded !== 'string') return undefined;
  return { value: Buffer.from(encoded, 'base64').toString('utf8'), path: [] };
}

/** The live value at a desired path; items of keyed lists are found by their keys. */
function liveValue(
  desired: unknown,
  live: unknown,
  [step, ...rest]: readonly (string | number)[],
  type: ObjectType,
): Found | undefined {
  if (live === undefined || live === null) return undefined;
  if (step === undefined) return { value: live, path: [] };
  if (typeof step === 'string') {
    if (!isObject(desired) || !isObject(live)) return undefined;
    return below(step, liveValue(desired[step], live[step], rest, fieldTypeOf(type, step)));
  }
  if (!Array.isArray(desired) || !Array.isArray(live)) return undefined;
  const list = type.list;
  const element = list?.element ?? type;
  if (list?.relationship === 'associative' && list.keys.length > 0) {
    const wanted = keysOf(desired[step] as JsonObject, list);
    const index = live.findIndex((item) => isObject(item) && sameValue(keysOf(item, list), wanted));
    return index < 0 ? undefined : below({ keys: wanted, index }, liveValue(desired[step], live[index], rest, element));
  }
  if (desired.length !== live.length) return undefined;
  return below(step, liveValue(desired[step], live[step], rest, element));
}

function below(step: Step, found: Found | undefined): Found | undefined {
  return found && { value: found.value, path: [step, ...found.path] };
}

function valueAt(object: unknown, path: readonly (string | number)[]): unknown {
  let value = object;
  for (const step of path) value = (value as JsonObject | undefined)?.[step];
  return value;
}

function put(object: unknown, path: readonly (string | number)[], value: unknown): void {
  const parent = valueAt(object, path.slice(0, -1)) as JsonObject;
  parent[path.at(-1) as string] = value;
}

/** Whether a live text is the desired one but for what was generated. */
function sameAround(live: unknown, { literals, base64 }: GeneratedField): boolean {
  if (!literals) return true;
  if (typeof live !== 'string') return false;
  const text = base64 ? Buffer.from(live, 'base64').toString('utf8') : live;
  const [first = '', ...others] = literals;
  const last = others.pop() ?? '';
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const literal of others) {
    const found = text.indexOf(literal, at);
    if (found < 0) return false;
    at = found + literal.length;
  }
  return at <= end;
}
