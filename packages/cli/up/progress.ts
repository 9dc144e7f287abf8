import { type Output, paint } from '../output.ts';

/** Says on standard error what a long start is doing, and how long each step took. */
export class Progress {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Announces a step, runs it, and prints its time. */
  async step<T>(title: string, run: () => Promise<T>): Promise<T> {
    const started = performance.now();
    try {
      const result = await run();
      this.#output.error(
        `${paint(this.#output, 'green', '✓')} ${title} ${paint(this.#output, 'grey', `${((performance.now() - started) / 1000).toFixed(2)} s`)}`,
      );
      return result;
    } catch (error) {
      this.#output.error(`${paint(this.#output, 'red', '✗')} ${title}`);
      throw error;
    }
  }

  note(text: string): void {
    this.#output.error(`  ${text}`);
  }
}
