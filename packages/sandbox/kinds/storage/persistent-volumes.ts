import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, type Strategy, timestamp } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1, type KubeObject, quantityValue } from '@tiphys/kubernetes';
import { type NodeSelector, validateRequiredNodes } from '../pod/affinity-validation.ts';
import { VOLUME_MODES, validateClass, validateModes } from '../pod/storage-validation.ts';
import { validateStorage } from '../pod/volume-sources.ts';
import { validateHostPath, validateNfs } from '../pod/volume-validation.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { oneOf } from '../shared/field-rules.ts';
import { accessModes, storageClassOf } from './volume-cells.ts';

interface VolumeSpec {
  accessModes?: string[];
  capacity?: Record<string, string>;
  persistentVolumeReclaimPolicy?: string;
  storageClassName?: string;
  volumeMode?: string;
  volumeAttributesClassName?: string;
  nodeAffinity?: { required?: NodeSelector };
  hostPath?: { path?: string; type?: string };
  csi?: { controllerExpandSecretRef?: object };
  [source: string]: unknown;
}

const specOf = ({ spec }: KubeObject): VolumeSpec => (spec ?? {}) as VolumeSpec;

/** In the order in which the API server reads sources. */
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
];

export const persistentVolume: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: true,
  defaults(object) {
    const spec = specOf(object);
    spec.persistentVolumeReclaimPolicy ??= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    if (spec.hostPath) spec.hostPath.type ??= '';
    const status = (object.status ?? {}) as coreV1.PersistentVolumeStatus;
    status.phase ??= 'Pending';
    object.status = status;
  },
  prepareCreate(object, { server }) {
    object.status = { phase: 'Pending', lastPhaseTransitionTime: timestamp(server.clock) };
  },
  admit(object) {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes('kubernetes.io/pv-protection'))
      object.metadata.finalizers = [...finalizers, 'kubernetes.io/pv-protection'];
  },
  prepareStatus(object, old, { server }) {
    type Status = { phase?: string; lastPhaseTransitionTime?: string };
    const [now, before] = [object.status, old.status] as [Status | undefined, Status | undefined];
    const same = now?.phase === before?.phase;
    const unset = !now?.lastPhaseTransitionTime;
    const told = before?.lastPhaseTransitionTime;
    if (!now) return;
    if (same && unset && told) now.lastPhaseTransitionTime = told;
    if (!same && (unset || now.lastPhaseTransitionTime === told)) now.lastPhaseTransitionTime = timestamp(server.clock);
  },
  validate: validateVolume,
  validateUpdate: validateVolumeUpdate,
  warnings: volumeWarnings,
};

function validateVolume(object: KubeObject, errors: FieldErrors): void {
  const spec = specOf(object);
  validateAccess(spec, 'spec', errors);
  validateCapacity(spec.capacity, errors);
  const policies = ['Delete', 'Recycle', 'Retain'];
  oneOf(spec.persistentVolumeReclaimPolicy, policies, 'spec.persistentVolumeReclaimPolicy', errors);
  const { nodeAffinity } = spec;
  if (nodeAffinity?.required) validateRequiredNodes(nodeAffinity.required, 'spec.nodeAffinity.required', errors);
  else if (nodeAffinity) errors.required('spec.nodeAffinity.required', 'must specify required node constraints');
  validateSources(spec, object.metadata.name ?? '', 'spec', errors);
  validateClass(spec.storageClassName, 'spec.storageClassName', errors);
  oneOf(spec.volumeMode, VOLUME_MODES, 'spec.volumeMode', errors);
  validateAttributes(spec, 'spec', errors);
}

/** A volume that is told in place, where only one of CSI can be. */
export function validateInlineVolume(given: object, at: string, errors: FieldErrors): void {
  const spec = given as VolumeSpec;
  const here = 'may not be specified in the context of inline volumes';
  if (spec.claimRef) errors.forbidden(`${at}.claimRef`, here);
  if (Object.keys(spec.capacity ?? {}).length) errors.forbidden(`${at}.capacity`, here);
  if (!spec.csi) errors.required(`${at}.csi`, 'has to be specified in the context of inline volumes');
  validateAccess(spec, at, errors);
  const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  if (policy && policy !== 'Retain')
    errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, 'may only be Retain in the context of inline volumes');
  if (spec.nodeAffinity) errors.forbidden(`${at}.nodeAffinity`, here);
  validateSources(spec, '', at, errors);
  if (spec.storageClassName) errors.forbidden(`${at}.storageClassName`, here);
  if (volumeMode !== undefined && volumeMode !== 'Filesystem')
    errors.forbidden(
      `${at}.volumeMode`,
      'may not specify volumeMode other than Filesystem in the context of inline volumes',
    );
}

function validateAccess({ accessModes }: VolumeSpec, at: string, errors: FieldErrors): void {
  if (!accessModes?.length) errors.required(`${at}.accessModes`);
  validateModes(accessModes ?? [], `${at}.accessModes`, errors);
}

function validateCapacity(capacity: VolumeSpec['capacity'], errors: FieldErrors): void {
  const resources = Object.keys(capacity ?? {});
  if (!resources.length) errors.required('spec.capacity');
  if (resources.length !== 1 || resources[0] !== 'storage')
    errors.notSupported('spec.capacity', capacity ?? null, ['storage']);
  for (const [name, amount] of Object.entries(capacity ?? {})) {
    const at = `spec.capacity[${name}]`;
    const value = quantityValue(amount) || 0;
    if (value < 0) errors.invalid(at, value, 'must be a valid resource quantity');
    if ((compareQuantities(amount, '0') ?? 1) <= 0) errors.invalid(at, amount, 'must be greater than zero');
  }
}

function validateAttributes(
  { volumeAttributesClassName: name, csi }: VolumeSpec,
  at: string,
  errors: FieldErrors,
): void {
  if (name === undefined) return;
  if (name) validateClass(name, `${at}.volumeAttributesClassName`, errors);
  else errors.required(`${at}.volumeAttributesClassName`, 'an empty string is disallowed');
  if (!csi) errors.required(`${at}.csi`, 'has to be specified when using volumeAttributesClassName');
}

const LONG_PORTAL =
  'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.';

function validateSources(spec: VolumeSpec, name: string, at: string, errors: FieldErrors): void {
  const present = SOURCES.filter((source) => spec[source] !== undefined);
  for (const [index, source] of present.entries()) {
    const value = spec[source] as Record<string, string>;
    const told = source === 'cephfs' ? 'cephFS' : source;
    if (index > 0 && source !== 'flexVolume')
      errors.forbidden(`${at}.${told}`, 'may not specify more than 1 volume type');
    else if (source === 'hostPath') validateHostPath(value, `${at}.hostPath`, errors);
    else if (source === 'nfs') validateNfs(value, `${at}.nfs`, errors);
    else validateStorage('volume', source, value, { at, errors });
    if (index > 0) continue;
    if (source === 'iscsi' && value.initiatorName !== undefined && `${name}:${value.targetPortal}`.length > 64)
      errors.invalid(`${at}.iscsi.targetportal`, value.targetPortal, LONG_PORTAL);
    if (source === 'local' && !spec.nodeAffinity)
      errors.required(`${at}.nodeAffinity`, 'Local volume requires node affinity');
  }
  if (!present.length) errors.required(at, 'must specify a volume type');
  if (/^\/[./]*$/.test(spec.hostPath?.path ?? '') && spec.persistentVolumeReclaimPolicy === 'Recycle')
    errors.forbidden(`${at}.persistentVolumeReclaimPolicy`, "may not be 'recycle' for a hostPath mount of '/'");
}

/** The sources; a secret for an expansion may be added once. */
function sourcesOf(spec: VolumeSpec, before: VolumeSpec): unknown {
  const sources = Object.fromEntries(SOURCES.map((source) => [source, spec[source]]));
  if (!spec.csi || !before.csi || before.csi.controllerExpandSecretRef) return sources;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return { ...sources, csi };
}

function validateVolumeUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const [now, before] = [specOf(object), specOf(old)];
  if (!isDeepStrictEqual(sourcesOf(now, before), sourcesOf(before, before)))
    errors.forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation');
  if (now.volumeMode !== before.volumeMode) errors.invalid('volumeMode', now.volumeMode, 'field is immutable');
  if (before.nodeAffinity && !isDeepStrictEqual(withGaLabels(now.nodeAffinity), withGaLabels(before.nodeAffinity)))
    errors.invalid('nodeAffinity', now.nodeAffinity, 'field is immutable, except for updating from beta label to GA');
  if (before.volumeAttributesClassName !== undefined && now.volumeAttributesClassName === undefined)
    errors.forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden');
}

const GA_LABELS: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** The affinity with labels of nodes in their final names. */
function withGaLabels(affinity: VolumeSpec['nodeAffinity']): unknown {
  return (affinity?.required?.nodeSelectorTerms ?? []).map(({ matchExpressions = [], ...term }) => ({
    ...term,
    matchExpressions: matchExpressions.map(({ key, ...rest }) => ({ ...rest, key: GA_LABELS[key] ?? key })),
  }));
}

const DEPRECATED: readonly (readonly [string, string, string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

const ANNOTATIONS: readonly (readonly [string, string])[] = [
  ['volume.beta.kubernetes.io/storage-class', 'deprecated since v1.8; use "storageClassName" attribute instead'],
  ['volume.beta.kubernetes.io/mount-options', 'deprecated since v1.31; use "mountOptions" attribute instead'],
];

function volumeWarnings(object: KubeObject): string[] {
  const spec = specOf(object);
  const { annotations = {} } = object.metadata;
  const found = ANNOTATIONS.filter(([key]) => Object.hasOwn(annotations, key)).map(
    ([key, text]) => `metadata.annotations[${key}]: ${text}`,
  );
  if (spec.persistentVolumeReclaimPolicy === 'Recycle')
    found.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  for (const [source, at, text] of DEPRECATED) if (spec[source]) found.push(`spec.${at}: ${text}`);
  return found;
}

export const persistentVolumes: BuiltinKind = {
  strategy: persistentVolume,
  cells: (o, now) => [
    name(o),
    textAt(o, 'spec.capacity.storage', '0'),
    accessModes(at(o, 'spec.accessModes')),
    textAt(o, 'spec.persistentVolumeReclaimPolicy'),
    o.metadata.deletionTimestamp ? 'Terminating' : textAt(o, 'status.phase'),
    at(o, 'spec.claimRef') ? `${textAt(o, 'spec.claimRef.namespace')}/${textAt(o, 'spec.claimRef.name')}` : '',
    storageClassOf(o),
    textAt(o, 'spec.volumeAttributesClassName', '<unset>'),
    textAt(o, 'status.reason'),
    age(o, now),
    textAt(o, 'spec.volumeMode', '<unset>'),
  ],
};
