import { timingSafeEqual } from 'node:crypto';
import {
  fieldManagerOf,
  LEGACY_ISSUER,
  type LegacyClaims,
  type Resource,
  type ServerContext,
  type TokenSigner,
  type User,
} from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';

const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

/** A token without end for the account, valid while the Secret holds it. */
export function signLegacy(tokens: TokenSigner, account: KubeObject, secret: KubeObject): string {
  const { namespace = '', name = '', uid = '' } = account.metadata;
  return tokens.sign({
    iss: LEGACY_ISSUER,
    'kubernetes.io/serviceaccount/namespace': namespace,
    'kubernetes.io/serviceaccount/secret.name': secret.metadata.name ?? '',
    'kubernetes.io/serviceaccount/service-account.name': name,
    'kubernetes.io/serviceaccount/service-account.uid': uid,
    sub: `system:serviceaccount:${namespace}:${name}`,
  });
}

/**
 * The user of a token that a Secret holds: while the Secret has just this token and the service account is there; else
 * the problem. Notes the day of its use at the Secret, as kube-apiserver does.
 */
export function legacyTokenUser(
  token: string,
  claims: LegacyClaims,
  server: ServerContext,
  warn: (text: string) => void,
): User | string {
  const { store } = server;
  const namespace = claims['kubernetes.io/serviceaccount/namespace'];
  const name = claims['kubernetes.io/serviceaccount/service-account.name'];
  const uid = claims['kubernetes.io/serviceaccount/service-account.uid'];
  const secrets = store.collection('secrets');
  const item = secrets.get(`${namespace}/${claims['kubernetes.io/serviceaccount/secret.name']}`);
  const account = store.collection('serviceaccounts').get(`${namespace}/${name}`)?.object;
  if (!item || item.object.metadata.deletionTimestamp) return 'Token has been invalidated';
  if (!holds(item.object, token)) return "Token does not match server's copy";
  if (!account) return `serviceaccounts ${JSON.stringify(name)} not found`;
  if (account.metadata.deletionTimestamp) return `ServiceAccount ${namespace}/${name} has been deleted`;
  if (account.metadata.uid !== uid) return `ServiceAccount UID (${account.metadata.uid}) does not match claim (${uid})`;
  const used = markUsed(item.object, server);
  if (used) store.put(secrets, item.key, used);
  if (item.object.metadata.labels?.[INVALID_SINCE])
    return `the token in secret ${item.key} for service account ${namespace}/${name} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the '${INVALID_SINCE}' label from the secret to temporarily allow use of this token`;
  const references = (account.secrets ?? []) as coreV1.ObjectReference[];
  if (references.some((reference) => reference.name === item.object.metadata.name))
    warn(
      'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.',
    );
  return {
    name: `system:serviceaccount:${namespace}:${name}`,
    uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  };
}

function holds(secret: KubeObject, token: string): boolean {
  const [kept, given] = [
    Buffer.from((secret.data as Record<string, string> | undefined)?.token ?? '', 'base64'),
    Buffer.from(token),
  ];
  return kept.length === given.length && timingSafeEqual(kept, given);
}

function markUsed(secret: KubeObject, server: ServerContext): KubeObject | undefined {
  const { clock, registry } = server;
  const day = (offset: number) => new Date(clock.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const { labels } = secret.metadata;
  const last = labels?.[LAST_USED];
  if (last === day(0) || last === day(1)) return undefined;
  const next = { ...secret, metadata: { ...secret.metadata, labels: { ...labels, [LAST_USED]: day(0) } } };
  const resource = registry.find('', 'v1', 'secrets') as Resource;
  return fieldManagerOf(server, resource, '').update(secret, next, 'kube-apiserver');
}
