import type { Clock } from '@tiphys/kubernetes';
import type { TokenSigner } from '../server/tokens.ts';
import type { Store } from '../store/store.ts';
import type { Registry } from './registry.ts';

/** What request handlers share. */
export interface ServerContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly tokens: TokenSigner;
  /** By what kubelets know this server, PEM. */
  readonly kubeletClient: { readonly key: string; readonly cert: string };
  /** The parts of a control plane that run beside the API server: `scheduler`, `controller-manager`. */
  readonly components: ReadonlySet<string>;
}
