import type { Clock } from '@tiphys/kubernetes';
import type { Store } from '../store/store.ts';
import type { Registry } from './registry.ts';
import type { TokenSigner } from './tokens.ts';

/** What request handlers share. */
export interface ServerContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly tokens: TokenSigner;
}

/** The clock's time as `metadata.creationTimestamp` writes it. */
export function timestamp(clock: Clock, plusSeconds = 0): string {
  return `${new Date(clock.now() + plusSeconds * 1000).toISOString().slice(0, 19)}Z`;
}
