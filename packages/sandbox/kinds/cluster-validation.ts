import {
  type FieldErrors,
  isDnsLabel,
  isDnsSubdomain,
  labelValueProblems,
  qualifiedNameProblems,
  validateLabels,
} from '@tiphys/apimachinery';
import { isWhole, type KubeObject } from '@tiphys/kubernetes';
import { validateTolerations } from './affinity-validation.ts';
import { isIntegerResource, validateContainerResourceName } from './container-resources.ts';
import {
  oneOf,
  validateCidr,
  validateEndpointIp,
  validateIp,
  validateNonNegative,
  validatePort,
} from './field-rules.ts';
import { validateRequirements } from './resource-requirements.ts';
import type { PodSpec } from './shapes.ts';

/** Namespaces, nodes, endpoints and what else is small: the API server's rules for them. */

export function validateNamespace(object: KubeObject, errors: FieldErrors): void {
  for (const finalizer of (object.spec as { finalizers?: string[] } | undefined)?.finalizers ?? []) {
    for (const text of qualifiedNameProblems(finalizer)) errors.invalid('spec.finalizers', finalizer, text);
    if (!finalizer.includes('/') && finalizer !== 'kubernetes')
      errors.invalid(
        'spec.finalizers',
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      );
  }
}

interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export function validateNode(object: KubeObject, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as { taints?: Taint[]; podCIDR?: string; podCIDRs?: string[] };
  const seen = new Set<string>();
  (spec.taints ?? []).forEach(({ key, value = '', effect }, index) => {
    const at = `metadata.taints[${index}]`;
    for (const text of qualifiedNameProblems(key)) errors.invalid(`${at}.key`, key, text);
    for (const text of labelValueProblems(value)) errors.invalid(`${at}.value`, value, text);
    if (!effect) errors.required(`${at}.effect`);
    else oneOf(effect, ['NoSchedule', 'PreferNoSchedule', 'NoExecute'], `${at}.effect`, errors);
    const pair = `${key}:${effect}`;
    if (seen.has(pair))
      errors.duplicateOf(
        at,
        { Key: key, Value: value, Effect: effect, TimeAdded: null },
        'taints must be unique by key and effect pair',
      );
    seen.add(pair);
  });
  const ranges = spec.podCIDRs ?? (spec.podCIDR ? [spec.podCIDR] : []);
  ranges.forEach((range, index) => {
    validateCidr(range, `spec.podCIDRs[${index}]`, errors);
  });
}

interface NodeStatus {
  addresses?: { type: string; address: string }[];
  capacity?: Record<string, string>;
  allocatable?: Record<string, string>;
}

/** What an update of a node or of its status may not say: amounts, addresses told twice, and what is set once. */
export function validateNodeUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = (object.status ?? {}) as NodeStatus;
  for (const list of ['capacity', 'allocatable'] as const)
    for (const [name, amount] of Object.entries(status[list] ?? {})) {
      const at = `status.${list}.${name}`;
      if (amount.startsWith('-')) errors.invalid(at, amount, 'must be greater than or equal to 0');
      if (isIntegerResource(name) && !isWhole(amount)) errors.invalid(at, amount, 'must be an integer');
    }
  const seen = new Set<string>();
  (status.addresses ?? []).forEach(({ type, address }, index) => {
    const shown = { Type: type, Address: address };
    if (seen.has(JSON.stringify(shown))) errors.duplicate(`status.addresses[${index}]`, shown);
    seen.add(JSON.stringify(shown));
  });
  const spec = (object.spec ?? {}) as { providerID?: string; externalID?: string; podCIDRs?: string[] };
  const before = (old.spec ?? {}) as typeof spec;
  const [ranges, known] = [spec.podCIDRs ?? [], before.podCIDRs ?? []];
  const kept = (field: string, name: string) =>
    errors.forbidden(`spec.${field}`, `node updates may not change ${name} except from "" to valid`);
  if (known.length && known.length !== ranges.length) kept('podCIDRs', 'podCIDR');
  else for (const [index, range] of known.entries()) if (range !== ranges[index]) kept('podCIDRs', 'podCIDR');
  if (before.providerID && before.providerID !== spec.providerID) kept('providerID', 'providerID');
  if ((before.externalID ?? '') !== (spec.externalID ?? '')) errors.forbidden('spec.externalID', 'may not be updated');
}

interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
}

interface Subset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: { name?: string; port: number; protocol?: string; appProtocol?: string }[];
}

export function validateEndpoints(object: KubeObject, errors: FieldErrors): void {
  ((object.subsets ?? []) as Subset[]).forEach((subset, index) => {
    const at = `subsets[${index}]`;
    if (!subset.addresses?.length && !subset.notReadyAddresses?.length)
      errors.required(at, 'must specify `addresses` or `notReadyAddresses`');
    for (const list of ['addresses', 'notReadyAddresses'] as const)
      (subset[list] ?? []).forEach(({ ip, hostname, nodeName }, position) => {
        const here = `${at}.${list}[${position}]`;
        validateIp(ip, `${here}.ip`, errors);
        if (hostname) for (const text of isDnsLabel(hostname)) errors.invalid(`${here}.hostname`, hostname, text);
        if (nodeName !== undefined)
          for (const text of isDnsSubdomain(nodeName)) errors.invalid(`${here}.nodeName`, nodeName, text);
        validateEndpointIp(ip, `${here}.ip`, errors);
      });
    const { ports = [] } = subset;
    ports.forEach(({ name, port, protocol, appProtocol }, position) => {
      const here = `${at}.ports[${position}]`;
      if (!name && ports.length > 1) errors.required(`${here}.name`);
      else if (name) for (const text of isDnsLabel(name)) errors.invalid(`${here}.name`, name, text);
      validatePort(port, `${here}.port`, errors);
      oneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${here}.protocol`, errors);
      if (appProtocol !== undefined)
        for (const text of qualifiedNameProblems(appProtocol)) errors.invalid(`${here}.appProtocol`, appProtocol, text);
    });
  });
}

export function validatePriorityClass(object: KubeObject, errors: FieldErrors): void {
  const name = object.metadata.name ?? '';
  if (name.startsWith('system-')) {
    if (!['system-node-critical', 'system-cluster-critical'].includes(name))
      errors.forbidden(
        'metadata.name',
        `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
      );
  } else if (Number(object.value) > 1_000_000_000)
    errors.forbidden('value', 'maximum allowed value of a user defined priority is 1000000000');
  if (object.preemptionPolicy === '') errors.required('preemptionPolicy');
  else oneOf(object.preemptionPolicy as string, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy', errors);
}

export function validateLease(object: KubeObject, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as { leaseDurationSeconds?: number; leaseTransitions?: number };
  const { leaseDurationSeconds: duration } = spec;
  if (duration !== undefined && duration <= 0)
    errors.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0');
  validateNonNegative(spec.leaseTransitions, 'spec.leaseTransitions', errors);
}

export function validateRuntimeClass(object: KubeObject, errors: FieldErrors): void {
  const handler = String(object.handler ?? '');
  for (const text of isDnsLabel(handler)) errors.invalid('handler', handler, text);
  const { overhead, scheduling } = object as {
    overhead?: { podFixed?: Record<string, string> };
    scheduling?: { nodeSelector?: Record<string, string>; tolerations?: PodSpec['tolerations'] };
  };
  const nameRule = (name: string, at: string) => validateContainerResourceName(name, at, errors);
  validateRequirements({ limits: overhead?.podFixed ?? {} }, 'overhead', { nameRule, claims: [] }, errors);
  validateLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector', errors);
  validateTolerations(scheduling?.tolerations, 'scheduling.tolerations.tolerations', errors);
}

export function validateRevision(object: KubeObject, errors: FieldErrors): void {
  validateNonNegative(object.revision as number, 'revision', errors);
}

export function validateRevisionData({ data }: KubeObject, errors: FieldErrors): void {
  if (data === undefined || data === null) errors.required('data', 'data is mandatory');
  else if (typeof data !== 'object' || Array.isArray(data)) errors.required('data', 'data must be a valid JSON object');
}
