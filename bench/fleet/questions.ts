import { systemClock } from '@tiphys/kubernetes';
import { median } from '../table.ts';

/** Of the API, by what they are called in the table. */
const paths: Readonly<Record<string, string>> = {
  'list of all': '/api/v1/applications',
  get: '/api/v1/applications/app-0',
  tree: '/api/v1/applications/app-0/resource-tree',
};
/** From one round of questions to the next, in milliseconds. */
const pause = 100;

/** A user who asks the API the same questions again and again while something else is measured. */
export class Questions {
  readonly #url: string;
  readonly #token: string;
  readonly #times = new Map(Object.keys(paths).map((name) => [name, [] as number[]]));

  static async as(username: string, { url, password }: { url: string; password: string }): Promise<Questions> {
    const answer = await fetch(new URL('/api/v1/session', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    return new Questions(url, ((await answer.json()) as { token: string }).token);
  }

  private constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Asks until the work is done. Throws where an answer is no success. */
  async during(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      for (const [name, path] of Object.entries(paths)) await this.#ask(name, path);
      await systemClock.sleep(pause);
    }
    await done;
  }

  async #ask(name: string, path: string): Promise<void> {
    const from = performance.now();
    const answer = await fetch(new URL(path, this.#url), { headers: { authorization: `Bearer ${this.#token}` } });
    await answer.arrayBuffer();
    if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`);
    this.#times.get(name)?.push(performance.now() - from);
  }

  /** A row for each question: median and 99th percentile. */
  rows(): string[][] {
    return [...this.#times].map(([name, times]) => {
      const last = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
      return [`API meanwhile, ${name}: p50, p99`, `${median(times).toFixed(0)} ms, ${last.toFixed(0)} ms`, ''];
    });
  }
}
