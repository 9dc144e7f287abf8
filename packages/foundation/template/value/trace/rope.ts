import { Source, unite } from './source.ts';

/** What is known of a value: nothing (a literal), one source for the whole of it, or for a string piece by piece. */
export type Traced = Source | Rope | undefined;

/** The sources of a text, stretch by stretch. Grows at its end; what was handed on must not grow any more. */
export class Rope {
  /** In UTF-16 units. */
  readonly lengths: number[] = [];
  readonly sources: (Source | undefined)[] = [];
  /** For text of templates: how far into its node the stretch begins. */
  readonly offsets: number[] = [];
  length = 0;

  push(length: number, source: Source | undefined, offset = 0): void {
    // A value that prints nothing still stands where it stands.
    if (length === 0 && !source?.origins.length) return;
    const last = this.lengths.length - 1;
    if (last >= 0 && this.sources[last] === source) {
      const next = (this.offsets[last] as number) + (this.lengths[last] as number);
      if (!source?.isText || next === offset) {
        this.lengths[last] = (this.lengths[last] as number) + length;
        this.length += length;
        return;
      }
    }
    this.lengths.push(length);
    this.sources.push(source);
    this.offsets.push(offset);
    this.length += length;
  }

  /** Adds a value's text of the length. */
  add(traced: Traced, length: number): void {
    if (!(traced instanceof Rope)) this.push(length, traced);
    else if (traced.length !== length) this.push(length, wholeOf(traced));
    else
      for (let i = 0; i < traced.lengths.length; i++)
        this.push(traced.lengths[i] as number, traced.sources[i], traced.offsets[i] as number);
  }

  /** The same with other sources. */
  map(change: (source: Source | undefined) => Source | undefined): Rope {
    const mapped = new Rope();
    for (let i = 0; i < this.lengths.length; i++)
      mapped.push(this.lengths[i] as number, change(this.sources[i]), this.offsets[i] as number);
    return mapped;
  }
}

/** Reads a traced text from its beginning on. */
export class RopeReader {
  readonly #traced: Traced;
  #index = 0;
  /** Units of the stretch at the index that were read. */
  #read = 0;

  constructor(traced: Traced) {
    this.#traced = traced;
  }

  /** Reads a number of units; into a rope, if one is given. */
  take(length: number, into?: Rope): void {
    const rope = this.#traced;
    if (!(rope instanceof Rope)) {
      into?.push(length, rope);
      return;
    }
    let rest = length;
    while (this.#index < rope.lengths.length) {
      const size = (rope.lengths[this.#index] as number) - this.#read;
      if (rest === 0 && size > 0) return;
      const part = Math.min(size, rest);
      into?.push(part, rope.sources[this.#index], (rope.offsets[this.#index] as number) + this.#read);
      rest -= part;
      this.#read += part;
      if (part < size) return;
      this.#index++;
      this.#read = 0;
      if (rest === 0) return;
    }
    if (rest > 0) into?.push(rest, undefined);
  }
}

/** A part of a traced text. */
export function sliceOf(traced: Traced, from: number, to: number): Traced {
  return new RopeSlicer(traced).slice(from, to);
}

/** Takes parts of a traced text; quickly if each begins where or behind where the one before did. */
export class RopeSlicer {
  readonly #traced: Traced;
  /** A stretch and where it begins: the first that the last part touched. */
  #index = 0;
  #start = 0;

  constructor(traced: Traced) {
    this.#traced = traced;
  }

  slice(from: number, to: number): Traced {
    const rope = this.#traced;
    if (!(rope instanceof Rope) || (from === 0 && to === rope.length)) return rope;
    const { lengths, sources, offsets } = rope;
    if (from < this.#start) {
      this.#index = 0;
      this.#start = 0;
    }
    while (this.#index < lengths.length && this.#start + (lengths[this.#index] as number) < from) {
      this.#start += lengths[this.#index] as number;
      this.#index++;
    }
    const part = new Rope();
    let start = this.#start;
    for (let i = this.#index; i < lengths.length && start <= to; i++) {
      const end = start + (lengths[i] as number);
      const [begin, stop] = [Math.max(start, from), Math.min(end, to)];
      // What is empty counts inside of the part and at its end.
      if (stop > begin || (start === end && start > from)) {
        part.push(stop - begin, sources[i], (offsets[i] as number) + begin - start);
      }
      start = end;
    }
    if (part.length < to - from) part.push(to - from - part.length, undefined);
    const [only] = part.sources;
    return part.sources.length === 1 && !only?.isText ? only : part;
  }
}

/** One source for the whole of a value. */
export function wholeOf(traced: Traced): Source | undefined {
  if (!(traced instanceof Rope)) return traced;
  const [only] = traced.sources;
  return traced.sources.length === 1 && only && !only.isText ? only : unite(traced.sources);
}

/** The source of a value that was read from a part of a text: it was written where that part was. */
export function readFrom(traced: Traced): Source | undefined {
  if (!(traced instanceof Rope)) return traced;
  const source = unite(traced.sources);
  const written = traced.sources.findIndex((one) => one?.place && (!source || one.origins.length > 0));
  const place = traced.sources[written]?.place;
  if (!place) return source;
  const at = place.at + (traced.sources[written]?.isText ? (traced.offsets[written] as number) : 0);
  return new Source(source?.origins ?? [], source?.via ?? [], { place: { ...place, at } });
}

/** Each stretch after a function. */
export function throughOf(traced: Traced, name: string): Traced {
  if (traced instanceof Rope) return traced.map((source) => source?.through(name));
  return traced?.through(name);
}
