import type { FunctionSpec } from '../function-spec.ts';
import type { Value } from '../value.ts';
import type { Rope, Traced } from './rope.ts';
import type { Slots } from './slots.ts';
import { type Source, unite } from './source.ts';

/** A call of a template function that has returned. */
export interface Returned {
  readonly name: string;
  readonly spec: FunctionSpec;
  /** A method's receiver is the first. */
  readonly args: readonly Value[];
  readonly result: Value;
}

/** A traced call that has returned, as rules see it. */
export class TracedCall {
  readonly name: string;
  readonly args: readonly Value[];
  readonly result: Value;
  /** Of the arguments. */
  readonly traces: readonly Traced[];
  readonly slots: Slots;
  /** The output of a template that the function executed, before anything was done to it. */
  readonly executed: { readonly text: string; readonly rope: Rope } | undefined;

  constructor(
    { name, args, result }: Returned,
    traces: readonly Traced[],
    slots: Slots,
    executed: TracedCall['executed'],
  ) {
    this.name = name;
    this.args = args;
    this.result = result;
    this.traces = traces;
    this.slots = slots;
    this.executed = executed;
  }

  /** One source for an argument with all that it contains. */
  whole(index: number): Source | undefined {
    return this.slots.deep(this.args[index], this.traces[index]);
  }

  /** One source for all arguments. */
  all(): Source | undefined {
    let first: Source | undefined;
    let sources: (Source | undefined)[] | undefined;
    for (let i = 0; i < this.args.length; i++) {
      const source = this.whole(i);
      if (!source || source === first) continue;
      if (!first) first = source;
      else {
        sources ??= [first];
        sources.push(source);
      }
    }
    return sources ? unite(sources) : first && unite([first]);
  }

  /** What an argument that is a container holds under a key. */
  child(index: number, key: Value): Traced {
    return this.slots.get(this.args[index], this.traces[index], key);
  }

  /** An argument as the result holds it, as a text where it is one. */
  get text(): string {
    return typeof this.result === 'string' ? this.result : '';
  }
}

/** Says what the result of a function is made of. */
export type TraceRule = (call: TracedCall) => Traced;
