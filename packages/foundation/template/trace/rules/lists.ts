import { isEmpty, textOf } from '../../fmt/convert.ts';
import { compareStrings } from '../../text/bytes.ts';
import { deepEqual } from '../../value/deep-equal.ts';
import type { TracedCall, TraceRule } from '../../value/trace/call.ts';
import { RopeSlicer, sliceOf, type Traced } from '../../value/trace/rope.ts';
import { elementsOf, entriesOf, integerOf, type Value } from '../../value/value.ts';
import { opaque } from './opaque.ts';

const itemsOf = (call: TracedCall, index: number): readonly Value[] => elementsOf(call.args[index]) ?? [];

/** States what the elements of a new list are made of. */
function fill(call: TracedCall, traces: readonly Traced[], list: Value = call.result): Traced {
  for (const [i, traced] of traces.entries()) if (traced) call.slots.put(list, i, traced);
  return undefined;
}

/** A list of the arguments. */
export const listed: TraceRule = (call) => fill(call, call.traces);

const all = (call: TracedCall, index: number): Traced[] => itemsOf(call, index).map((_, i) => call.child(index, i));

export const appended: TraceRule = (call) => fill(call, [...all(call, 0), call.traces[1]]);
export const prepended: TraceRule = (call) => fill(call, [call.traces[1], ...all(call, 0)]);
export const concatenated: TraceRule = (call) =>
  fill(
    call,
    call.args.flatMap((_, index) => all(call, index)),
  );

/** An element at an index that the list decides on. */
export const element =
  (at: (items: readonly Value[]) => number): TraceRule =>
  (call) =>
    call.child(0, at(itemsOf(call, 0)));

/** A list of elements of the first argument, in the order of their indexes. */
export const chosen =
  (choose: (items: readonly Value[], call: TracedCall) => readonly number[]): TraceRule =>
  (call) => {
    if (!elementsOf(call.args[0])) return opaque(call);
    return fill(
      call,
      choose(itemsOf(call, 0), call).map((index) => call.child(0, index)),
    );
  };

const indexes = (items: readonly Value[]): number[] => items.map((_, i) => i);

export const allButFirst = chosen((items) => indexes(items).slice(1));
export const allButLast = chosen((items) => indexes(items).slice(0, -1));
export const reversed = chosen((items) => indexes(items).reverse());
export const compacted = chosen((items) => indexes(items).filter((i) => !isEmpty(items[i])));
export const without = chosen((items, { args }) =>
  indexes(items).filter((i) => !args.slice(1).some((other) => deepEqual(items[i], other))),
);
export const unique = chosen((items) => {
  const seen: number[] = [];
  for (const i of indexes(items)) if (!seen.some((known) => deepEqual(items[i], items[known]))) seen.push(i);
  return seen;
});
export const sortedTexts = chosen((items) => {
  const texts = items.map(textOf);
  return indexes(items)
    .filter((i) => items[i] !== null && items[i] !== undefined)
    .sort((a, b) => compareStrings(texts[a] as string, texts[b] as string));
});
export const texts = chosen((items) => indexes(items).filter((i) => items[i] !== null && items[i] !== undefined));

/** `slice` of lists and, of Go's own, of texts. */
export const sliced: TraceRule = (call) => {
  const [value, from] = call.args;
  const start = from === undefined ? 0 : Number(integerOf(from) ?? 0n);
  if (typeof value === 'string') {
    const before = Buffer.from(value).subarray(0, start).toString().length;
    return sliceOf(call.traces[0], before, before + call.text.length);
  }
  const size = elementsOf(call.result)?.length ?? 0;
  return chosen(() => Array.from({ length: size }, (_, i) => start + i))(call);
};

/** `chunk`: a list of lists. */
export const chunked: TraceRule = (call) => {
  let at = 0;
  for (const list of elementsOf(call.result) ?? []) {
    const { length } = elementsOf(list) ?? [];
    fill(
      call,
      Array.from({ length }, (_, i) => call.child(1, at + i)),
      list,
    );
    at += length;
  }
  return undefined;
};

/** Pieces of a text that a separator held apart: a list, or a map whose values are in the order of the pieces. */
export const split =
  (index: number): TraceRule =>
  (call) => {
    const pieces = [...(entriesOf(call.result) ?? (elementsOf(call.result) ?? []).entries())] as [Value, string][];
    const separator = String(call.args[0]).length;
    const slicer = new RopeSlicer(call.traces[index]);
    let at = 0;
    for (const [key, piece] of pieces) {
      call.slots.put(call.result, key, slicer.slice(at, at + piece.length));
      at += piece.length + separator;
    }
    return undefined;
  };
