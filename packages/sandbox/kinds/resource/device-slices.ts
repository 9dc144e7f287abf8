import { type FieldErrors, isDnsLabel, isDnsSubdomain, type Strategy } from '@tiphys/apimachinery';
import type { KubeObject, resourceV1 } from '@tiphys/kubernetes';
import { type NodeSelector, validateRequiredNodes } from '../pod/affinity-validation.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateDriverName } from '../shared/driver-names.ts';
import { validateAttributeName, validateList, validatePoolName } from './device-rules.ts';

interface Attribute {
  bool?: boolean;
  int?: number;
  string?: string;
  version?: string;
}

interface Device {
  name?: string;
  attributes?: Record<string, Attribute>;
  capacity?: Record<string, { value?: string }>;
}

interface SliceSpec {
  driver?: string;
  pool?: { name?: string; generation?: number; resourceSliceCount?: number };
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  devices?: Device[] | null;
}

const specOf = ({ spec }: KubeObject): SliceSpec => (spec ?? {}) as SliceSpec;

const DISABLED_OF_SPEC = ['sharedCounters', 'perDeviceNodeSelection'];

const DISABLED = [
  'taints',
  'consumesCounters',
  'nodeName',
  'nodeSelector',
  'allNodes',
  'bindingConditions',
  'bindingFailureConditions',
  'bindsToNode',
  'allowMultipleAllocations',
];

/** Takes away what a kube-apiserver with its default features does not know. */
function drop(object: KubeObject): void {
  const spec = specOf(object);
  for (const field of DISABLED_OF_SPEC) delete (spec as Record<string, unknown>)[field];
  for (const device of spec.devices ?? []) {
    for (const field of DISABLED) delete (device as Record<string, unknown>)[field];
    for (const capacity of Object.values(device.capacity ?? {}))
      delete (capacity as resourceV1.DeviceCapacity).requestPolicy;
  }
}

export const resourceSlice: Strategy = {
  generation: true,
  statusSubresource: false,
  prepareCreate: drop,
  prepareUpdate: drop,
  validateCreate: (object, errors) => validateSlice(specOf(object), undefined, errors),
  validateUpdate: (object, old, errors) => validateSlice(specOf(object), specOf(old), errors),
  fields(object) {
    const { nodeName = '', driver = '' } = specOf(object);
    return { 'spec.nodeName': nodeName, 'spec.driver': driver };
  },
};

const PLACES = '`nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection`';

function validateSlice(spec: SliceSpec, old: SliceSpec | undefined, errors: FieldErrors): void {
  const { driver = '', pool = {}, nodeName, nodeSelector, allNodes } = spec;
  validateDriverName(driver, 'spec.driver', errors);
  validatePool(pool, errors);
  if (old) validateKept(spec, old, errors);
  const set: string[] = [];
  if (nodeName) {
    set.push('`nodeName`');
    for (const text of isDnsSubdomain(nodeName)) errors.invalid('spec.nodeName', nodeName, text);
  } else if (nodeName !== undefined)
    errors.invalid('spec.nodeName', nodeName, 'must be either unset or set to a non-empty string');
  if (nodeSelector) {
    set.push('`nodeSelector`');
    validateRequiredNodes(nodeSelector, 'spec.nodeSelector', errors);
    const terms = nodeSelector.nodeSelectorTerms ?? null;
    if (terms?.length !== 1)
      errors.invalid('spec.nodeSelector.nodeSelectorTerms', terms, 'must have exactly one node selector term');
  }
  if (allNodes) set.push('`allNodes`');
  else if (allNodes !== undefined) errors.invalid('spec.allNodes', allNodes, 'must be either unset or set to true');
  if (set.length === 0) errors.required('spec', `exactly one of ${PLACES} is required`);
  else if (set.length > 1)
    errors.invalid('spec', `{${set.join(', ')}}`, `exactly one of ${PLACES} is required, but multiple fields are set`);
  const check = (device: Device, at: string) => validateDevice(device, at, errors);
  const key = ({ name = '' }: Device) => name;
  validateList(spec.devices, { max: 128, check, key, field: 'name' }, 'spec.devices', errors);
}

function validatePool(
  { name = '', generation = 0, resourceSliceCount: count = 0 }: NonNullable<SliceSpec['pool']>,
  errors: FieldErrors,
): void {
  validatePoolName(name, 'spec.pool.name', errors);
  if (count <= 0) errors.invalid('spec.pool.resourceSliceCount', count, 'must be greater than zero');
  if (generation < 0) errors.invalid('spec.pool.generation', generation, 'must be greater than or equal to zero');
}

function validateKept(spec: SliceSpec, old: SliceSpec, errors: FieldErrors): void {
  if ((spec.pool?.name ?? '') !== (old.pool?.name ?? ''))
    errors.invalid('spec.pool.name', spec.pool?.name ?? '', 'field is immutable');
  if ((spec.driver ?? '') !== (old.driver ?? ''))
    errors.invalid('spec.driver', spec.driver ?? '', 'field is immutable');
  if (spec.nodeName !== old.nodeName) errors.invalid('spec.nodeName', spec.nodeName, 'field is immutable');
}

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const MAX_PARTS = 32;

const MAX_TEXT = 64;

const MAX_NAME = 96;

function validateDevice({ name = '', attributes = {}, capacity = {} }: Device, at: string, errors: FieldErrors): void {
  for (const text of isDnsLabel(name)) errors.invalid(`${at}.name`, name, text);
  const parts = Object.keys(attributes).length + Object.keys(capacity).length;
  if (parts > MAX_PARTS)
    errors.invalid(at, parts, `the total number of attributes and capacities must not exceed ${MAX_PARTS}`);
  for (const [key, attribute] of Object.entries(attributes)) {
    const here = `${at}.attributes[${shortened(key)}]`;
    validateAttributeName(key, here, errors);
    validateAttribute(attribute, here, errors);
  }
  for (const key of Object.keys(capacity)) validateAttributeName(key, `${at}.capacity[${shortened(key)}]`, errors);
}

function validateAttribute(attribute: Attribute, at: string, errors: FieldErrors): void {
  const { string: text, version } = attribute;
  if (text !== undefined && Buffer.byteLength(text) > MAX_TEXT) errors.tooLong(`${at}.string`, MAX_TEXT);
  if (version !== undefined) {
    if (!SEMVER.test(version))
      errors.invalid(`${at}.version`, version, 'must be a string compatible with semver.org spec 2.0.0');
    if (Buffer.byteLength(version) > MAX_TEXT) errors.tooLong(`${at}.version`, MAX_TEXT);
  }
  const set = Object.values(attribute).filter((value) => value !== undefined).length;
  if (set === 0) errors.required(at, 'exactly one value must be specified');
  else if (set > 1) errors.invalid(at, attribute, 'exactly one value must be specified');
}

/** A key as paths show it: its middle is left out where it is too long. */
function shortened(key: string): string {
  if (key.length <= MAX_NAME) return key;
  const rest = MAX_NAME - 3;
  return `${key.slice(0, Math.floor((rest + 1) / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`;
}

export const resourceSlices: BuiltinKind = {
  strategy: resourceSlice,
  cells: (o, now) => [
    name(o),
    textAt(o, 'spec.nodeName'),
    textAt(o, 'spec.driver'),
    textAt(o, 'spec.pool.name'),
    age(o, now),
  ],
};
