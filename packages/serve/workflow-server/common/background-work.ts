/** Works on what was accepted while nobody waits for it: so many at once, and so many in line. */
export class BackgroundWork {
  readonly #waiting: (() => Promise<void>)[] = [];
  readonly #limits: { readonly workers: number; readonly queue: number };
  readonly #onError: (error: unknown) => void;
  #running = 0;

  constructor(limits: { readonly workers: number; readonly queue: number }, onError: (error: unknown) => void) {
    this.#limits = limits;
    this.#onError = onError;
  }

  /** False if the line is full. The order of what is accepted is not kept. */
  accepts(work: () => Promise<void>): boolean {
    if (this.#running < this.#limits.workers) void this.#run(work);
    else if (this.#waiting.length < this.#limits.queue) this.#waiting.push(work);
    else return false;
    return true;
  }

  async #run(first: () => Promise<void>): Promise<void> {
    this.#running += 1;
    for (let work: typeof first | undefined = first; work; work = this.#waiting.shift()) {
      try {
        await work();
      } catch (error) {
        this.#onError(error);
      }
    }
    this.#running -= 1;
  }
}

/** A whole number above 0 of a variable; `usual` if it is none. */
export function countOf(text: string | undefined, usual: number): number {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : usual;
}
