import { once } from 'node:events';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { systemClock } from '@tiphys/kubernetes';
import { median } from '../table.ts';

/** Paths of the API, by what they are called in the table. */
const list = 'list of all';
const paths: Readonly<Record<string, string>> = {
  [list]: '/api/v1/applications',
  get: '/api/v1/applications/app-0',
  tree: '/api/v1/applications/app-0/resource-tree',
};
/** From one round of questions to the next, in milliseconds. */
const pause = 100;
/** Lists of thousands are asked for in the first of so many rounds: who lists all the time is a load of its own. */
const roundsOfList = 20;

interface Asked {
  readonly url: string;
  readonly token: string;
}
type Times = Readonly<Record<string, readonly number[]>>;

/**
 * A user who asks the API the same questions again and again while something else is measured; in a thread of its own, so that what the
 * bench does itself is not measured.
 */
export class Questions {
  readonly #asked: Asked;
  #times: Times = {};

  static async as(username: string, { url, password }: { url: string; password: string }): Promise<Questions> {
    const answer = await fetch(new URL('/api/v1/session', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    return new Questions({ url, token: ((await answer.json()) as { token: string }).token });
  }

  private constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Asks until the work is done. Throws where an answer is no success. */
  async during(work: Promise<unknown>): Promise<void> {
    const thread = new Worker(new URL(import.meta.url), { workerData: this.#asked });
    const failed = once(thread, 'exit').then(() => {
      throw new Error('the questions ended before the work');
    });
    failed.catch(() => undefined);
    try {
      await Promise.race([work, failed]);
      const told = once(thread, 'message');
      thread.postMessage('done');
      [this.#times] = (await Promise.race([told, failed])) as [Times];
    } finally {
      await thread.terminate();
    }
  }

  /** A row for each question: median and 99th percentile. */
  rows(): string[][] {
    return Object.entries(this.#times).map(([name, times]) => {
      const last = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN;
      return [`API meanwhile, ${name}: p50, p99`, `${median(times).toFixed(0)} ms, ${last.toFixed(0)} ms`, ''];
    });
  }
}

/** In the thread: asks until it is told to end, then tells how long each answer took. */
async function ask({ url, token }: Asked): Promise<void> {
  let isDone = false;
  parentPort?.once('message', () => {
    isDone = true;
  });
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(paths).map((name) => [name, []]));
  for (let round = 0; !isDone; round++) {
    for (const [name, path] of Object.entries(paths)) {
      if (name === list && round % roundsOfList > 0) continue;
      const from = performance.now();
      const answer = await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}` } });
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`GET ${path}: ${answer.status}`);
      times[name]?.push(performance.now() - from);
    }
    await systemClock.sleep(pause);
  }
  parentPort?.postMessage(times);
}

if (parentPort) await ask(workerData as Asked);
