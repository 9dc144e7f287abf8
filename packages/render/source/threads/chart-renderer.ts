import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { renderTooCostly } from '../request/diagnoses.ts';
import type { AskedLookup } from '../request/lookups.ts';
import type { TurnRequest } from '../request/turn-request.ts';
import type { RenderTurns } from '../turns/render-turns.ts';
import type { ChartAnswer, ChartTask } from './chart-thread.ts';
import type { HelmRendering } from './render-helm.ts';
import { type ThreadLimits, ThreadPool, ThreadStopped, timeOutside } from './thread-pool.ts';

/** A chart to render. Its files are asked for when the thread that gets it does not know them. */
export interface ChartRequest extends Omit<ChartTask, 'chart' | 'time'>, TurnRequest {
  readonly chart: {
    /** Equal for equal files in the same folder. */
    readonly key: string;
    readonly folder: string;
    files(): Promise<Readonly<Record<string, Uint8Array>>>;
  };
  /** What was looked up is told here, also if the render fails. */
  readonly onLookups: (lookups: readonly AskedLookup[]) => void;
  /** The schema outside of the chart that the render lacks. */
  readonly onSchema?: (url: string) => void;
  readonly signal?: AbortSignal;
}

/** Templates may be nested as deep as Go allows. */
const stack = 64;

/** Renders charts in threads of their own: one that takes too long or too much is ended, and the process goes on. */
export class ChartRenderer {
  readonly #limits: ThreadLimits;
  readonly #pool: ThreadPool;

  constructor(limits: ThreadLimits, turns: RenderTurns) {
    this.#limits = limits;
    const module = new URL('./chart-thread.ts', import.meta.url);
    this.#pool = new ThreadPool({ module, turns, idle: limits.idle, memory: limits.memory, stack });
  }

  /** The threads, for other work of this kind. */
  get pool(): ThreadPool {
    return this.#pool;
  }

  /** Threads that are alive; none before the first chart. */
  get threads(): number {
    return this.#pool.size;
  }

  async render(request: ChartRequest): Promise<HelmRendering> {
    const { chart, onLookups, onSchema, signal, caller, onWait, ...rest } = request;
    const { key, folder } = chart;
    const { time } = this.#limits;
    const answer = await this.#pool
      .run<Exclude<ChartAnswer, { kind: 'chart-unknown' }>>(
        async (thread) => {
          const ask = (files?: Readonly<Record<string, Uint8Array>>) =>
            thread.ask({
              ...rest,
              time,
              chart: { key, folder, ...(files ? { files } : {}) },
            } satisfies ChartTask) as Promise<ChartAnswer>;
          const known = thread.notes.has(key) ? await ask() : undefined;
          const first = known && known.kind !== 'chart-unknown' ? known : await ask(await chart.files());
          thread.notes.add(key);
          if (first.kind === 'chart-unknown') throw new Error('a thread does not know the chart that it was given');
          return first;
        },
        {
          caller,
          onWait,
          time: timeOutside(this.#limits),
          prefers: ({ notes }) => notes.has(key),
          ...(signal ? { signal } : {}),
        },
      )
      .catch((error: unknown) => {
        throw error instanceof ThreadStopped ? this.#stopped(error, folder) : error;
      });
    onLookups(answer.lookups);
    if (answer.kind === 'failed' && answer.schema !== undefined) onSchema?.(answer.schema);
    if (answer.kind === 'rendered') return answer.rendering;
    throw new DiagnosisError(answer.diagnosis, { handling: answer.handling });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #stopped(error: ThreadStopped, folder: string): DiagnosisError {
    const where = folder || 'at the root of the repository';
    const { memory } = this.#limits;
    if (error.limit === 'memory')
      return failure(renderTooCostly, {
        message: `The chart ${where} needs more than ${memory} MB to be rendered, and was stopped`,
        place: { file: folder },
        remedies: ['Look for templates that build large texts or lists', 'Split the application'],
      });
    return failure(
      renderTooCostly,
      {
        message: `The chart ${where} did not render within ${timeOutside(this.#limits) / 1000} s, and was stopped`,
        place: { file: folder },
        remedies: ['Look for endless loops in its templates, or in those of its dependencies'],
      },
      { handling: 'retryable' },
    );
  }
}
