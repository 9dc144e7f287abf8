import { throttleOptions } from './session/login-throttle.ts';
import { dexAddress } from './sso/dex-address.ts';
import type { ServerOptions } from './start-server.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of the server from the variables of Argo CD's API server: limits of logins and the address of Dex. */
export function environmentOptions(env: Environment): Pick<ServerOptions, 'throttle' | 'dexServer'> {
  const dex = env.ARGOCD_SERVER_DEX_SERVER ?? env.ARGOCD_DEX_SERVER;
  return {
    throttle: throttleOptions(env),
    ...(dex ? { dexServer: dexAddress(dex, env.ARGOCD_SERVER_DEX_SERVER_PLAINTEXT === 'true') } : {}),
  };
}
