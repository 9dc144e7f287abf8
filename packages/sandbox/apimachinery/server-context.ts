import type { Clock } from '@tiphys/kubernetes';
import type { Store } from '@tiphys/store';
import type { Authorizer } from './access/authorizer.ts';
import type { TokenSigner } from './access/tokens.ts';
import type { Registry } from './registry.ts';

/** What request handlers share. */
export interface ServerContext {
  readonly store: Store;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly tokens: TokenSigner;
  readonly authorizer: Authorizer;
  /** By what kubelets know this server, PEM. */
  readonly kubeletClient: { readonly key: string; readonly cert: string };
  /** The parts of a control plane that run beside the API server: `scheduler`, `controller-manager`. */
  readonly components: ReadonlySet<string>;
}
