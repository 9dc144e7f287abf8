import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, forbidden, isDnsLabel, type Strategy } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import {
  validateEndpoints,
  validateLease,
  validateNamespace,
  validateNode,
  validateNodeUpdate,
  validatePriorityClass,
  validateRevision,
  validateRevisionData,
  validateRuntimeClass,
} from './cluster-validation.ts';
import { validateEndpointSlice } from './endpoint-slice-validation.ts';
import { eventToNew, validateEvent } from './events.ts';
import { configKeyProblems } from './field-rules.ts';
import { cidrWarnings, ipWarnings } from './ip-addresses.ts';

function validateKeys(data: object | undefined, path: string, errors: FieldErrors): void {
  for (const key of Object.keys(data ?? {}))
    for (const text of configKeyProblems(key)) errors.invalid(`${path}[${key}]`, key, text);
}

const plain = { generation: false, statusSubresource: false } as const;

/** `immutable: true` can't be taken back and forbids changes of the data. */
function validateImmutable(object: KubeObject, old: KubeObject, fields: readonly string[], errors: FieldErrors): void {
  if (old.immutable !== true) return;
  if (object.immutable !== true) errors.forbidden('immutable', 'field is immutable when `immutable` is set');
  for (const field of fields)
    if (!isDeepStrictEqual(object[field], old[field]))
      errors.forbidden(field, 'field is immutable when `immutable` is set');
}

/** Bytes that ConfigMaps and Secrets hold at most. */
const MAX_DATA = 1024 * 1024;

function decodedSize(data: object): number {
  return Object.values(data as Record<string, string>).reduce(
    (sum, text) => sum + Buffer.byteLength(text ?? '', 'base64'),
    0,
  );
}

export const configMap: Strategy = {
  ...plain,
  validate(object, errors) {
    const binary = (object.binaryData ?? {}) as object;
    for (const key of Object.keys(object.data ?? {})) {
      validateKeys({ [key]: '' }, 'data', errors);
      if (Object.hasOwn(binary, key)) errors.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData');
    }
    validateKeys(object.binaryData as object | undefined, 'binaryData', errors);
    const texts = Object.values((object.data ?? {}) as Record<string, string>);
    const size = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) + decodedSize(binary);
    if (size > MAX_DATA) errors.tooLong('[]', MAX_DATA);
  },
  validateUpdate: (object, old, errors) => validateImmutable(object, old, ['data', 'binaryData'], errors),
};

const REQUIRED: Record<string, readonly string[]> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/basic-auth': ['username', 'password'],
};

export const secret: Strategy = {
  ...plain,
  defaults(object) {
    object.type ??= 'Opaque';
    const { stringData } = object as { stringData?: Record<string, string> };
    delete object.stringData;
    if (!stringData) return;
    const data = { ...(object.data as Record<string, string> | undefined) };
    for (const [key, value] of Object.entries(stringData)) data[key] = Buffer.from(value).toString('base64');
    object.data = Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)));
  },
  validate(object, errors) {
    const data = (object.data ?? {}) as Record<string, string>;
    validateKeys(data, 'data', errors);
    if (decodedSize(data) > MAX_DATA) errors.tooLong('data', MAX_DATA);
    const type = String(object.type);
    for (const key of REQUIRED[type] ?? []) if (data[key] === undefined) errors.required(`data[${key}]`);
    if (
      type === 'kubernetes.io/service-account-token' &&
      !object.metadata.annotations?.['kubernetes.io/service-account.name']
    )
      errors.required('metadata.annotations[kubernetes.io/service-account.name]');
    const docker = data['.dockerconfigjson'];
    if (type === 'kubernetes.io/dockerconfigjson' && docker !== undefined) {
      try {
        JSON.parse(Buffer.from(docker, 'base64').toString());
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        errors.invalid('data[.dockerconfigjson]', '<secret contents redacted>', error.message);
      }
    }
  },
  validateUpdate(object, old, errors) {
    if (object.type !== old.type) errors.invalid('type', object.type, 'field is immutable');
    validateImmutable(object, old, ['data'], errors);
  },
  fields: (object) => ({ type: String(object.type ?? '') }),
};

export const namespace: Strategy = {
  generation: false,
  statusSubresource: true,
  nameRule: isDnsLabel,
  defaults(object) {
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
    const status = (object.status ?? {}) as { phase?: string };
    object.status = { ...status, phase: status.phase || 'Active' };
  },
  prepareCreate(object) {
    const spec = (object.spec ?? {}) as { finalizers?: string[] };
    if (!spec.finalizers?.includes('kubernetes')) spec.finalizers = [...(spec.finalizers ?? []), 'kubernetes'];
    object.spec = spec;
    object.status = { phase: 'Active' };
  },
  validate: validateNamespace,
  validateStatus({ metadata, status }, _old, errors) {
    const { phase = '' } = (status ?? {}) as { phase?: string };
    if (!metadata.deletionTimestamp && phase !== 'Active')
      errors.invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty");
    if (metadata.deletionTimestamp && phase !== 'Terminating')
      errors.invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
  },
  prepareUpdate(object, old, context) {
    // Only the finalize subresource empties the list.
    if (context.subresource !== 'finalize') object.spec = old.spec;
  },
  fields: (object) => ({ 'status.phase': String((object.status as { phase?: string } | undefined)?.phase ?? '') }),
};

/** The namespaces that a cluster can't do without. */
export function refuseImmortalNamespace(name: string): void {
  if (['default', 'kube-system', 'kube-public'].includes(name))
    throw forbidden({ group: '', name: 'namespaces' }, name, 'this namespace may not be deleted');
}

interface NodeSpec {
  taints?: { key: string; effect: string }[];
  podCIDR?: string;
  podCIDRs?: string[];
  externalID?: string;
  configSource?: object;
}

const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const node: Strategy = {
  generation: false,
  statusSubresource: true,
  defaults(object) {
    const spec = (object.spec ?? {}) as NodeSpec;
    // the single range is the first of the list
    if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    else if (spec.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
    const { capacity, allocatable } = (object.status ?? {}) as Record<string, object | undefined>;
    if (capacity && !allocatable) object.status = { ...(object.status as object), allocatable: { ...capacity } };
  },
  // the admission plugin TaintNodesByCondition: nothing goes to a node before it has told that it is ready
  admit(object) {
    const spec = (object.spec ?? {}) as NodeSpec;
    object.spec = spec;
    if (!spec.taints?.some(({ key, effect }) => key === notReady.key && effect === notReady.effect))
      spec.taints = [...(spec.taints ?? []), notReady];
  },
  validate: validateNode,
  validateUpdate: validateNodeUpdate,
  validateStatus: validateNodeUpdate,
  warnings(object) {
    const { podCIDRs = [], externalID, configSource } = (object.spec ?? {}) as NodeSpec;
    return [
      ...(configSource ? ['spec.configSource: the feature is no longer supported'] : []),
      ...(externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
      ...podCIDRs.flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
    ];
  },
  fields: (object) => ({
    'spec.unschedulable': String((object.spec as { unschedulable?: boolean } | undefined)?.unschedulable ?? false),
  }),
};

export const coreEvent: Strategy = {
  ...plain,
  createOnUpdate: true,
  validate: (object, errors) => validateEvent(eventToNew(object), 'reportingComponent', errors),
  fields(object) {
    const involved = (object.involvedObject ?? {}) as Record<string, string | undefined>;
    const source = (object.source ?? {}) as { component?: string };
    return {
      'involvedObject.kind': involved.kind ?? '',
      'involvedObject.namespace': involved.namespace ?? '',
      'involvedObject.name': involved.name ?? '',
      'involvedObject.uid': involved.uid ?? '',
      'involvedObject.apiVersion': involved.apiVersion ?? '',
      'involvedObject.resourceVersion': involved.resourceVersion ?? '',
      'involvedObject.fieldPath': involved.fieldPath ?? '',
      reason: String(object.reason ?? ''),
      reportingComponent: String(object.reportingComponent ?? ''),
      source: source.component || String(object.reportingComponent ?? ''),
      type: String(object.type ?? ''),
    };
  },
};

interface Subset {
  addresses?: { ip?: string }[];
  notReadyAddresses?: { ip?: string }[];
}

export const endpoints: Strategy = {
  ...plain,
  createOnUpdate: true,
  defaults(object) {
    for (const subset of (object.subsets ?? []) as { ports?: { protocol?: string }[] }[])
      for (const port of subset.ports ?? []) port.protocol ??= 'TCP';
  },
  validate: validateEndpoints,
  warnings: ({ subsets }) =>
    ((subsets ?? []) as Subset[]).flatMap((subset, index) =>
      (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
        (subset[list] ?? []).flatMap(({ ip = '' }, position) =>
          ipWarnings(`subsets[${index}].${list}[${position}].ip`, ip),
        ),
      ),
    ),
};

/** The field is of an older version, and not written by this one. */
function dropTopology({ endpoints: list }: KubeObject): void {
  for (const endpoint of (list ?? []) as { deprecatedTopology?: object }[]) delete endpoint.deprecatedTopology;
}

export const endpointSlice: Strategy = {
  generation: true,
  statusSubresource: false,
  defaults(object) {
    for (const port of (object.ports ?? []) as { name?: string; protocol?: string }[]) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  prepareCreate: dropTopology,
  prepareUpdate(object, old) {
    if (!isDeepStrictEqual(object.endpoints, old.endpoints)) dropTopology(object);
  },
  warnings: ({ addressType, endpoints: list }, old) => [
    ...(addressType === 'FQDN' && !old ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
    ...((addressType === 'FQDN' ? [] : (list ?? [])) as { addresses?: string[] }[]).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, position) =>
        ipWarnings(`endpoints[${index}].addresses[${position}]`, address),
      ),
    ),
  ],
  validate: validateEndpointSlice,
  validateUpdate(object, old, errors) {
    if (object.addressType !== old.addressType)
      errors.invalid('addressType', object.addressType ?? '', 'field is immutable');
  },
};

export const priorityClass: Strategy = {
  generation: 'constant',
  statusSubresource: false,
  defaults(object) {
    object.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validateCreate: validatePriorityClass,
  validateUpdate(object, old, errors) {
    if (object.value !== old.value) errors.forbidden('value', 'may not be changed in an update.');
    if (object.preemptionPolicy !== old.preemptionPolicy)
      errors.invalid('preemptionPolicy', object.preemptionPolicy, 'field is immutable');
  },
};

export const lease: Strategy = {
  ...plain,
  createOnUpdate: true,
  validate: validateLease,
};

export const runtimeClass: Strategy = {
  ...plain,
  createOnUpdate: true,
  validate: validateRuntimeClass,
  validateUpdate(object, old, errors) {
    if (object.handler !== old.handler) errors.invalid('handler', object.handler ?? '', 'field is immutable');
  },
};

export const controllerRevision: Strategy = {
  ...plain,
  validate: validateRevision,
  validateCreate: validateRevisionData,
  validateUpdate(object, old, errors) {
    if (!isDeepStrictEqual(object.data, old.data)) errors.invalid('data', object.data ?? null, 'field is immutable');
  },
};
