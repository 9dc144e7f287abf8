import { charge } from '../bounds/active-budget.ts';
import { elementsOf, entriesOf, GoFloat32, GoStruct, integerOf, isNil, stringOf, typeOf, type Value } from './value.ts';

/** reflect.DeepEqual: the types must be the same too. */
export function deepEqual(a: Value, b: Value): boolean {
  charge();
  if (a === b) return true;
  if (a === null || a === undefined || b === null || b === undefined) return (a ?? null) === (b ?? null);
  if (typeOf(a) !== typeOf(b)) return false;
  const integer = integerOf(a);
  if (integer !== undefined) return integer === integerOf(b);
  const text = stringOf(a);
  if (text !== undefined) return text === stringOf(b);
  if (a instanceof GoFloat32) return a.value === (b as GoFloat32).value;
  if (isNil(a) !== isNil(b)) return false;
  const items = elementsOf(a);
  if (items) {
    const others = elementsOf(b) as readonly Value[];
    return items.length === others.length && items.every((item, i) => deepEqual(item, others[i]));
  }
  const entries = a instanceof GoStruct ? a.fields : entriesOf(a);
  const others = b instanceof GoStruct ? b.fields : entriesOf(b);
  if (!entries || !others || entries.size !== others.size) return false;
  return [...entries].every(
    ([key, item]) => others.has(key as string) && deepEqual(item as Value, others.get(key as string) as Value),
  );
}
