import type { Generation } from '../recorder/recorder.ts';
import type { TracedCall } from '../value/trace/call.ts';
import type { Traced } from '../value/trace/rope.ts';

/** The text of a template that is a value. */
export interface Inline {
  readonly text: string;
  readonly traced: Traced;
}

/** What evaluation has come to. */
interface Evaluation {
  readonly last: Traced;
  readonly piped: Traced;
}

/** A call whose arguments are being evaluated, or that runs. */
export class Frame {
  readonly outer: Frame | undefined;
  readonly traces: Traced[];
  readonly #evaluation: Evaluation;
  readonly #piped: Traced;
  generations: Generation[] | undefined;
  executed: TracedCall['executed'];
  /** The text of the template that will be executed, where an argument is that. */
  inline: Inline | undefined;
  stated: { readonly traced: Traced } | undefined;

  /** `receiver` is that of a method, else empty. */
  constructor(evaluation: Evaluation, outer: Frame | undefined, receiver: Traced[]) {
    this.#evaluation = evaluation;
    this.outer = outer;
    this.traces = receiver;
    this.#piped = evaluation.piped;
  }

  /** An argument has been evaluated. */
  argument(): void {
    this.traces.push(this.#evaluation.last);
  }

  /** The value of the pipeline is the last argument. */
  final(): void {
    this.traces.push(this.#piped);
  }
}
