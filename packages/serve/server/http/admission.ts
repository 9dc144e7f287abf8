import { sameSecret } from '@tiphys/webhooks';
import { needsIdentity } from '../rpc/dispatcher.ts';
import type { Admit } from '../rpc/grpc.ts';
import type { Identity } from '../rpc/identity.ts';
import { Code, RpcError, rpcErrorOf, unauthenticated } from '../rpc/rpc-error.ts';
import type { Sessions } from '../session/sessions.ts';
import type { ControlPlane } from '../settings/control-plane.ts';
import { tokenOfCookies } from '../transport/cookies.ts';
import type { CallRates } from './call-rates.ts';

export interface AdmissionOptions {
  readonly rates: CallRates;
  /** Nobody has to say who they are. */
  readonly disabled: () => boolean;
  /** Where it is given, nobody else's calls are let through, and nobody is anybody. */
  readonly soleToken?: string;
}

/** Finds the token of a request (metadata `token`, `Authorization: Bearer`, cookie `argocd.token`) and who it speaks for. */
export function admission(
  sessions: Sessions,
  plane: ControlPlane,
  { rates, disabled, soleToken }: AdmissionOptions,
): Admit {
  return async ({ path, header, signal }) => {
    const token =
      header('token') ||
      bearerToken(header('authorization')) ||
      tokenOfCookies(header('cookie') ?? header('grpcgateway-cookie'));
    if (soleToken !== undefined) {
      if (needsIdentity(path) && !sameSecret(token ?? '', soleToken))
        throw unauthenticated('this server serves whoever started it alone');
      return { method: path, identity: undefined, signal, token: undefined, header };
    }
    let identity: Identity | undefined;
    let renewed: string | undefined;
    let refusal: RpcError | undefined;
    try {
      if (token) ({ identity, renewed } = await sessions.authenticate(token));
      else refusal = unauthenticated('no session information');
    } catch (error) {
      refusal = rpcErrorOf(error);
    }
    if (
      refusal &&
      needsIdentity(path) &&
      !disabled() &&
      plane.configMap('argocd-cm')['users.anonymous.enabled'] !== 'true'
    )
      throw refusal;
    if (identity && !rates.take(identity.subject))
      throw new RpcError(Code.ResourceExhausted, `${identity.subject} sends too many requests; wait a moment`);
    return { method: path, identity, signal, token, header, ...(renewed ? { renewed } : {}) };
  };
}

function bearerToken(header: string | undefined): string | undefined {
  const token = /^Bearer\s+(\S+)$/i.exec(header ?? '')?.[1];
  // basic credentials of a proxy in front also come in this header; only a JWT is ours
  return token && token.split('.').length === 3 ? token : undefined;
}
