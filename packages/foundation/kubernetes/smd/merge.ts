import type { ListType, ObjectType } from '../schema/object-type.ts';
import { formsOf, isLeafIn } from './compare.ts';
import { describeElement, type PathElement } from './path-element.ts';
import { fieldType, isFields, itemElement, TypedValueError } from './typed-value.ts';

/**
 * The live object with the applied one laid over it: the applied value wins at every leaf, nothing is removed. Items of
 * associative lists are merged by identity: the applied order counts, items that only the live list has keep their place
 * among them. Neither object is changed; the result shares parts with both.
 */
export function mergeObjects<T>(live: T, applied: T, type: ObjectType): T {
  return merge(live, applied, type) as T;
}

function merge(live: unknown, applied: unknown, type: ObjectType | undefined): unknown {
  if (live === undefined) return applied;
  if (applied === undefined) return live;
  if (!type) return applied;
  const form = formsOf(live, applied, type).at(-1) ?? 'scalar';
  if (isLeafIn(form, live, applied, type)) return applied;
  if (form === 'map') return mergeFields(live, applied, type);
  return type.list ? mergeItems(live, applied, type.list) : applied;
}

function mergeFields(live: unknown, applied: unknown, type: ObjectType): unknown {
  const left = isFields(live) ? live : {};
  const right = isFields(applied) ? applied : {};
  const result: Record<string, unknown> = { ...left };
  for (const name of Object.keys(right)) {
    if (name === '__proto__') continue; // assigning it would change the prototype; no kind has such a field
    result[name] = merge(left[name], right[name], fieldType(type, name));
  }
  return result;
}

function mergeItems(live: unknown, applied: unknown, list: ListType): unknown[] {
  const liveItems = Array.isArray(live) ? (live as unknown[]) : [];
  const liveElements = liveItems.map((item) => itemElement(list, item));
  const byElement = new Map<PathElement, unknown>();
  // what the live list has twice cannot be merged with anything: the applied item replaces it
  liveElements.forEach((element, index) => {
    byElement.set(element, byElement.has(element) ? null : liveItems[index]);
  });
  const appliedItems = new Map<PathElement, unknown>();
  for (const item of Array.isArray(applied) ? (applied as unknown[]) : []) {
    const element = itemElement(list, item);
    if (appliedItems.has(element)) throw new TypedValueError(`duplicate entries for key ${describeElement(element)}`);
    appliedItems.set(element, item);
  }
  return mergedOrder(liveElements, [...appliedItems.keys()]).map((place) =>
    typeof place === 'number' ? liveItems[place] : merge(byElement.get(place), appliedItems.get(place), list.element),
  );
}

/** The order of a merged list: an applied item by its element, an item of the live list alone by its index there. */
function mergedOrder(live: readonly PathElement[], applied: readonly PathElement[]): (PathElement | number)[] {
  const inLive = new Set(live);
  const inApplied = new Set(applied);
  const shared = applied.filter((element) => inLive.has(element));
  const done = new Set<PathElement>();
  const order: (PathElement | number)[] = [];
  let at = 0;
  let next = 0;
  const take = (element: PathElement) => {
    order.push(element);
    done.add(element);
    next++;
    if (shared[0] === element) shared.shift();
  };
  while (at < live.length || next < applied.length) {
    const ours = live[at];
    const theirs = applied[next];
    if (ours !== undefined && theirs !== undefined) {
      if (ours === theirs) {
        take(theirs);
        at++;
        continue;
      }
      // a shared item whose turn in the applied order has not come is left for later
      if (inApplied.has(ours) && shared[0] !== undefined && shared[0] !== ours) {
        at++;
        continue;
      }
    }
    if (ours !== undefined && !inApplied.has(ours)) {
      order.push(at++);
      continue;
    }
    if (ours !== undefined && done.has(ours)) at++;
    if (theirs !== undefined) take(theirs);
  }
  return order;
}
