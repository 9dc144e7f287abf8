import { keyString, pause } from '@tiphys/kubernetes';
import type { SyncOutcome, SyncState } from './model.ts';
import type { StepRequest } from './step-request.ts';
import { stepSync } from './step-sync.ts';

const lookPeriod = 2000;

/** Steps until the operation is over, looking again when an object of the plan or a descendant of one changes. For those who have no reconcile loop. */
export async function executeSync(request: StepRequest): Promise<SyncOutcome> {
  const { plan, cache, clock, signal, onProgress } = request;
  const keys = new Set(plan.tasks.map(({ key }) => keyString(key)));
  let wake: () => void = () => undefined;
  const unsubscribe = cache.subscribe((changes) => {
    if (changes.some(({ key, instances }) => keys.has(keyString(key)) || instances.length > 0)) wake();
  });
  try {
    let state: SyncState | undefined = request.state;
    for (;;) {
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      state = await stepSync({ ...request, ...(state ? { state } : {}) });
      await onProgress?.(state);
      if (state.phase !== 'Running') return state;
      const timer = new AbortController();
      const slept = pause(clock, lookPeriod, AbortSignal.any([signal, timer.signal]));
      await Promise.race([changed, slept]);
      timer.abort();
      signal.throwIfAborted();
    }
  } finally {
    unsubscribe();
  }
}
