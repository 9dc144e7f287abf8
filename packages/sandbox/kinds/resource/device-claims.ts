import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, type ServerContext, type Strategy, validateTemplateMeta } from '@tiphys/apimachinery';
import type { KubeObject, ObjectMeta } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { adminResult, dropOfStatus, validateClaimStatus } from './device-allocation.ts';
import { type ClaimSpec, defaultClaimSpec, dropOfClaim, validateClaimSpec } from './device-requests.ts';

const ADMIN_LABEL = 'resource.kubernetes.io/admin-access';

/** Administrators' access to devices is for namespaces that say so. */
function validateAdmin(at: string | undefined, object: KubeObject, server: ServerContext, errors: FieldErrors): void {
  if (at === undefined) return;
  const item = server.store.collection('/namespaces').get(object.metadata.namespace ?? '');
  if (item?.object.metadata.labels?.[ADMIN_LABEL] !== 'true')
    errors.forbidden(
      at,
      `admin access to devices requires the \`${ADMIN_LABEL}: true\` label on the containing namespace`,
    );
}

function adminRequest(spec: ClaimSpec | undefined): string | undefined {
  const index = (spec?.devices?.requests ?? []).findIndex(({ exactly }) => exactly?.adminAccess);
  return index < 0 ? undefined : `spec.devices.requests[${index}].adminAccess`;
}

function keepSpec({ spec }: KubeObject, old: KubeObject, errors: FieldErrors): void {
  if (!isDeepStrictEqual(spec, old.spec)) errors.invalid('spec', spec, 'field is immutable');
}

const specOf = ({ spec }: KubeObject): ClaimSpec | undefined => spec as ClaimSpec | undefined;

export const resourceClaim: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: true,
  defaults: (object) => defaultClaimSpec(specOf(object)),
  prepareCreate: (object) => dropOfClaim(specOf(object)),
  prepareUpdate: (object) => dropOfClaim(specOf(object)),
  prepareStatus: (object, old) => dropOfStatus(object, old),
  validate: (object, errors) => validateClaimSpec(specOf(object), 'spec', errors),
  validateCreate: (object, errors, { server }) => validateAdmin(adminRequest(specOf(object)), object, server, errors),
  validateUpdate: keepSpec,
  validateStatus(object, old, errors, { server }) {
    if (adminResult(old) === undefined) validateAdmin(adminResult(object), object, server, errors);
    validateClaimStatus(object, old, errors);
  },
};

interface Template {
  metadata?: ObjectMeta;
  spec?: ClaimSpec;
}

const templateOf = ({ spec }: KubeObject): Template => (spec ?? {}) as Template;

export const resourceClaimTemplate: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: false,
  defaults: (object) => defaultClaimSpec(templateOf(object).spec),
  prepareCreate: (object) => dropOfClaim(templateOf(object).spec),
  prepareUpdate: (object) => dropOfClaim(templateOf(object).spec),
  validate(object, errors) {
    const { metadata, spec } = templateOf(object);
    validateTemplateMeta(metadata, 'spec.metadata', errors);
    validateClaimSpec(spec, 'spec.spec', errors);
  },
  validateCreate: (object, errors, { server }) =>
    validateAdmin(adminRequest(templateOf(object).spec), object, server, errors),
  validateUpdate: keepSpec,
};

export function deviceClaimState(o: KubeObject): string {
  const deleted = o.metadata.deletionTimestamp !== undefined;
  const states = deleted ? ['deleted'] : [];
  if (at(o, 'status.allocation')) {
    states.push('allocated');
    if (listAt(o, 'status.reservedFor').length) states.push('reserved');
  } else if (!deleted) states.push('pending');
  return states.join(',');
}

export const resourceClaims: BuiltinKind = {
  strategy: resourceClaim,
  cells: (o, now) => [name(o), deviceClaimState(o), age(o, now)],
};

export const resourceClaimTemplates: BuiltinKind = {
  strategy: resourceClaimTemplate,
};
