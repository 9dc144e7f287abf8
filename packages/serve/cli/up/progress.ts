import { type Output, paint } from '../terminal/output.ts';

/** Says on standard error what a long start is doing, and how long each step took. */
export class Progress {
  readonly #output: Output;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Runs a step and prints its time, and what it led to; the step counts as done unless that says otherwise. */
  async step<T>(
    title: string,
    run: () => Promise<T>,
    outcomeOf: (result: T) => { readonly text: string; readonly done: boolean } = () => ({ text: '', done: true }),
  ): Promise<T> {
    const started = performance.now();
    try {
      const result = await run();
      const { text, done } = outcomeOf(result);
      const mark = done ? paint(this.#output, 'green', '✓') : paint(this.#output, 'yellow', '…');
      const time = paint(this.#output, 'grey', `${((performance.now() - started) / 1000).toFixed(2)} s`);
      this.#output.error(`${mark} ${title}${text && `: ${text}`} ${time}`);
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
