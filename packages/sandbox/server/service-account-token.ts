import { randomUUID } from 'node:crypto';
import type { Answer } from './answer.ts';
import { FieldErrors } from './field-errors.ts';
import { bodyOf } from './resource-requests.ts';
import { conflict, notFound } from './status.ts';
import type { SubresourceRequest } from './subresources.ts';
import { ISSUER, type TokenClaims } from './tokens.ts';
import { requireItem } from './write.ts';

interface TokenRequest {
  spec?: {
    audiences?: string[];
    expirationSeconds?: number;
    boundObjectRef?: { kind?: string; name?: string; uid?: string };
  };
}

/** POST of `serviceaccounts/token`. */
export function issueToken(request: SubresourceRequest): Answer {
  const { operation } = request;
  const { server, info } = operation;
  const account = requireItem(operation).object;
  const body = bodyOf(request) as TokenRequest;
  const { expirationSeconds = 3600, boundObjectRef } = body.spec ?? {};
  const audiences = body.spec?.audiences?.length ? body.spec.audiences : [ISSUER];
  const errors = new FieldErrors();
  if (expirationSeconds < 600)
    errors.invalid('spec.expirationSeconds', expirationSeconds, 'may not specify a duration less than 10 minutes');
  errors.throwIfAny({ group: 'authentication.k8s.io', name: 'TokenRequest' }, '');
  const now = Math.floor(server.clock.now() / 1000);
  const claims: TokenClaims = {
    aud: audiences,
    exp: now + expirationSeconds,
    iat: now,
    iss: ISSUER,
    jti: randomUUID(),
    'kubernetes.io': {
      namespace: info.namespace,
      serviceaccount: { name: info.name, uid: account.metadata.uid ?? '' },
      ...bound(request, boundObjectRef),
    },
    nbf: now,
    sub: `system:serviceaccount:${info.namespace}:${info.name}`,
  };
  const answer = {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      name: info.name,
      namespace: info.namespace,
      uid: account.metadata.uid,
      creationTimestamp: new Date(now * 1000).toISOString().replace('.000', ''),
    },
    spec: { audiences, expirationSeconds, boundObjectRef: boundObjectRef ?? null },
    status: {
      token: server.tokens.sign(claims),
      expirationTimestamp: new Date(claims.exp * 1000).toISOString().replace('.000', ''),
    },
  };
  return { code: 201, body: JSON.stringify(answer) };
}

function bound(
  { operation }: SubresourceRequest,
  reference: { kind?: string; name?: string; uid?: string } | undefined,
): object {
  if (!reference) return {};
  const plural = reference.kind === 'Pod' ? 'pods' : 'secrets';
  const name = reference.name ?? '';
  const object = operation.server.store.collection(plural).get(`${operation.info.namespace}/${name}`)?.object;
  if (!object) throw notFound({ group: '', name: plural }, name);
  const uid = object.metadata.uid ?? '';
  if (reference.uid && reference.uid !== uid)
    throw conflict(
      { group: '', name: plural },
      name,
      `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return { [plural === 'pods' ? 'pod' : 'secret']: { name, uid } };
}
