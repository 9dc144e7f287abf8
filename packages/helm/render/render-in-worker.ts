import { Worker } from 'node:worker_threads';
import { type Diagnosis, DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { ValueSources } from '../values/assemble-values.ts';
import type { ClusterFacts } from './capabilities.ts';
import type { RenderedChart } from './render-chart.ts';
import type { ReleaseFacts } from './template-data.ts';

const stopped = defineDiagnosis(
  'HelmRenderStopped',
  'A render was cancelled, or took more time or memory than is allowed.',
  'M1',
);

/** A render as plain data, for another thread. */
export interface WorkerRequest {
  /** All files of the chart by path, or `{ archive }`. */
  readonly chart: { readonly files: Readonly<Record<string, Uint8Array>> } | { readonly archive: Uint8Array };
  readonly values: Omit<ValueSources, 'readFile'>;
  /** Texts of the files that `values.setFile` names. */
  readonly setFiles?: Readonly<Record<string, string>>;
  readonly release: ReleaseFacts;
  readonly cluster?: ClusterFacts;
  readonly skipSchemaValidation?: boolean;
  /** Values of earlier renders by the key of their generation; new ones come back in the result. */
  readonly recorded?: Readonly<Record<string, unknown>>;
}

export interface WorkerResult extends Pick<RenderedChart, 'manifests' | 'hooks' | 'crds' | 'notes' | 'reads'> {
  readonly warnings: readonly string[];
  /** All generated values of this render by key. */
  readonly recorded: Readonly<Record<string, unknown>>;
}

export interface WorkerLimits {
  /** Milliseconds; 60 seconds if not given. */
  readonly time?: number;
  /** Megabytes of heap; 1024 if not given. */
  readonly memory?: number;
  readonly signal?: AbortSignal;
}

/** What the worker answers. */
export type WorkerAnswer = { readonly result: WorkerResult } | { readonly diagnosis: Diagnosis };

/**
 * Renders in a thread of its own, which is ended when the signal aborts, the time is over or the memory used up: a
 * hostile chart can't hold the process. Rejects with the diagnosis of what went wrong.
 */
export function renderInWorker(request: WorkerRequest, limits: WorkerLimits = {}): Promise<WorkerResult> {
  const { time = 60_000, memory = 1024, signal } = limits;
  const worker = new Worker(new URL('./render-worker.ts', import.meta.url), {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: memory, stackSizeMb: 16 },
  });
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      worker.terminate().then(settle, settle);
    };
    const stop = (message: string, remedy: string): void =>
      end(() => reject(failure(stopped, { message, remedies: [remedy] }, { handling: 'retryable' })));
    const abort = (): void => stop('The render was cancelled', 'Render again');
    const timer = setTimeout(
      () => stop(`The chart did not render within ${time} ms`, 'Look for loops in its templates'),
      time,
    );
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) abort();
    worker.once('message', (answer: WorkerAnswer) =>
      end(() => ('result' in answer ? resolve(answer.result) : reject(new DiagnosisError(answer.diagnosis)))),
    );
    worker.once('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
        stop(`The chart needs more than ${memory} MB`, 'Look for templates that build large texts or lists');
      } else end(() => reject(error));
    });
  });
}
