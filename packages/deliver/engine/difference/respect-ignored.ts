import type { KubeObject, ObjectType } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../model/fields.ts';
import { typeOf } from './compare-object.ts';
import type { Ignore } from './ignore-rules.ts';
import { fieldTypeOf, keysOf } from './three-way.ts';

/**
 * The desired object with every ignored field set to its live value, so that applying it leaves them alone. Status is
 * never copied: it belongs to the object's own controller.
 */
export function respectIgnored(desired: KubeObject, live: KubeObject, ignore: Ignore): KubeObject {
  const { status: _, ...source } = live;
  const kept = structuredClone(desired);
  ignore(kept, live);
  const without = structuredClone(source) as KubeObject;
  ignore(without, live);
  return restore(kept, source, without, typeOf(desired).type) as KubeObject;
}

/** Adds to `kept` what `live` has and `without` has not. */
function restore(kept: unknown, live: unknown, without: unknown, type: ObjectType): unknown {
  if (isObject(live) && isObject(without)) {
    const result: JsonObject = isObject(kept) ? { ...kept } : {};
    for (const [name, value] of Object.entries(live)) {
      if (!Object.hasOwn(without, name)) result[name] = value;
      else if (isObject(kept) && Object.hasOwn(kept, name))
        result[name] = restore(kept[name], value, without[name], fieldTypeOf(type, name));
    }
    return result;
  }
  if (Array.isArray(live) && Array.isArray(without) && Array.isArray(kept))
    return restoreItems(kept, live, without, type);
  return kept;
}

function restoreItems(
  kept: readonly unknown[],
  live: readonly unknown[],
  without: readonly unknown[],
  type: ObjectType,
): unknown[] {
  const list = type.list;
  const element = list?.element ?? type;
  if (list?.relationship === 'associative' && list.keys.length > 0) {
    const key = (item: unknown) => JSON.stringify(isObject(item) ? keysOf(item, list) : item);
    const lives = new Map(live.map((item) => [key(item), item]));
    const withouts = new Map(without.map((item) => [key(item), item]));
    const items = kept.map((item) =>
      withouts.has(key(item)) ? restore(item, lives.get(key(item)), withouts.get(key(item)), element) : item,
    );
    const present = new Set(kept.map(key));
    return [...items, ...live.filter((item) => !withouts.has(key(item)) && !present.has(key(item)))];
  }
  if (live.length === without.length && kept.length === live.length)
    return kept.map((item, index) => restore(item, live[index], without[index], element));
  return [...kept];
}
