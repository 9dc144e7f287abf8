import { goQuote } from '@tiphys/go';
import { textOf } from '../../fmt/convert.ts';
import { formatValue } from '../../fmt/format-value.ts';
import { sprintf } from '../../fmt/sprintf.ts';
import type { TracedCall, TraceRule } from '../../value/trace/call.ts';
import { Rope, RopeReader, sliceOf, type Traced, throughOf, wholeOf } from '../../value/trace/rope.ts';
import { elementsOf, integerOf, type Value } from '../../value/value.ts';
import { opaque } from './opaque.ts';

/** The argument itself. */
export const same =
  (index: number): TraceRule =>
  (call) =>
    call.traces[index];

const textArgument = (call: TracedCall, index: number): string => String(call.args[index]);

/** The text of a value inside of another text. */
function addPart(rope: Rope, call: TracedCall, index: number, text: string): void {
  rope.add(typeof call.args[index] === 'string' ? call.traces[index] : call.whole(index), text.length);
}

/** The beginning of a text. */
export const head =
  (index: number): TraceRule =>
  (call) =>
    sliceOf(call.traces[index], 0, call.text.length);

/** The end of a text. */
export const tail =
  (index: number): TraceRule =>
  (call) => {
    const { length } = textArgument(call, index);
    return sliceOf(call.traces[index], length - call.text.length, length);
  };

/** What is left of a text after characters were cut from both ends. */
export const middle =
  (index: number): TraceRule =>
  (call) => {
    // What was cut does not hold the first character that was left.
    const from = textArgument(call, index).indexOf(call.text);
    return from < 0 ? wholeOf(call.traces[index]) : sliceOf(call.traces[index], from, from + call.text.length);
  };

/** `trunc`: its count may be from the end. */
export const truncated: TraceRule = (call) => ((integerOf(call.args[0]) ?? 0n) < 0n ? tail(1)(call) : head(1)(call));

/** A part of a text that begins behind what a function of the arguments gives. */
export const part =
  (index: number, before: (call: TracedCall) => string): TraceRule =>
  (call) => {
    const from = before(call).length;
    return sliceOf(call.traces[index], from, from + call.text.length);
  };

/** A text with every character in its place: `upper`. */
export const inPlace =
  (index: number): TraceRule =>
  (call) =>
    throughOf(
      call.text.length === textArgument(call, index).length ? call.traces[index] : call.whole(index),
      call.name,
    );

/** A text between two others, changed character by character: `change` of parts joined is `change` of the whole. */
function addChanged(rope: Rope, traced: Traced, text: string, change: (text: string) => string): void {
  const { length } = change(text);
  if (!(traced instanceof Rope)) {
    rope.push(length, traced);
    return;
  }
  const changed = new Rope();
  let at = 0;
  for (const [i, size] of traced.lengths.entries()) {
    changed.push(change(text.slice(at, at + size)).length, traced.sources[i], traced.offsets[i]);
    at += size;
  }
  rope.add(changed, length);
}

/** Arguments that are not nil, each between quotes, with spaces between them. */
export const quoted =
  (change: (text: string) => string): TraceRule =>
  (call) => {
    const rope = new Rope();
    let isFirst = true;
    for (const [i, arg] of call.args.entries()) {
      if (arg === null || arg === undefined) continue;
      rope.push(isFirst ? 1 : 2, undefined);
      isFirst = false;
      const traced = throughOf(typeof arg === 'string' ? call.traces[i] : call.whole(i), call.name);
      addChanged(rope, traced, textOf(arg), change);
      rope.push(1, undefined);
    }
    return rope;
  };

/** One text, escaped character by character. */
export const escaped =
  (change: (text: string) => string): TraceRule =>
  (call) => {
    const [arg] = call.args;
    if (call.args.length !== 1 || typeof arg !== 'string') return opaque(call);
    const rope = new Rope();
    addChanged(rope, throughOf(call.traces[0], call.name), arg, change);
    return rope;
  };

/** `indent`, and `nindent` with a line break before it. */
export const indented =
  (before: number): TraceRule =>
  (call) => {
    const text = textArgument(call, 1);
    const pad = Number(integerOf(call.args[0]) ?? 0n);
    const reader = new RopeReader(call.traces[1]);
    const rope = new Rope();
    rope.push(before, undefined);
    for (let at = 0; ; ) {
      rope.push(pad, undefined);
      const end = text.indexOf('\n', at);
      const next = end < 0 ? text.length : end + 1;
      reader.take(next - at, rope);
      if (end < 0) return rope;
      at = next;
    }
  };

/** `replace`: what was not replaced stays, what replaces it comes from its argument. */
export const replaced: TraceRule = (call) => {
  const [old, by, text] = call.args as [string, string, string];
  if (old === '') return opaque(call);
  const reader = new RopeReader(throughOf(call.traces[2], call.name));
  const rope = new Rope();
  for (let at = 0; ; ) {
    const found = text.indexOf(old, at);
    if (found < 0) {
      reader.take(text.length - at, rope);
      return rope;
    }
    reader.take(found - at, rope);
    reader.take(old.length);
    rope.add(call.traces[1], by.length);
    at = found + old.length;
  }
};

/** The output of a template without a word that was taken out of it. */
export const executedWithout =
  (word: string): TraceRule =>
  (call) => {
    const { executed } = call;
    return executed && withoutWord(executed.rope, executed.text, word);
  };

/** The sources of a text from which a word was taken out wherever it stood. */
export function withoutWord(traced: Rope, text: string, word: string): Rope {
  if (!text.includes(word)) return traced;
  const reader = new RopeReader(traced);
  const rope = new Rope();
  for (const [i, piece] of text.split(word).entries()) {
    if (i > 0) {
      // What printed nothing still stands there.
      const nothing = new Rope();
      reader.take(word.length, nothing);
      for (const source of nothing.sources) rope.push(0, source);
    }
    reader.take(piece.length, rope);
  }
  return rope;
}

/** The output of the template that the function executed. */
export const executed: TraceRule = (call) => call.executed?.rope;

const maxRepeated = 100_000;

export const repeated: TraceRule = (call) => {
  const [count, text] = [Number(integerOf(call.args[0]) ?? 0n), textArgument(call, 1)];
  const [, traced] = call.traces;
  if (!(traced instanceof Rope) || count * traced.lengths.length > maxRepeated) return wholeOf(traced);
  const rope = new Rope();
  for (let i = 0; i < count; i++) rope.add(traced, text.length);
  return rope;
};

/** Arguments one after another, with what `between` puts before each but the first. */
function joinedArguments(
  call: TracedCall,
  format: (value: Value) => string,
  between: (before: Value, after: Value) => number,
): Rope {
  const rope = new Rope();
  for (const [i, arg] of call.args.entries()) {
    if (i > 0) rope.push(between(call.args[i - 1], arg), undefined);
    addPart(rope, call, i, format(arg));
  }
  return rope;
}

export const printed: TraceRule = (call) =>
  joinedArguments(call, formatValue, (a, b) => (typeof a !== 'string' && typeof b !== 'string' ? 1 : 0));

export const printedLine: TraceRule = (call) => {
  const rope = joinedArguments(call, formatValue, () => 1);
  rope.push(1, undefined);
  return rope;
};

/** `cat`: arguments that are not nil, with spaces between them. */
export const spaced: TraceRule = (call) => {
  const rope = new Rope();
  let isFirst = true;
  for (const [i, arg] of call.args.entries()) {
    if (arg === null || arg === undefined) continue;
    if (!isFirst) rope.push(1, undefined);
    isFirst = false;
    addPart(rope, call, i, formatValue(arg));
  }
  return rope;
};

/** A text as a verb wrote it: it may have been padded to a width, quoted, or cut. */
function addFormatted(rope: Rope, traced: Traced, text: string, written: string): void {
  const found = written.indexOf(text);
  if (found >= 0) {
    rope.push(found, undefined);
    rope.add(traced, text.length);
    rope.push(written.length - found - text.length, undefined);
  } else if (written === goQuote(text)) {
    rope.push(1, undefined);
    addChanged(rope, traced, text, (piece) => goQuote(piece).slice(1, -1));
    rope.push(1, undefined);
  } else rope.push(written.length, wholeOf(traced));
}

/** `printf`. */
export const formatted: TraceRule = (call) => {
  const [format, ...args] = call.args;
  const rope = new Rope();
  const around = wholeOf(call.traces[0]);
  sprintf(format as string, args, undefined, (index, start, written) => {
    rope.push(start - rope.length, around);
    const value = args[index];
    const traced = throughOf(typeof value === 'string' ? call.traces[index + 1] : call.whole(index + 1), call.name);
    if (traced && typeof value === 'string') addFormatted(rope, traced, value, written);
    else rope.push(written.length, wholeOf(traced));
  });
  rope.push(call.text.length - rope.length, around);
  return rope;
};

/** `join`. */
export const joined: TraceRule = (call) => {
  const list = call.args[1];
  const items = elementsOf(list);
  const rope = new Rope();
  let isFirst = true;
  for (const [i, item] of (items ?? [list]).entries()) {
    if (item === null || item === undefined) continue;
    if (!isFirst) rope.add(call.traces[0], textArgument(call, 0).length);
    isFirst = false;
    const traced = items ? call.child(1, i) : call.traces[1];
    rope.add(typeof item === 'string' ? traced : call.slots.deep(item, traced), textOf(item).length);
  }
  return rope;
};

/** A string as it is, and the text of anything else. */
export const asText: TraceRule = (call) => (typeof call.args[0] === 'string' ? call.traces[0] : opaque(call));

/** `plural`: the text for one or the text for many. */
export const counted: TraceRule = (call) => call.traces[integerOf(call.args[2]) === 1n ? 0 : 1];
