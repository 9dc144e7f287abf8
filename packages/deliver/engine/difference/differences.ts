import type { KubeObject, ObjectType } from '@tiphys/kubernetes';
import { sameValue } from '@tiphys/kubernetes';
import { isObject } from '../model/fields.ts';
import type { Difference } from '../model/model.ts';
import { formatPath, managerOf, type Step } from './field-path.ts';
import { fieldTypeOf, keysOf } from './three-way.ts';

const limit = 200;

/** The fields in which the two differ, outermost first, at most 200. Items of keyed lists are compared with their like. */
export function differencesOf(live: KubeObject, predicted: KubeObject, type: ObjectType): Difference[] {
  const found: Difference[] = [];
  walk(live, predicted, type, [], (path, before, after) => {
    if (found.length >= limit) return;
    const manager = managerOf(live, path);
    found.push({ path: formatPath(path), live: before, desired: after, ...(manager ? { manager } : {}) });
  });
  return found;
}

type Report = (path: readonly Step[], live: unknown, predicted: unknown) => void;

function walk(live: unknown, predicted: unknown, type: ObjectType, path: readonly Step[], report: Report): void {
  if (live === predicted || sameValue(live, predicted)) return;
  if (isObject(live) && isObject(predicted)) {
    for (const name of new Set([...Object.keys(live), ...Object.keys(predicted)])) {
      walk(live[name], predicted[name], fieldTypeOf(type, name), [...path, name], report);
    }
    return;
  }
  if (Array.isArray(live) && Array.isArray(predicted) && walkList(live, predicted, type, path, report)) return;
  report(path, live, predicted);
}

function walkList(
  live: readonly unknown[],
  predicted: readonly unknown[],
  type: ObjectType,
  path: readonly Step[],
  report: Report,
): boolean {
  const list = type.list;
  const element = list?.element ?? type;
  if (list?.relationship === 'associative' && list.keys.length > 0) {
    const key = (item: unknown) => JSON.stringify(isObject(item) ? keysOf(item, list) : item);
    const before = new Map(live.map((item) => [key(item), item]));
    const after = new Map(predicted.map((item) => [key(item), item]));
    if (before.size !== live.length || after.size !== predicted.length) return false;
    const common = [...before.keys()].filter((id) => after.has(id));
    if (
      !sameValue(
        common,
        [...after.keys()].filter((id) => before.has(id)),
      )
    )
      return false;
    let index = 0;
    for (const [id, item] of after) {
      walk(
        before.get(id),
        item,
        element,
        [...path, { keys: isObject(item) ? keysOf(item, list) : {}, index: index++ }],
        report,
      );
    }
    index = 0;
    for (const [id, item] of before) {
      if (!after.has(id)) report([...path, { keys: isObject(item) ? keysOf(item, list) : {}, index }], item, undefined);
      index += 1;
    }
    return true;
  }
  if (live.length !== predicted.length) return false;
  for (const [index, item] of predicted.entries()) walk(live[index], item, element, [...path, index], report);
  return true;
}
