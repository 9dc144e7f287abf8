import type { ObjectType } from '../schema/object-type.ts';
import { FieldSet } from './field-set.ts';
import type { PathElement } from './path-element.ts';

const checked = new WeakMap<ObjectType, WeakMap<FieldSet, FieldSet>>();

/**
 * The set as it must be for the schema of today: what was owned inside of a container that has become atomic is owned as
 * the container. The change from atomic to granular needs nothing.
 */
export function reconcileWithSchema(set: FieldSet, type: ObjectType): FieldSet {
  let results = checked.get(type);
  if (!results) {
    results = new WeakMap();
    checked.set(type, results);
  }
  let result = results.get(set);
  if (!result) {
    const collapsed = new FieldSet();
    visit(set, type, false, [], collapsed);
    result = collapsed.isEmpty ? set : set.recursiveDifference(collapsed).union(collapsed);
    results.set(set, result);
  }
  return result;
}

function visit(
  set: FieldSet | undefined,
  type: ObjectType,
  isLeaf: boolean,
  path: PathElement[],
  collapsed: FieldSet,
): void {
  const map = type.map;
  if (map) {
    const isDeduced = map.fields.size === 0 && map.element?.scalar === 'untyped';
    if (isDeduced) return;
    if (!isLeaf && map.relationship === 'atomic') {
      if (set && !set.isEmpty) collapsed.insert(path);
      return;
    }
  } else if (type.scalar || !type.list) {
    return;
  } else if (!isLeaf && type.list.relationship === 'atomic') {
    collapsed.insert(path);
    return;
  }
  if (!set) return;
  for (const { element, member, below } of set.elements()) {
    const field = element.startsWith('f:') ? map?.fields.get(element.slice(2))?.type : undefined;
    const inner = map ? (field ?? map.element) : type.list?.element;
    if (!inner) continue;
    path.push(element);
    visit(below, inner, member && !below, path, collapsed);
    path.pop();
  }
}
