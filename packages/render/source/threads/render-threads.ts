import type { RenderTurns } from '../turns/render-turns.ts';
import type { ChartRenderer } from './chart-renderer.ts';
import type { JsonnetRenderer } from './jsonnet-renderer.ts';
import type { ThreadLimits } from './thread-pool.ts';

/** The threads that render. Each kind is loaded when the first source needs it, so that no other source waits for it at the start. */
export class RenderThreads {
  readonly limits: ThreadLimits;
  readonly #turns: RenderTurns;
  #charts: Promise<ChartRenderer> | undefined;
  #jsonnet: Promise<JsonnetRenderer> | undefined;

  constructor(limits: ThreadLimits, turns: RenderTurns) {
    this.limits = limits;
    this.#turns = turns;
  }

  charts(): Promise<ChartRenderer> {
    this.#charts ??= import('./chart-renderer.ts').then((module) => new module.ChartRenderer(this.limits, this.#turns));
    return this.#charts;
  }

  jsonnet(): Promise<JsonnetRenderer> {
    this.#jsonnet ??= import('./jsonnet-renderer.ts').then(
      (module) => new module.JsonnetRenderer(this.limits, this.#turns),
    );
    return this.#jsonnet;
  }

  /** Ends the threads. */
  async close(): Promise<void> {
    const [charts, jsonnet] = [this.#charts, this.#jsonnet];
    this.#charts = undefined;
    this.#jsonnet = undefined;
    await Promise.all([charts, jsonnet].map(async (renderer) => (await renderer)?.close()));
  }
}
