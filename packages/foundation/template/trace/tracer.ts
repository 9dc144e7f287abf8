import { formatNode, type Node, type PlacedNode } from '../parse/node.ts';
import type { Tree } from '../parse/tree.ts';
import type { Generation } from '../recorder/recorder.ts';
import { type Returned, TracedCall } from '../value/trace/call.ts';
import type { CallTrace } from '../value/trace/call-trace.ts';
import { MergeTrace } from '../value/trace/merge-trace.ts';
import type { Condition, Place } from '../value/trace/place.ts';
import { Rope, sliceOf, type Traced, wholeOf } from '../value/trace/rope.ts';
import { Slots } from '../value/trace/slots.ts';
import { DataOrigin, GeneratedOrigin, Source, type Step, unite } from '../value/trace/source.ts';
import type { Value } from '../value/value.ts';
import { Decisions } from './decisions.ts';
import { Frame, type Inline } from './frame.ts';
import { chosenOver } from './rules/choices.ts';
import { opaque } from './rules/opaque.ts';

/** Where an execution stands. */
interface Position {
  readonly tree: Tree | undefined;
  readonly node: PlacedNode | undefined;
  /** The node of the call under way. */
  readonly callNode: PlacedNode | undefined;
}

/** Where a node writes, and its text if it is one. */
interface Written {
  readonly place: Place;
  text: Source | undefined;
}

/** The state of a template that waits for another one. */
interface Suspended {
  readonly vars: Traced[];
  readonly dot: Traced;
  readonly caller: Place | undefined;
  readonly because: Condition | undefined;
}

/** The state outside of a branch. */
interface Outside {
  readonly dot: Traced;
  readonly because: Condition | undefined;
  readonly ranged: Traced;
}

/** The state of an output that waits for a nested one. */
interface Nested {
  readonly out: Rope;
  readonly frame: Frame | undefined;
  readonly inline: Inline | undefined;
}

/**
 * Follows values through executions: beside each value that is evaluated it keeps what the value is made of. One tracer
 * serves all executions of a render, because templates change the data that later ones read.
 */
export class Tracer implements CallTrace {
  /** Of the value that was evaluated last. */
  last: Traced;
  /** Of the value that the pipeline feeds to the next command. */
  piped: Traced;
  readonly slots = new Slots();
  readonly #roots = new Map<string, DataOrigin>();
  readonly #places = new Map<object, Written>();
  readonly #generations = new Map<Generation, GeneratedOrigin>();
  #out = new Rope();
  #vars: Traced[] = [];
  #dot: Traced;
  /** Of the container that the innermost range goes over. */
  #ranged: Traced;
  /** What the next template gets as its dot, and where it is called. */
  #passed: Traced;
  #passedFrom: Place | undefined;
  #caller: Place | undefined;
  #because: Condition | undefined;
  readonly #decisions = new Decisions();
  #frame: Frame | undefined;
  #inline: Inline | undefined;

  /** Begins an execution on data that is called by the name. */
  start(scope: string): void {
    this.last = undefined;
    this.#out = new Rope();
    this.#vars = [];
    this.#passed = this.#root(scope).source;
    this.#passedFrom = undefined;
    this.#caller = undefined;
    this.#because = undefined;
    this.#frame = undefined;
    this.#inline = undefined;
    this.#decisions.reset();
  }

  #root(scope: string): DataOrigin {
    let root = this.#roots.get(scope);
    if (!root) {
      root = new DataOrigin(scope);
      this.#roots.set(scope, root);
    }
    return root;
  }

  /** What the output is made of. */
  finish(): Rope {
    return this.#out;
  }

  // What is evaluated.

  literal(): void {
    this.last = undefined;
  }

  dot(): void {
    this.last = this.#dot;
  }

  variable(slot: number): void {
    this.last = this.#vars[slot];
  }

  setVariable(slot: number): void {
    this.#vars[slot] = this.last;
  }

  field(container: Value, name: string): void {
    this.last = this.slots.get(container, this.last, name);
    if (this.last instanceof Source) this.#decisions.read(this.last);
  }

  /** The value goes to the next command of its pipeline. */
  pipe(): void {
    this.piped = this.last;
  }

  /** What the pipeline feeds to a method, whose receiver has been evaluated meanwhile. */
  receive(piped: Traced): void {
    this.piped = piped;
  }

  /** The value is the one that was fed. */
  resume(piped: Traced): void {
    this.last = piped;
  }

  /** The value would be chosen after those that were passed over; it may itself be the next of them. */
  choose(value: Value, passed: Traced[]): void {
    const own = this.last;
    this.last = chosenOver(value, own, passed);
    passed.push(own);
  }

  // Calls.

  enter(hasReceiver: boolean): Frame {
    this.#frame = new Frame(this, this.#frame, hasReceiver ? [this.last] : []);
    return this.#frame;
  }

  leave(frame: Frame, returned: Returned): void {
    this.#frame = frame.outer;
    let traced: Traced;
    if (frame.stated) traced = frame.stated.traced;
    else {
      const call = new TracedCall(returned, frame.traces, this.slots, frame.executed);
      traced = (returned.spec.trace ?? opaque)(call);
    }
    if (traced instanceof Rope && traced.length !== lengthOf(returned.result)) traced = wholeOf(traced);
    if (frame.generations) {
      const origins = frame.generations.map((generation) => this.#originOf(generation));
      traced = unite([new Source(origins, []), this.slots.deep(returned.result, traced)]);
    }
    this.last = traced;
  }

  generated(generation: Generation): void {
    if (!this.#frame) return;
    this.#frame.generations ??= [];
    this.#frame.generations.push(generation);
  }

  result(traced: Traced): void {
    if (this.#frame) this.#frame.stated = { traced };
  }

  inline(text: string, index: number): void {
    if (this.#frame) this.#frame.inline = { text, traced: this.#frame.traces[index] };
  }

  argument(index: number): Traced {
    return this.#frame?.traces[index];
  }

  origin(scope: string, path: readonly Step[]): Source {
    return path.reduce((origin, step) => origin.child(step), this.#root(scope)).source;
  }

  merge(into: Value, from: Value, intoIndex: number, fromIndex: number): MergeTrace {
    return new MergeTrace(this.slots, [into, this.argument(intoIndex)], [from, this.argument(fromIndex)]);
  }

  #originOf(generation: Generation): GeneratedOrigin {
    let origin = this.#generations.get(generation);
    if (!origin) {
      origin = new GeneratedOrigin(generation);
      this.#generations.set(generation, origin);
    }
    return origin;
  }

  // Templates and branches.

  /** A `template` action hands on the value that was evaluated last, or nothing. */
  passDot(s: Position, node: Node, hasData: boolean): void {
    this.#passed = hasData ? this.last : undefined;
    this.#passedFrom = this.#placeOf(s, node.pos);
  }

  enterTemplate(): Suspended {
    const outer = { vars: this.#vars, dot: this.#dot, caller: this.#caller, because: this.#because };
    this.#dot = this.#passed;
    this.#vars = [this.#passed];
    this.#caller = this.#passedFrom;
    this.#because = undefined;
    return outer;
  }

  leaveTemplate(outer: Suspended): void {
    this.#vars = outer.vars;
    this.#dot = outer.dot;
    this.#caller = outer.caller;
    this.#because = outer.because;
  }

  /** A function executes a template into a text. */
  begin(s: Position, data: Value): Nested & Suspended {
    const frame = this.#frame;
    const own = s.tree;
    const { vars, dot, caller, because } = this.#suspended();
    const outer = { out: this.#out, frame, inline: this.#inline, vars, dot, caller, because };
    this.#passedFrom = own && this.#placeOf(s, s.callNode?.pos ?? 0);
    // The data is the last argument of the functions that do this; `trace` has no word for another one.
    this.#passed = data === undefined || !frame ? undefined : frame.traces.at(-1);
    this.#inline = frame?.inline ?? this.#inline;
    this.#out = new Rope();
    return outer;
  }

  end(outer: Nested & Suspended, text: string): void {
    const rope = this.#out;
    this.#out = outer.out;
    this.#frame = outer.frame;
    this.#inline = outer.inline;
    this.leaveTemplate(outer);
    if (this.#frame) this.#frame.executed = { text, rope };
  }

  #suspended(): Suspended {
    return { vars: this.#vars, dot: this.#dot, caller: this.#caller, because: this.#because };
  }

  /** A condition is about to be evaluated: what it reads decides. */
  watch(): void {
    this.#decisions.begin();
  }

  /** The condition has been evaluated. */
  decide(): void {
    this.#decisions.end();
  }

  enterBranch(s: Position, node: Extract<Node, { type: 'if' | 'with' | 'range' }>, taken: boolean): Outside {
    const outer = { dot: this.#dot, because: this.#because, ranged: this.#ranged };
    if (s.tree) {
      this.#because = {
        kind: taken ? node.type : 'else',
        tree: s.tree,
        at: node.pipe.pos,
        expression: () => formatNode(node.pipe),
        source: node.type === 'range' ? wholeOf(this.last) : this.#decisions.source(),
        outer: this.#because,
      };
    }
    if (taken && node.type === 'with') this.#dot = this.last;
    return outer;
  }

  enterRange(s: Position, node: Extract<Node, { type: 'range' }>): Outside {
    const outer = this.enterBranch(s, node, true);
    this.#ranged = this.last;
    return outer;
  }

  leaveBranch(outer: Outside): void {
    this.#dot = outer.dot;
    this.#because = outer.because;
    this.#ranged = outer.ranged;
  }

  /** The key of the next round of the innermost range. */
  key(container: Value, key: Value): void {
    this.last = this.slots.key(container, this.#ranged, key);
  }

  /** The element of the next round: its dot. */
  element(container: Value, key: Value): void {
    this.last = key === undefined ? wholeOf(this.#ranged) : this.slots.get(container, this.#ranged, key);
    this.#dot = this.last;
  }

  // Output.

  text(s: Position, length: number): void {
    const written = this.#written(s);
    if (!written) return;
    const { place } = written;
    if (place.isInline) this.#write(place, sliceOf(this.#inline?.traced, place.at, place.at + length), length);
    else {
      written.text ??= new Source([], [], { place, isText: true });
      this.#out.push(length, written.text);
    }
  }

  value(s: Position, length: number, value: Value): void {
    const place = this.#written(s)?.place;
    if (!place) return;
    const traced = typeof value === 'string' ? this.last : this.slots.deep(value, this.last);
    if (!place.isInline) this.#write(place, traced, length);
    else {
      // The action itself was given as a value.
      const action = wholeOf(sliceOf(this.#inline?.traced, place.at, place.at + 1));
      const both = (source: Source | undefined): Source | undefined =>
        source?.place ? source : unite([source, action?.through('tpl')]);
      this.#write(place, traced instanceof Rope ? traced.map(both) : both(traced), length);
    }
  }

  #write(place: Place, traced: Traced, length: number): void {
    let plain: Source | undefined;
    const placed = (source: Source | undefined): Source => {
      if (source) return source.placed(place);
      plain ??= new Source([], [], { place });
      return plain;
    };
    if (traced instanceof Rope && traced.length === length) this.#out.add(traced.map(placed), length);
    else this.#out.push(length, placed(wholeOf(traced)));
  }

  /** The place of the node that writes: the same for every round of a loop. */
  #written(s: Position): Written | undefined {
    const { node, tree } = s;
    if (!node || !tree) return undefined;
    const known = this.#places.get(node);
    const isInline = this.#inline !== undefined && tree.text === this.#inline.text;
    if (known) {
      const { place } = known;
      if (place.caller === this.#caller && place.because === this.#because && place.isInline === isInline) return known;
    }
    const written: Written = {
      place: { tree, at: node.pos, caller: this.#caller, because: this.#because, isInline },
      text: undefined,
    };
    this.#places.set(node, written);
    return written;
  }

  #placeOf(s: Position, at: number): Place | undefined {
    const { tree } = s;
    if (!tree) return undefined;
    const isInline = this.#inline !== undefined && tree.text === this.#inline.text;
    return { tree, at, caller: this.#caller, because: this.#because, isInline };
  }
}

function lengthOf(value: Value): number {
  return typeof value === 'string' ? value.length : -1;
}
