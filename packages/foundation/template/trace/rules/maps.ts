import { textOf } from '../../fmt/convert.ts';
import type { TracedCall, TraceRule } from '../../value/trace/call.ts';
import { type Traced, wholeOf } from '../../value/trace/rope.ts';
import { elementsOf, entriesOf, GoMap, integerOf, stringOf, type Value } from '../../value/value.ts';
import { chosenOver } from './choices.ts';

/** `dict`. */
export const paired: TraceRule = (call) => {
  for (let i = 0; i < call.args.length; i += 2) {
    const [key, value] = [call.traces[i], call.traces[i + 1]];
    if (key || value) call.slots.put(call.result, textOf(call.args[i]), value, key);
  }
  return undefined;
};

const has = (call: TracedCall, index: number, key: Value): boolean => entriesOf(call.args[index])?.has(key) ?? false;

/** `get`. */
export const entry: TraceRule = (call) => (has(call, 0, call.args[1]) ? call.child(0, call.args[1]) : undefined);

/** `set`: the map itself. */
export const put: TraceRule = (call) => {
  call.slots.put(call.args[0], call.args[1], call.traces[2], call.traces[1]);
  return call.traces[0];
};

/** `unset`: the map itself. */
export const removed: TraceRule = (call) => {
  call.slots.remove(call.args[0], call.args[1]);
  return call.traces[0];
};

/** `pluck`: the values of a key in maps. */
export const plucked: TraceRule = (call) => {
  let at = 0;
  for (let i = 1; i < call.args.length; i++)
    if (has(call, i, call.args[0])) call.slots.put(call.result, at++, call.child(i, call.args[0]));
  return undefined;
};

/** `pick` and `omit`: a map that holds some of what another holds. */
export const reduced: TraceRule = (call) => {
  call.slots.copy(call.args[0], call.result, false);
  return call.traces[0];
};

/** `deepCopy`. */
export const copied: TraceRule = (call) => {
  call.slots.copy(call.args[0], call.result, true);
  return call.traces[0];
};

/** `keys`: names. */
export const names: TraceRule = (call) => {
  let at = 0;
  for (const [i, map] of call.args.entries())
    for (const key of [...(entriesOf(map)?.keys() ?? [])].sort())
      call.slots.put(call.result, at++, call.slots.key(map, call.traces[i], key));
  return undefined;
};

/** `values`, in the order of their names. */
export const contents: TraceRule = (call) => {
  const keys = [...(entriesOf(call.args[0])?.keys() ?? [])] as string[];
  for (const [i, key] of keys.sort((a, b) => (a < b ? -1 : 1)).entries())
    call.slots.put(call.result, i, call.child(0, key));
  return undefined;
};

/** `merge`: the function itself says what it moves. */
export const merged: TraceRule = (call) => {
  const [into] = call.args;
  return into instanceof GoMap && into.nil ? undefined : call.traces[0];
};

function contentOf(value: Value, step: Value): Value {
  const entries = entriesOf(value);
  if (entries) return entries.get(stringOf(step) ?? step);
  const at = integerOf(step);
  return at === undefined ? undefined : elementsOf(value)?.[Number(at)];
}

/** What a value holds under keys and indexes, one after another. */
function descend(call: TracedCall, index: number, steps: readonly Value[]): Traced {
  let [value, traced] = [call.args[index], call.traces[index]];
  for (const step of steps) {
    traced = typeof value === 'string' ? wholeOf(traced) : call.slots.get(value, traced, step);
    value = contentOf(value, step);
  }
  return traced;
}

/** `index`. */
export const indexed: TraceRule = (call) => descend(call, 0, call.args.slice(1));

/** `dig`. */
export const dug: TraceRule = (call) => {
  const map = call.args.length - 1;
  const keys = call.args.slice(0, -2);
  let value = call.args[map];
  for (const key of keys) {
    if (!entriesOf(value)?.has(key))
      return chosenOver(call.args[map - 1], call.traces[map - 1], [descend(call, map, keys)]);
    value = entriesOf(value)?.get(key);
  }
  return descend(call, map, keys);
};
