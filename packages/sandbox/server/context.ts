import type { Clock } from '@tiphys/kubernetes';
import type { Store } from '../store/store.ts';
import type { Registry } from './registry.ts';

/** What request handlers share. */
export interface ServerContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
}

/** The clock's time as `metadata.creationTimestamp` writes it. */
export function timestamp(clock: Clock): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
}
