import { randomUUID } from 'node:crypto';
import {
  after,
  badRequest,
  conflict,
  FieldErrors,
  ISSUER,
  notFound,
  type TokenClaims,
  timestamp,
} from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { mutate, validate } from '../admission/admission.ts';
import type { Answer } from '../http/answer.ts';
import { bodyOf } from '../resources/resource-requests.ts';
import { requireItem } from '../write/write.ts';
import type { SubresourceRequest } from './subresource-request.ts';

interface Reference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
}

interface TokenRequest {
  metadata?: { name?: string; namespace?: string; uid?: string };
  spec?: Partial<TokenSpec>;
  status?: object;
}

interface TokenSpec {
  audiences: string[] | null;
  expirationSeconds: number;
  boundObjectRef: Reference | null;
}

type AskedToken = KubeObject & { spec: TokenSpec };
type CheckedToken = KubeObject & { spec: TokenSpec & { audiences: string[] } };

const KIND = { group: 'authentication.k8s.io', name: 'TokenRequest' };

/** Tokens that are asked for this long, bound to a pod and for this server, live a year and are told as stale afterwards. */
const EXTENDED = 3607;
const YEAR = 365 * 86_400;

/** POST of `serviceaccounts/token`. */
export function issueToken(request: SubresourceRequest): Answer | Promise<Answer> {
  const { operation } = request;
  const { info } = operation;
  const { metadata, spec, status } = bodyOf(request) as TokenRequest;
  const asked: AskedToken = {
    kind: KIND.name,
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { namespace: info.namespace, ...metadata },
    spec: { audiences: null, expirationSeconds: 3600, boundObjectRef: null, ...spec },
    status: status ?? { token: '', expirationTimestamp: null },
  };
  const kind = { group: KIND.group, version: 'v1', kind: KIND.name };
  return after(mutate(operation.attributes('CREATE', asked, undefined, { kind })), () => {
    const token = checkedToken(request, asked);
    const validated = validate(operation.attributes('CREATE', token, undefined, { kind }));
    return after(validated, () => signedToken(request, token));
  });
}

/** The request with what the account and the server add to it. */
function checkedToken({ operation }: SubresourceRequest, { metadata, spec, ...rest }: AskedToken): CheckedToken {
  const { server, info } = operation;
  requireOwnName({ metadata }, info);
  const uid = requireItem(operation).object.metadata.uid ?? '';
  if (metadata.uid && metadata.uid !== uid)
    throw conflict(
      KIND,
      info.name,
      `the UID in the token request (${metadata.uid}) does not match the UID of the service account (${uid})`,
    );
  const { expirationSeconds, boundObjectRef } = spec;
  const errors = new FieldErrors();
  if (expirationSeconds < 600)
    errors.invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 10 minutes');
  if (expirationSeconds > 2 ** 32)
    errors.invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration larger than 2^32 seconds');
  errors.throwIfAny(KIND, '');
  return {
    ...rest,
    metadata: { name: info.name, namespace: info.namespace, uid, creationTimestamp: timestamp(server.clock) },
    spec: { audiences: spec.audiences?.length ? spec.audiences : [ISSUER], expirationSeconds, boundObjectRef },
    status: { token: '', expirationTimestamp: null },
  };
}

function signedToken(request: SubresourceRequest, token: CheckedToken): Answer {
  const { server, info } = request.operation;
  const { audiences, expirationSeconds, boundObjectRef } = token.spec;
  const now = Math.floor(server.clock.now() / 1000);
  const bindings = boundObjectRef ? bound(request, boundObjectRef) : {};
  const extended =
    bindings.pod !== undefined && expirationSeconds === EXTENDED && audiences.every((audience) => audience === ISSUER);
  const claims: TokenClaims = {
    aud: audiences,
    exp: now + (extended ? YEAR : expirationSeconds),
    iat: now,
    iss: ISSUER,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace: info.namespace,
      ...bindings,
      serviceaccount: { name: info.name, uid: token.metadata.uid as string },
      ...(extended ? { warnafter: now + expirationSeconds } : {}),
    },
    nbf: now,
    sub: `system:serviceaccount:${info.namespace}:${info.name}`,
  };
  const status = {
    token: server.tokens.sign(claims),
    expirationTimestamp: timestamp(server.clock, expirationSeconds),
  };
  return { code: 201, body: JSON.stringify({ ...token, status }) };
}

function requireOwnName({ metadata }: Pick<KubeObject, 'metadata'>, info: { name: string; namespace: string }): void {
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
  const { serviceAccountName, nodeName } = (object.spec ?? {}) as coreV1.PodSpec;
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
