import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, isDnsSubdomain, type Strategy } from '@tiphys/apimachinery';
import type { KubeObject, storageV1 } from '@tiphys/kubernetes';
import { validateParameters, validateProvisioner } from '../pod/storage-validation.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, textAt } from '../shared/cell-values.ts';
import { age, name, nameAndCreation } from '../shared/cells.ts';
import { validateDriverName } from '../shared/driver-names.ts';
import { validateSelector } from '../shared/selector-validation.ts';
import { validateInlineVolume } from './persistent-volumes.ts';

/** Kinds of storage.k8s.io that drivers write: attachments, capacities and classes of attributes. */

/** Keeps a class until nothing refers to it. */
const PROTECTION = 'kubernetes.io/vac-protection';

export const volumeAttributesClass: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: false,
  updateRulesFirst: true,
  admit(object) {
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(PROTECTION)) object.metadata.finalizers = [...finalizers, PROTECTION];
  },
  validate({ driverName, parameters }, errors) {
    validateProvisioner(driverName as string | undefined, 'driverName', errors);
    validateParameters((parameters ?? {}) as Record<string, string>, 'parameters', errors);
    if (!Object.keys(parameters ?? {}).length)
      errors.required('parameters', 'must contain at least one key/value pair');
  },
  validateUpdate(object, old, errors) {
    for (const field of ['driverName', 'parameters'])
      if (!isDeepStrictEqual(object[field], old[field])) errors.forbidden(field, `updates to ${field} are forbidden.`);
  },
};

interface AttachmentSpec {
  attacher?: string;
  nodeName?: string;
  source?: { inlineVolumeSpec?: object; persistentVolumeName?: string };
}

interface VolumeError {
  message?: string;
  errorCode?: number;
}

interface AttachmentStatus {
  attachmentMetadata?: Record<string, string>;
  attachError?: VolumeError;
  detachError?: VolumeError;
}

const specOf = ({ spec }: KubeObject): AttachmentSpec => (spec ?? {}) as AttachmentSpec;

export const volumeAttachment: Strategy = {
  unconditionalUpdate: false,
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: true,
  validate: (object, errors) => validateAttachment(specOf(object), errors),
  validateCreate(object, errors) {
    const { attacher = '', source } = specOf(object);
    validateDriverName(attacher, 'spec.attacher', errors);
    const { persistentVolumeName: name } = source ?? {};
    if (name === undefined) return;
    for (const text of isDnsSubdomain(name)) errors.invalid('spec.source.persistentVolumeName', name, text);
  },
  validateUpdate({ spec }, old, errors) {
    if (!isDeepStrictEqual(spec, old.spec)) errors.invalid('spec', spec, 'field is immutable');
  },
  prepareStatus({ status }) {
    const { attachError, detachError } = (status ?? {}) as AttachmentStatus;
    // Behind a feature that is off.
    for (const error of [attachError, detachError]) delete error?.errorCode;
  },
  validateStatus(object, _old, errors) {
    validateAttachment(specOf(object), errors);
    validateAttachmentStatus((object.status ?? {}) as AttachmentStatus, errors);
  },
};

function validateAttachment({ attacher, nodeName = '', source = {} }: AttachmentSpec, errors: FieldErrors): void {
  if (!attacher) errors.required('spec.attacher');
  const { inlineVolumeSpec, persistentVolumeName } = source;
  const text = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (!inlineVolumeSpec && persistentVolumeName === undefined) errors.required('spec.source', text);
  else if (inlineVolumeSpec && persistentVolumeName !== undefined) errors.forbidden('spec.source', text);
  else if (inlineVolumeSpec) validateInlineVolume(inlineVolumeSpec, 'spec.source.inlineVolumeSpec', errors);
  else if (!persistentVolumeName)
    errors.required('spec.source.persistentVolumeName', 'must specify non empty persistentVolumeName');
  for (const problem of isDnsSubdomain(nodeName)) errors.invalid('spec.nodeName', nodeName, problem);
}

const MAX_METADATA = 256 * 1024;

const MAX_MESSAGE = 1024;

function validateAttachmentStatus(status: AttachmentStatus, errors: FieldErrors): void {
  let size = 0;
  for (const [key, value] of Object.entries(status.attachmentMetadata ?? {}))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  if (size > MAX_METADATA) errors.tooLong('status.attachmentMetadata', MAX_METADATA);
  for (const field of ['attachError', 'detachError'] as const)
    if (Buffer.byteLength(status[field]?.message ?? '') > MAX_MESSAGE)
      errors.tooLong(`status.${field}.message`, MAX_METADATA);
}

export const csiStorageCapacity: Strategy = {
  unconditionalUpdate: false,
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: false,
  validate(object, errors) {
    const { nodeTopology, storageClassName: name = '', capacity } = object as storageV1.CSIStorageCapacity;
    validateSelector(nodeTopology, 'nodeTopology', errors);
    for (const text of isDnsSubdomain(name)) errors.invalid('storageClassName', name, text);
    if (capacity?.startsWith('-')) errors.invalid('capacity', capacity, 'must be greater than or equal to 0');
  },
  validateUpdate(object, old, errors) {
    for (const field of ['nodeTopology', 'storageClassName'])
      if (!isDeepStrictEqual(object[field], old[field])) errors.invalid(field, object[field], 'field is immutable');
  },
};

export const csiStorageCapacities: BuiltinKind = {
  strategy: csiStorageCapacity,
  cells: nameAndCreation,
};

export const volumeAttachments: BuiltinKind = {
  strategy: volumeAttachment,
  cells: (o, now) => [
    name(o),
    textAt(o, 'spec.attacher'),
    textAt(o, 'spec.source.persistentVolumeName'),
    textAt(o, 'spec.nodeName'),
    at(o, 'status.attached') === true,
    age(o, now),
  ],
};

export const volumeAttributesClasses: BuiltinKind = {
  strategy: volumeAttributesClass,
  cells: (o, now) => [name(o), o.driverName, age(o, now)],
};
