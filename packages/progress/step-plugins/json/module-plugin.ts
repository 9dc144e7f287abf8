import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { failedPlugin } from '../model/diagnoses.ts';
import { type AskPlugin, missing } from './json-plugins.ts';

/** Milliseconds until an answer must be there; then the thread is ended, and the next call begins a new one. */
const timeout = 30_000;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };

/** What runs in the thread: answers calls with what the functions of the module return. */
const program = `
const { parentPort, workerData } = require('node:worker_threads');
const loaded = import(workerData);
loaded.catch(() => undefined);
parentPort.on('message', async ({ id, method, body }) => {
  try {
    const module = await loaded;
    const call = Object.hasOwn(module, method) ? module[method] : undefined;
    if (typeof call !== 'function') return parentPort.postMessage({ id, isMissing: true });
    parentPort.postMessage({ id, answer: JSON.stringify((await call(JSON.parse(body))) ?? null) });
  } catch (error) {
    parentPort.postMessage({ id, error: String(error?.message ?? error).slice(0, 500) });
  }
});
`;

interface Answer {
  readonly id: number;
  readonly isMissing?: boolean;
  readonly answer?: string;
  readonly error?: string;
}

/** Calls the functions that an ES module exports, in a thread of its own with bounded memory. */
export class ModulePlugin {
  readonly #file: string;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #worker: Worker | undefined;
  #last = 0;

  constructor(file: string, environment: Readonly<Record<string, string | undefined>>) {
    this.#file = file;
    this.#environment = environment;
  }

  readonly ask: AskPlugin = async (method, body) => {
    const worker = this.#running();
    this.#last += 1;
    const id = this.#last;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(() => {
      this.#end(worker, failedPlugin(`the plugin does not answer ${method} within ${timeout / 1000} s`));
    }, timeout);
    worker.postMessage({ id, method, body: JSON.stringify(body) });
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  };

  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker) this.#end(worker, failedPlugin('the controller is being stopped'));
    await worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(program, {
      eval: true,
      workerData: pathToFileURL(this.#file).href,
      env: { ...this.#environment },
      resourceLimits,
    });
    worker.unref();
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error: Error) =>
      this.#end(worker, failedPlugin(`the plugin fails: ${error.message}`, {}, error)),
    );
    worker.on('exit', (code) => this.#end(worker, failedPlugin(`the plugin ended with code ${code}`)));
    this.#worker = worker;
    return worker;
  }

  #settle({ id, isMissing, answer, error }: Answer): void {
    const waiting = this.#waiting.get(id);
    if (error !== undefined) waiting?.reject(failedPlugin(error));
    else waiting?.resolve(isMissing ? missing : JSON.parse(answer ?? 'null'));
  }

  #end(worker: Worker, reason: Error): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    for (const waiting of this.#waiting.values()) waiting.reject(reason);
    void worker.terminate();
  }
}
