import { randomUUID } from 'node:crypto';
import type { KubeObject } from '@tiphys/kubernetes';
import { validate } from '../admission/admission.ts';
import { after } from '../machinery/after.ts';
import { FieldErrors } from '../machinery/field-errors.ts';
import { badRequest, conflict, notFound } from '../machinery/status.ts';
import { timestamp } from '../machinery/timestamp.ts';
import type { Answer } from './answer.ts';
import { bodyOf } from './resource-requests.ts';
import type { SubresourceRequest } from './subresource-request.ts';
import { ISSUER, type TokenClaims } from './tokens.ts';
import { requireItem } from './write.ts';

interface Reference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
}

interface TokenRequest {
  metadata?: { name?: string; namespace?: string; uid?: string };
  spec?: { audiences?: string[]; expirationSeconds?: number; boundObjectRef?: Reference | null };
}

const KIND = { group: 'authentication.k8s.io', name: 'TokenRequest' };

/** Tokens that are asked for this long, bound to a pod and for this server, live a year and are told as stale afterwards. */
const EXTENDED = 3607;
const YEAR = 365 * 86_400;

/** POST of `serviceaccounts/token`. */
export function issueToken(request: SubresourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const { server, info } = operation;
  const body = bodyOf(request) as TokenRequest;
  requireOwnName(body, info);
  const account = requireItem(operation).object;
  const uid = account.metadata.uid ?? '';
  if (body.metadata?.uid && body.metadata.uid !== uid)
    throw conflict(
      KIND,
      info.name,
      `the UID in the token request (${body.metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  const { expirationSeconds = 3600, boundObjectRef = null } = body.spec ?? {};
  const audiences = body.spec?.audiences?.length ? body.spec.audiences : [ISSUER];
  const errors = new FieldErrors();
  if (expirationSeconds < 600)
    errors.invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 10 minutes');
  if (expirationSeconds > 2 ** 32)
    errors.invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  errors.throwIfAny(KIND, '');
  const object: KubeObject = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: info.name, namespace: info.namespace, uid, creationTimestamp: timestamp(server.clock) },
    spec: { audiences, expirationSeconds, boundObjectRef },
    status: { token: '', expirationTimestamp: null },
  };
  const kind = { group: KIND.group, version: 'v1', kind: KIND.name };
  return after(validate(operation.attributes('CREATE', object, undefined, { kind })), () => {
    const now = Math.floor(server.clock.now() / 1000);
    const bindings = boundObjectRef ? bound(request, boundObjectRef) : {};
    const extended =
      bindings.pod !== undefined &&
      expirationSeconds === EXTENDED &&
      audiences.every((audience) => audience === ISSUER);
    const claims: TokenClaims = {
      aud: audiences,
      exp: now + (extended ? YEAR : expirationSeconds),
      iat: now,
      iss: ISSUER,
      jti: randomUUID(),
      'kubernetes.io': {
        namespace: info.namespace,
        ...bindings,
        serviceaccount: { name: info.name, uid },
        ...(extended ? { warnafter: now + expirationSeconds } : {}),
      },
      nbf: now,
      sub: `system:serviceaccount:${info.namespace}:${info.name}`,
    };
    const status = {
      token: server.tokens.sign(claims),
      expirationTimestamp: timestamp(server.clock, expirationSeconds),
    };
    return { code: 201, body: JSON.stringify({ ...object, status }) };
  });
}

function requireOwnName({ metadata = {} }: TokenRequest, info: { name: string; namespace: string }): void {
  const errors = new FieldErrors();
  if (metadata.name && metadata.name !== info.name)
    errors.invalid('metadata.name', metadata.name, 'must match the service account name if specified');
  else if (metadata.namespace && metadata.namespace !== info.namespace)
    errors.invalid('metadata.namespace', metadata.namespace, 'must match the service account namespace if specified');
  errors.throwIfAny(KIND, info.name);
}

/** What the token lives and dies with. */
function bound(
  { operation }: SubresourceRequest,
  { apiVersion = '', kind = '', name = '', uid: wanted }: Reference,
): Partial<Pick<TokenClaims['kubernetes.io'], 'pod' | 'node' | 'secret'>> {
  const { info, server } = operation;
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const plural = group ? undefined : { Pod: 'pods', Node: 'nodes', Secret: 'secrets' }[kind];
  if (!plural) throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  const find = (collection: string, key: string) => server.store.collection(collection).get(key)?.object;
  const object = find(plural, plural === 'nodes' ? name : `${info.namespace}/${name}`);
  if (!object) throw notFound({ group: '', name: plural }, name);
  const uid = object.metadata.uid ?? '';
  const { serviceAccountName, nodeName } = (object.spec ?? {}) as { serviceAccountName?: string; nodeName?: string };
  if (plural === 'pods' && serviceAccountName !== info.name)
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(info.name)} to pod running with different serviceaccount name.`,
    );
  if (wanted && wanted !== uid)
    throw conflict(
      { group: '', name: kind },
      name,
      `the UID in the bound object reference (${wanted}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  if (plural === 'secrets') return { secret: { name, uid } };
  if (plural === 'nodes') return { node: { name, uid } };
  const nodeUid = nodeName ? find('nodes', nodeName)?.metadata.uid : undefined;
  return {
    ...(nodeName ? { node: { name: nodeName, ...(nodeUid ? { uid: nodeUid } : {}) } } : {}),
    pod: { name, uid },
  };
}
