import { hostname } from 'node:os';
import { throttleOptions } from './session/login-throttle.ts';
import { servedAsOf } from './settings/served-as.ts';
import { dexAddress } from './sso/dex-address.ts';
import type { ServerOptions } from './start-server.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** All repositories are checked so often, in milliseconds. */
const checkInterval = 600_000;

/**
 * Options of the server from the environment: limits of logins, how it is served and the address of Dex by the variables of Argo CD's API
 * server; the pod's and node's names by POD_NAME and NODE_NAME; the folder of UI extensions by TIPHYS_EXTENSIONS, in a pod Argo CD's.
 */
export function environmentOptions(
  env: Environment,
): Pick<
  ServerOptions,
  | 'throttle'
  | 'fixed'
  | 'dexServer'
  | 'replica'
  | 'repositoryCheckInterval'
  | 'enabledEvents'
  | 'extensionsDir'
  | 'stylesDir'
> {
  const dex = env.ARGOCD_SERVER_DEX_SERVER ?? env.ARGOCD_DEX_SERVER;
  return {
    throttle: throttleOptions(env),
    fixed: servedAsOf(env),
    replica: { replica: env.POD_NAME || hostname(), node: env.NODE_NAME || hostname() },
    repositoryCheckInterval: checkInterval,
    enabledEvents: env.ARGOCD_ENABLE_K8S_EVENT,
    // on a machine of several people anybody may write to /tmp
    extensionsDir: env.TIPHYS_EXTENSIONS || (env.KUBERNETES_SERVICE_HOST ? '/tmp/extensions' : undefined),
    stylesDir: env.TIPHYS_STYLES || (env.KUBERNETES_SERVICE_HOST ? '/shared/app/custom' : undefined),
    ...(dex ? { dexServer: dexAddress(dex, env.ARGOCD_SERVER_DEX_SERVER_PLAINTEXT === 'true') } : {}),
  };
}
