/** Limits of one execution. Each that is exceeded is a diagnosis with the place in the template. */
export interface Limits {
  /** Nested template, include and tpl calls. 1000 if not given; Helm's own limit on `include` is Helm's layer's. */
  readonly depth: number;
  /** Evaluated nodes and loop iterations together. */
  readonly steps: number;
  /** UTF-16 units of output, nested executions included. */
  readonly output: number;
  /** UTF-16 units of any one string that a function makes. */
  readonly string: number;
  /** Elements of any one list that a function makes, and iterations of one range over an integer. */
  readonly list: number;
  /** Values that functions copy or encode, all together: what is shared inside a value counts each time it is met. */
  readonly copies: number;
  /** UTF-16 units of a regular expression's source. What matching may cost at the worst is limited as well. */
  readonly regex: number;
  /** Milliseconds of wall time. */
  readonly time: number;
}

export const defaultLimits: Limits = {
  depth: 2500,
  steps: 50_000_000,
  output: 128 * 1024 * 1024,
  string: 16 * 1024 * 1024,
  list: 1_000_000,
  copies: 5_000_000,
  regex: 64 * 1024,
  time: 60_000,
};

/** Instructions of a pattern times characters of a text: some seconds at the worst. */
const maxMatch = 500_000_000;

/** Thrown when a limit is exceeded; the execution turns it into a diagnosis with the place. */
export class LimitError extends Error {
  readonly limit: keyof Limits | 'cancelled';
  readonly allowed: number;
  constructor(limit: keyof Limits | 'cancelled', allowed: number) {
    super(limit === 'cancelled' ? 'the execution was cancelled' : `the limit on ${limit} was exceeded (${allowed})`);
    this.name = 'LimitError';
    this.limit = limit;
    this.allowed = allowed;
  }
}

export interface BudgetOptions {
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  /** Milliseconds, monotonic; `performance.now` if not given. */
  readonly now?: () => number;
}

/** What is left of the limits; one may be shared by several executions (all templates of a chart). */
export class Budget {
  readonly limits: Limits;
  readonly #signal: AbortSignal | undefined;
  readonly #now: () => number;
  readonly #deadline: number;
  #steps = 0;
  #nextCheck = 1024;
  #output = 0;
  #copies = 0;

  constructor(options: BudgetOptions = {}) {
    this.limits = { ...defaultLimits, ...options.limits };
    this.#signal = options.signal;
    this.#now = options.now ?? (() => performance.now());
    this.#deadline = this.#now() + this.limits.time;
  }

  /** Steps taken so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Counts steps; every thousand or so reads the clock and the signal. */
  step(count = 1): void {
    this.#steps += count;
    if (this.#steps >= this.#nextCheck) this.#check();
  }

  #check(): void {
    if (this.#steps > this.limits.steps) throw new LimitError('steps', this.limits.steps);
    this.#nextCheck = Math.min(this.#steps + 1024, this.limits.steps + 1);
    if (this.#signal?.aborted) throw new LimitError('cancelled', 0);
    if (this.#now() > this.#deadline) throw new LimitError('time', this.limits.time);
  }

  /** Counts values that are copied or encoded. */
  copy(values: number): void {
    this.#copies += values;
    if (this.#copies > this.limits.copies) throw new LimitError('copies', this.limits.copies);
    this.step(values);
  }

  /** Refuses a match of a pattern of so many instructions against a text that could take too long, and counts it. */
  match(instructions: number, units: number): void {
    const work = instructions * units;
    if (work > maxMatch) throw new LimitError('regex', maxMatch);
    if (work > 4096) this.step(work >>> 6);
  }

  /** Counts output. */
  write(units: number): void {
    this.#output += units;
    if (this.#output > this.limits.output) throw new LimitError('output', this.limits.output);
  }

  /** Refuses a string of that many units before it is made. */
  string(units: number): void {
    if (units > this.limits.string) throw new LimitError('string', this.limits.string);
    if (units > 4096) this.step(units >>> 10);
  }

  /** Refuses a string that has grown to that many units. */
  fits(units: number): void {
    if (units > this.limits.string) throw new LimitError('string', this.limits.string);
  }

  /** Refuses a list of that many elements before it is made. */
  list(elements: number): void {
    if (elements > this.limits.list) throw new LimitError('list', this.limits.list);
    if (elements > 64) this.step(elements >>> 2);
  }

  /** Refuses a regular expression of that size. */
  regex(units: number): void {
    if (units > this.limits.regex) throw new LimitError('regex', this.limits.regex);
  }
}
