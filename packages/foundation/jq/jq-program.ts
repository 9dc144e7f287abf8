import { Bounds, JqStopped } from './bounds.ts';
import { unknownName } from './check.ts';
import { Evaluation } from './evaluate.ts';
import { JqSyntaxError, parseQuery } from './parser.ts';
import { JqUnknown } from './scope.ts';
import type { Query } from './tree.ts';
import { JqError } from './values.ts';

const mostSteps = 500_000;
const longest = 65_536;

/** Why a program is none, or gave no value. */
export class JqFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'JqFailure';
  }
}

/** A program that is read once and run on many values. */
export class JqProgram {
  readonly #query: Query;

  /** Throws `JqFailure` if the text is no program, or calls what there is not. */
  constructor(text: string) {
    if (text.length > longest) throw new JqFailure(`the program is longer than ${longest} characters`);
    this.#query = guarded(() => parseQuery(text));
    const unknown = unknownName(this.#query, { hasClock: true });
    if (unknown) throw new JqFailure(unknown);
  }

  /**
   * The first value that it makes of the input; undefined if it makes none. `now` is the clock of the function of that name, which
   * fails without one. Throws `JqFailure` where it fails.
   */
  first(input: unknown, now?: () => number): unknown {
    return guarded(() => new Evaluation(new Bounds(mostSteps, now)).first(this.#query, input));
  }
}

function guarded<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (error instanceof JqError || error instanceof JqStopped || error instanceof JqUnknown)
      throw new JqFailure(error.message);
    if (error instanceof JqSyntaxError) throw new JqFailure(error.message);
    if (error instanceof RangeError) throw new JqFailure('it goes too deep');
    throw error;
  }
}
