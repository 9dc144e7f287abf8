import { type FieldErrors, labelValueProblems, qualifiedNameProblems, type Strategy } from '@tiphys/apimachinery';
import { type coreV1, isWhole, type KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, listAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { isIntegerResource } from '../shared/container-resources.ts';
import { oneOf, validateCidr } from '../shared/field-rules.ts';
import { drop, mapAt } from '../shared/gates.ts';
import { cidrWarnings } from '../shared/ip-addresses.ts';

export function validateNode(object: KubeObject, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as coreV1.NodeSpec;
  const seen = new Set<string>();
  (spec.taints ?? []).forEach(({ key = '', value = '', effect }, index) => {
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
  const spec = (object.spec ?? {}) as coreV1.NodeSpec;
  const before = (old.spec ?? {}) as typeof spec;
  const [ranges, known] = [spec.podCIDRs ?? [], before.podCIDRs ?? []];
  const kept = (field: string, name: string) =>
    errors.forbidden(`spec.${field}`, `node updates may not change ${name} except from "" to valid`);
  if (known.length && known.length !== ranges.length) kept('podCIDRs', 'podCIDR');
  else for (const [index, range] of known.entries()) if (range !== ranges[index]) kept('podCIDRs', 'podCIDR');
  if (before.providerID && before.providerID !== spec.providerID) kept('providerID', 'providerID');
  if ((before.externalID ?? '') !== (spec.externalID ?? '')) errors.forbidden('spec.externalID', 'may not be updated');
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
  metaRulesOnUpdate: true,
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
    'spec.unschedulable': String((object.spec as coreV1.NodeSpec | undefined)?.unschedulable ?? false),
  }),
};

export function nodeCells(o: KubeObject, now: number): unknown[] {
  const ready = listAt<{ type: string; status: string }>(o, 'status.conditions').find(({ type }) => type === 'Ready');
  const status = [ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown'];
  if (at(o, 'spec.unschedulable') === true) status.push('SchedulingDisabled');
  const roles = Object.entries(o.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith('node-role.kubernetes.io/')) return key.slice('node-role.kubernetes.io/'.length) || [];
    return key === 'kubernetes.io/role' && value ? value : [];
  });
  const address = (type: string) =>
    listAt<{ type: string; address: string }>(o, 'status.addresses').find((item) => item.type === type)?.address ??
    '<none>';
  return [
    name(o),
    status.join(','),
    [...new Set(roles)].sort().join(',') || '<none>',
    age(o, now),
    textAt(o, 'status.nodeInfo.kubeletVersion'),
    address('InternalIP'),
    address('ExternalIP'),
    textAt(o, 'status.nodeInfo.osImage', '<unknown>'),
    textAt(o, 'status.nodeInfo.kernelVersion', '<unknown>'),
    textAt(o, 'status.nodeInfo.containerRuntimeVersion', '<unknown>'),
  ];
}

export const nodes: BuiltinKind = {
  strategy: node,
  cells: nodeCells,
  gated: {
    spec: (object) => {
      drop(mapAt(object, 'spec'), 'configSource');
      drop(mapAt(object, 'status'), 'config');
    },
    status: (object) => drop(mapAt(object, 'status'), 'config'),
  },
};
