import { ISSUER, isLegacy, type ServerContext, type TokenClaims, type User } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import { legacyTokenUser } from './legacy-token.ts';

/** Whom a token stands for and which of the wanted audiences it is for, or why it stands for nobody. */
export type TokenVerdict = { user: User; audiences: readonly string[] } | { problem: string };

/** Seconds by which clocks may differ, and for which a deleted account is still believed in. */
const LEEWAY = 60;

/** Judges a service account's token, of either kind, for one of the audiences; the problems are kube-apiserver's words. */
export function judgeToken(
  token: string,
  server: ServerContext,
  wanted: readonly string[],
  warn: (text: string) => void,
): TokenVerdict {
  const claims = server.tokens.verify(token);
  if (!claims) return { problem: 'invalid bearer token' };
  const given = isLegacy(claims) ? [ISSUER] : claims.aud;
  const audiences = wanted.filter((audience) => given.includes(audience));
  if (!audiences.length)
    return {
      problem: `[invalid bearer token, token audiences ${quoted(given)} is invalid for the target audiences ${quoted(wanted)}]`,
    };
  const user = isLegacy(claims) ? legacyTokenUser(token, claims, server, warn) : boundTokenUser(claims, server);
  return typeof user === 'string' ? { problem: `[invalid bearer token, ${user}]` } : { user, audiences };
}

function quoted(texts: readonly string[]): string {
  return `[${texts.map((text) => JSON.stringify(text)).join(' ')}]`;
}

/** The user of the claims, while the account and what it is bound to are there; else the problem. */
function boundTokenUser(claims: TokenClaims, server: ServerContext): User | string {
  const now = server.clock.now() / 1000;
  if (claims.exp + LEEWAY < now) return 'service account token has expired';
  if (claims.nbf - LEEWAY > now) return 'service account token is not valid yet';
  const { namespace, serviceaccount: account, pod, node, secret } = claims['kubernetes.io'];
  const find = (collection: string, key: string) => server.store.collection(collection).get(key)?.object;
  const found = find('serviceaccounts', `${namespace}/${account.name}`);
  if (!found) return `serviceaccounts ${JSON.stringify(account.name)} not found`;
  if (found.metadata.uid !== account.uid)
    return `service account UID (${found.metadata.uid}) does not match claim (${account.uid})`;
  if (isGone(found, now)) return `service account ${namespace}/${account.name} has been deleted`;
  for (const [kind, reference, object] of [
    ['secret', secret, secret && find('secrets', `${namespace}/${secret.name}`)],
    ['pod', pod, pod && find('pods', `${namespace}/${pod.name}`)],
    ['node', pod ? undefined : node, node && find('nodes', node.name)],
  ] as const) {
    if (!reference) continue;
    if (!object || isGone(object, now)) return 'service account token has been invalidated';
    if (object.metadata.uid !== reference.uid)
      return `${kind} UID (${object.metadata.uid}) does not match service account ${kind} ref claim (${reference.uid})`;
  }
  return {
    name: `system:serviceaccount:${namespace}:${account.name}`,
    uid: account.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra: {
      'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
      ...(node
        ? {
            'authentication.kubernetes.io/node-name': [node.name],
            ...(node.uid ? { 'authentication.kubernetes.io/node-uid': [node.uid] } : {}),
          }
        : {}),
      ...(pod
        ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] }
        : {}),
    },
  };
}

function isGone({ metadata }: KubeObject, now: number): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) / 1000 < now - LEEWAY;
}
