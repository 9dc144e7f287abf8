import type { Condition, Place } from '../value/trace/place.ts';
import { Rope } from '../value/trace/rope.ts';
import { type Origin, Source, unite } from '../value/trace/source.ts';
import { withoutWord } from './rules/texts.ts';

/** A place in a template, for people. */
export interface TemplateLine {
  /** As the template set names it. */
  readonly template: string;
  /** 1-based. */
  readonly line: number;
  /** 0-based, in UTF-16 units. */
  readonly column: number;
}

/** A branch that had to be taken. */
export interface Because extends TemplateLine {
  readonly kind: Condition['kind'];
  /** `.Values.ingress.enabled`; of `else`, what was not so. */
  readonly expression: string;
  readonly origins: readonly Origin[];
}

/** A stretch of an output with what it is made of. */
export interface Segment extends TemplateLine {
  /** Offset in the output, in UTF-16 units. */
  readonly start: number;
  readonly text: string;
  /** Empty for text of the template. */
  readonly origins: readonly Origin[];
  /** Functions that made it from its origins, innermost first: `['b64enc', 'quote']`. */
  readonly via: readonly string[];
  /** Where the template was included, innermost first. */
  readonly callers: readonly TemplateLine[];
  /** Why it was written, innermost first; of the callers too. */
  readonly because: readonly Because[];
}

/** The output of a template with what it is made of. */
export class TracedText {
  readonly text: string;
  readonly #rope: Rope;
  #starts: number[] | undefined;

  constructor(text: string, rope: Rope) {
    this.text = text;
    if (rope.length === text.length) this.#rope = rope;
    else {
      // Bytes that were no characters became some when they met: nobody can tell which.
      this.#rope = new Rope();
      this.#rope.push(text.length, unite(rope.sources));
    }
  }

  /** The same with a word taken out wherever it stands. */
  without(word: string): TracedText {
    return new TracedText(this.text.replaceAll(word, ''), withoutWord(this.#rope, this.text, word));
  }

  /** True if a generated value is in the text between two offsets. */
  isGenerated(from: number, to: number): boolean {
    const { lengths, sources } = this.#rope;
    const starts = this.#offsets();
    for (let i = firstFrom(starts, lengths, from); i < lengths.length && (starts[i] as number) <= to; i++) {
      if (sources[i]?.origins.some(({ kind }) => kind === 'generated')) return true;
    }
    return false;
  }

  /** What the text between two offsets is made of; empty values at either end count. */
  segments(from: number, to: number): Segment[] {
    const { lengths, sources, offsets } = this.#rope;
    const starts = this.#offsets();
    const found: Segment[] = [];
    for (let i = firstFrom(starts, lengths, from); i < lengths.length; i++) {
      const start = starts[i] as number;
      const length = lengths[i] as number;
      if (start > to || (start === to && length > 0 && to > from)) break;
      if (start === to && length > 0) break;
      if (start + length === from && length > 0) continue;
      const begin = Math.max(start, from);
      const end = Math.min(start + length, to);
      const source = sources[i] ?? new Source([], []);
      const inside = source.isText ? (offsets[i] as number) + begin - start : 0;
      found.push(segmentOf(source, inside, begin, this.text.slice(begin, end)));
    }
    return found;
  }

  #offsets(): number[] {
    if (!this.#starts) {
      let at = 0;
      this.#starts = this.#rope.lengths.map((length) => {
        const start = at;
        at += length;
        return start;
      });
    }
    return this.#starts;
  }
}

/** The first stretch that ends at an offset or behind it. */
function firstFrom(starts: readonly number[], lengths: readonly number[], from: number): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] as number) + (lengths[middle] as number) < from) low = middle + 1;
    else high = middle;
  }
  return low;
}

function segmentOf(source: Source, inside: number, start: number, text: string): Segment {
  const { place, origins, via } = source;
  const callers: Place[] = [];
  const because: Because[] = [];
  for (let at = place; at; at = at.caller) {
    if (at !== place) callers.push(at);
    for (let condition = at.because; condition; condition = condition.outer) because.push(becauseOf(condition));
  }
  // The text of a template that is a value has lines of its own, in no file.
  const written = [place, ...callers].find((at) => at && !at.isInline) ?? place;
  const index = written ? callers.indexOf(written) : -1;
  const line = written ? lineOf(written.tree, written.at + (written === place ? inside : 0)) : nowhere;
  return {
    start,
    text,
    origins,
    via,
    ...line,
    callers: callers
      .slice(index + 1)
      .filter(({ isInline }) => !isInline)
      .map(({ tree, at }) => lineOf(tree, at)),
    because,
  };
}

const nowhere: TemplateLine = { template: '', line: 0, column: 0 };

const told = new WeakMap<Condition, Because>();

function becauseOf(condition: Condition): Because {
  let because = told.get(condition);
  if (!because) {
    const { kind, tree, at, expression, source } = condition;
    because = { kind, expression: expression(), origins: source?.origins ?? [], ...lineOf(tree, at) };
    told.set(condition, because);
  }
  return because;
}

const lineStarts = new WeakMap<Place['tree'], readonly number[]>();

function lineOf(tree: Place['tree'], at: number): TemplateLine {
  let starts = lineStarts.get(tree);
  if (!starts) {
    starts = [0, ...Array.from(tree.text.matchAll(/\n/g), ({ index }) => index + 1)];
    lineStarts.set(tree, starts);
  }
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] as number) <= at) low = middle;
    else high = middle - 1;
  }
  return { template: tree.parseName, line: low + 1, column: at - (starts[low] as number) };
}
