import type { RetryStrategy } from '@tiphys/api';
import { parseDuration } from './duration.ts';

/** Upstream defaults: 5 s, doubled, at most 3 minutes. */
const defaults = { duration: 5_000, factor: 2, maxDuration: 180_000 };

/**
 * Milliseconds to wait before attempt `retryCount + 1`: duration × factor^retryCount, at most maxDuration.
 * Returns the name of the field instead if a duration cannot be read.
 */
export function retryDelay(strategy: RetryStrategy | undefined, retryCount: number): number | { invalid: string } {
  const backoff = strategy?.backoff;
  const duration = backoff?.duration ? parseDuration(backoff.duration) : defaults.duration;
  const maximum = backoff?.maxDuration ? parseDuration(backoff.maxDuration) : defaults.maxDuration;
  if (duration === undefined) return { invalid: `retry.backoff.duration: found "${backoff?.duration}"` };
  if (maximum === undefined) return { invalid: `retry.backoff.maxDuration: found "${backoff?.maxDuration}"` };
  const wait = duration * (backoff?.factor ?? defaults.factor) ** retryCount;
  return maximum > 0 ? Math.min(wait, maximum) : wait;
}

/** How long self-heal waits, in milliseconds: ever longer, or always the same time. */
export type SelfHealWait =
  | { readonly first: number; readonly factor: number; readonly maximum: number }
  | { readonly always: number };

/** Self-heal's wait before attempt `attempts + 1`, in milliseconds: none at first where it grows. */
export function selfHealDelay(attempts: number, wait: SelfHealWait): number {
  if ('always' in wait) return wait.always;
  return attempts === 0 ? 0 : Math.min(wait.first * wait.factor ** (attempts - 1), wait.maximum);
}
