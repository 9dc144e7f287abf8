import { sliceValue } from '../machine/indexing.ts';
import type { Machine } from '../machine/machine.ts';
import { quoted } from '../machine/text-of.ts';
import {
  JsonnetArray,
  JsonnetFunction,
  JsonnetObject,
  Lazy,
  lengthOf,
  type Slot,
  typeOf,
  type Value,
} from '../machine/values.ts';
import { arrayOf, booleanOf, functionOf, type Library, objectOf, textOf } from './native.ts';

const namesOf = (object: JsonnetObject, hidden: boolean): string[] =>
  hidden ? [...object.names().keys()] : object.visibleNames();

const field = (machine: Machine, object: JsonnetObject, name: string): Slot =>
  new Lazy(() => object.get(name, machine) as Value);

function has(object: JsonnetObject, name: string, hidden: boolean): boolean {
  const visible = object.names().get(name);
  return hidden ? visible !== undefined : visible === true;
}

function valuesOf(machine: Machine, slot: Slot, hidden: boolean): JsonnetArray {
  const object = objectOf(machine, slot);
  return machine.array(namesOf(object, hidden).map((name) => field(machine, object, name)));
}

function pairsOf(machine: Machine, slot: Slot, hidden: boolean): JsonnetArray {
  const object = objectOf(machine, slot);
  return machine.array(
    namesOf(object, hidden).map((name) =>
      JsonnetObject.of(
        [
          ['key', name],
          ['value', field(machine, object, name)],
        ],
        machine,
      ),
    ),
  );
}

/** RFC 7396. */
function mergePatch(machine: Machine, target: Value, patch: Value): Value {
  if (!(patch instanceof JsonnetObject)) return patch;
  machine.enter();
  const base = target instanceof JsonnetObject ? target : new JsonnetObject([]);
  const known = new Set(base.visibleNames());
  const fields = new Map<string, Slot>();
  for (const name of known) if (!has(patch, name, false)) fields.set(name, field(machine, base, name));
  for (const name of patch.visibleNames()) {
    const value = patch.get(name, machine) as Value;
    if (value === null) continue;
    fields.set(
      name,
      new Lazy(() => mergePatch(machine, known.has(name) ? (base.get(name, machine) as Value) : null, value)),
    );
  }
  machine.leave();
  return JsonnetObject.of(fields, machine);
}

function isContent(value: Value): boolean {
  if (value === null) return false;
  if (value instanceof JsonnetArray) return value.items.length > 0;
  return !(value instanceof JsonnetObject) || value.visibleNames().length > 0;
}

/** Without nulls, and what is empty without them. */
function prune(machine: Machine, value: Value): Value {
  machine.enter();
  let pruned = value;
  if (value instanceof JsonnetArray)
    pruned = machine.array(value.items.map((item) => prune(machine, machine.force(item))).filter(isContent));
  else if (value instanceof JsonnetObject) {
    const kept = value
      .visibleNames()
      .map((name) => [name, prune(machine, value.get(name, machine) as Value)] as const)
      .filter(([, child]) => isContent(child));
    pruned = JsonnetObject.of(kept, machine);
  }
  machine.leave();
  return pruned;
}

function sizeOf(machine: Machine, value: Value): number {
  if (typeof value === 'string') return lengthOf(value);
  if (value instanceof JsonnetArray) return value.items.length;
  if (value instanceof JsonnetObject) return value.visibleNames().length;
  if (value instanceof JsonnetFunction) return value.parameters.filter(({ optional }) => !optional).length;
  throw machine.fail(`Unexpected type ${typeOf(value)}`);
}

/** What the standard library does with objects, and with values of any type. */
export const objects: Library = {
  'id(x)': (machine, x) => machine.force(x),
  'type(x)': (machine, x) => typeOf(machine.force(x)),
  'isString(v)': (machine, x) => typeof machine.force(x) === 'string',
  'isNumber(v)': (machine, x) => typeof machine.force(x) === 'number',
  'isBoolean(v)': (machine, x) => typeof machine.force(x) === 'boolean',
  'isObject(v)': (machine, x) => machine.force(x) instanceof JsonnetObject,
  'isArray(v)': (machine, x) => machine.force(x) instanceof JsonnetArray,
  'isFunction(v)': (machine, x) => machine.force(x) instanceof JsonnetFunction,
  'length(x)': (machine, x) => sizeOf(machine, machine.force(x)),
  'equals(x, y)': (machine, x, y) => machine.equals(machine.force(x), machine.force(y)),
  'primitiveEquals(x, y)': (machine, x, y) => {
    const [a, b] = [machine.force(x), machine.force(y)];
    if (typeOf(a) === typeOf(b) && typeof a === 'object' && a !== null)
      throw machine.fail(`primitiveEquals operates on primitive types, got ${typeOf(a)}`);
    return machine.equals(a, b);
  },
  '__compare(v1, v2)': (machine, x, y) => Math.sign(machine.compare(machine.force(x), machine.force(y))),
  '__compare_array(arr1, arr2)': (machine, x, y) => Math.sign(machine.compare(machine.force(x), machine.force(y))),
  '__array_less(arr1, arr2)': (machine, x, y) => machine.compare(machine.force(x), machine.force(y)) < 0,
  '__array_greater(arr1, arr2)': (machine, x, y) => machine.compare(machine.force(x), machine.force(y)) > 0,
  '__array_less_or_equal(arr1, arr2)': (machine, x, y) => machine.compare(machine.force(x), machine.force(y)) <= 0,
  '__array_greater_or_equal(arr1, arr2)': (machine, x, y) => machine.compare(machine.force(x), machine.force(y)) >= 0,
  'assertEqual(a, b)': (machine, x, y) => {
    const [a, b] = [machine.force(x), machine.force(y)];
    if (machine.equals(a, b)) return true;
    const shown = (value: Value) => (typeof value === 'string' ? quoted(value) : machine.toText(value));
    throw machine.fail(`Assertion failed. ${shown(a)} != ${shown(b)}`);
  },
  'slice(indexable, index, end, step)': (machine, target, from, to, step) =>
    sliceValue(machine, machine.force(target), [machine.force(from), machine.force(to), machine.force(step)]),
  'objectFieldsEx(obj, hidden)': (machine, object, hidden) =>
    machine.array(namesOf(objectOf(machine, object), booleanOf(machine, hidden))),
  'objectFields(o)': (machine, object) => machine.array(namesOf(objectOf(machine, object), false)),
  'objectFieldsAll(o)': (machine, object) => machine.array(namesOf(objectOf(machine, object), true)),
  'objectHasEx(obj, fname, hidden)': (machine, object, name, hidden) =>
    has(objectOf(machine, object), textOf(machine, name), booleanOf(machine, hidden)),
  'objectHas(o, f)': (machine, object, name) => has(objectOf(machine, object), textOf(machine, name), false),
  'objectHasAll(o, f)': (machine, object, name) => has(objectOf(machine, object), textOf(machine, name), true),
  'objectValues(o)': (machine, object) => valuesOf(machine, object, false),
  'objectValuesAll(o)': (machine, object) => valuesOf(machine, object, true),
  'objectKeysValues(o)': (machine, object) => pairsOf(machine, object, false),
  'objectKeysValuesAll(o)': (machine, object) => pairsOf(machine, object, true),
  'objectRemoveKey(obj, key)': (machine, slot, key) => {
    const [object, without] = [objectOf(machine, slot), textOf(machine, key)];
    const layers = object.layers.map((layer) => ({
      ...layer,
      fields: new Map([...layer.fields].filter(([name]) => name !== without)),
    }));
    return new JsonnetObject(layers);
  },
  'get(o, f, default=null, inc_hidden=true)': (machine, slot, name, fallback, hidden) => {
    const [object, wanted] = [objectOf(machine, slot), textOf(machine, name)];
    if (!has(object, wanted, booleanOf(machine, hidden))) return machine.force(fallback);
    return object.get(wanted, machine) as Value;
  },
  'mapWithKey(func, obj)': (machine, make, slot) => {
    const [called, object] = [functionOf(machine, make), objectOf(machine, slot)];
    return JsonnetObject.of(
      object
        .visibleNames()
        .map((name) => [name, new Lazy(() => machine.call(called, [name, field(machine, object, name)]))] as const),
      machine,
    );
  },
  'mergePatch(target, patch)': (machine, target, patch) =>
    mergePatch(machine, machine.force(target), machine.force(patch)),
  'prune(a)': (machine, value) => prune(machine, machine.force(value)),
  '$objectFlatMerge(objs)': (machine, list) =>
    new JsonnetObject(arrayOf(machine, list).flatMap((item) => [...objectOf(machine, item).layers])),
  '$flatMapArray(func, arr)': (machine, make, list) => {
    const called = functionOf(machine, make);
    return machine.array(arrayOf(machine, list).flatMap((item) => [...arrayOf(machine, machine.call(called, [item]))]));
  },
};
