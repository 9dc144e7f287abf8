import type { Clock } from '@tiphys/kubernetes';
import type { Backoff } from '../spec/common.ts';
import { parseDuration } from '../spec/duration.ts';
import { type SpecProblem, wrong } from '../spec/spec-problem.ts';

/** The waits between the tries of a strategy, in milliseconds; one fewer than there are tries. */
export function* waitsOf(strategy: Backoff | undefined, random: () => number): Generator<number> {
  if (!strategy) return;
  const steps = strategy.steps || 5;
  const factor = numberOf(strategy.factor, 1);
  const jitter = numberOf(strategy.jitter, 1);
  let wait = strategy.duration === undefined ? 1000 : parseDuration(strategy.duration);
  for (let i = 1; i < steps; i++) {
    yield wait * (1 + random() * jitter);
    // 0 leaves it as it is, as wait.Backoff of Kubernetes
    if (factor !== 0) wait *= factor;
  }
}

function numberOf(value: string | number | undefined, absent: number): number {
  const number = value === undefined ? absent : Number(value);
  return Number.isFinite(number) ? number : absent;
}

/** What is wrong with a strategy; undefined if nothing. */
export function backoffProblem({ duration, factor, jitter, steps }: Backoff): SpecProblem | undefined {
  try {
    if (duration !== undefined && parseDuration(duration) < 0)
      return wrong('duration', `duration ${duration} is less than 0`, 'Write a duration such as 1s');
  } catch (error) {
    return wrong('duration', `duration: ${(error as Error).message}`, 'Write a duration such as 1s');
  }
  for (const [name, value] of Object.entries({ factor, jitter, steps }))
    if (value !== undefined && !(value !== '' && Number(value) >= 0 && Number.isFinite(Number(value))))
      return wrong(
        name,
        `${name} is ${JSON.stringify(value)}, it must be a number that is not less than 0`,
        'Write a number',
      );
  return undefined;
}

export interface Attempts {
  readonly strategy: Backoff | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told of each failure that is tried again, with the wait in milliseconds. */
  readonly onRetry?: (error: unknown, wait: number) => void;
}

/** Tries until it succeeds or the strategy ends; then throws the last error. Without a strategy it is tried once. */
export async function withRetry<T>(attempts: Attempts, run: () => Promise<T>): Promise<T> {
  const waits = waitsOf(attempts.strategy, attempts.random);
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const next = waits.next();
      if (next.done || attempts.signal.aborted) throw error;
      attempts.onRetry?.(error, next.value);
      await attempts.clock.sleep(next.value, attempts.signal);
    }
  }
}
