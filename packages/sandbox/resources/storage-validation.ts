import type { KubeObject } from '@tiphys/kubernetes';
import type { FieldErrors } from '../machinery/field-errors.ts';
import { isDnsSubdomain } from '../machinery/names.ts';
import { qualifiedNameProblems } from '../machinery/object-meta.ts';
import { compareQuantities } from '../schema/quantity.ts';
import { oneOf, validateNoDots } from './field-rules.ts';
import type { LabelSelector } from './label-selector.ts';
import { validateSelector } from './selector-validation.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const VOLUME_MODES = ['Block', 'Filesystem'];

function validateModes(modes: readonly string[], path: string, errors: FieldErrors): void {
  for (const mode of modes) oneOf(mode, MODES, path, errors);
  if (modes.length > 1 && modes.includes('ReadWriteOncePod'))
    errors.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
}

function validateClass(name: string | undefined, path: string, errors: FieldErrors): void {
  if (name) for (const text of isDnsSubdomain(name)) errors.invalid(path, name, text);
}

export function validateClaimSpec(source: object, path: string, errors: FieldErrors): void {
  const spec = source as {
    accessModes?: string[];
    volumeMode?: string;
    storageClassName?: string;
    selector?: LabelSelector;
    resources?: { requests?: Record<string, string> };
    dataSource?: DataSource;
    dataSourceRef?: DataSource;
  };
  if (!spec.accessModes?.length) errors.required(`${path}.accessModes`, 'at least 1 access mode is required');
  validateSelector(spec.selector, `${path}.selector`, errors);
  validateModes(spec.accessModes ?? [], `${path}.accessModes`, errors);
  const storage = spec.resources?.requests?.storage;
  if (!storage) errors.required(`${path}.resources[storage]`);
  else if ((compareQuantities(storage, '0') ?? 1) <= 0)
    errors.invalid(`${path}.resources[storage]`, storage, 'must be greater than zero');
  validateClass(spec.storageClassName, `${path}.storageClassName`, errors);
  oneOf(spec.volumeMode, VOLUME_MODES, `${path}.volumeMode`, errors);
  if (spec.dataSource) validateDataSource(spec.dataSource, `${path}.dataSource`, errors);
  if (spec.dataSourceRef) validateDataSource(spec.dataSourceRef, `${path}.dataSourceRef`, errors);
}

const RESIZE = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

/** Of a claim: amounts, and how far they have got. */
export function claimStatus(object: KubeObject, _old: KubeObject, errors: FieldErrors): void {
  const { capacity, allocatedResources, allocatedResourceStatuses } = (object.status ?? {}) as Record<
    string,
    Record<string, string> | undefined
  >;
  const at = (field: string) => `status.${field}`;
  for (const [name, amount] of Object.entries(capacity ?? {}))
    validatePositive(amount, `${at('capacity')}[${name}]`, errors);
  for (const [name, status] of Object.entries(allocatedResourceStatuses ?? {})) {
    validateClaimResource(name, at('allocatedResourceStatuses'), errors);
    if (!RESIZE.includes(status)) errors.notSupported(at('allocatedResourceStatuses'), name, RESIZE);
  }
  for (const [name, amount] of Object.entries(allocatedResources ?? {}))
    if (validateClaimResource(name, at('allocatedResources'), errors))
      validatePositive(amount, `${at('allocatedResources')}[${name}]`, errors);
}

function validatePositive(amount: string, path: string, errors: FieldErrors): void {
  if (amount.startsWith('-')) errors.invalid(path, amount, 'must be a valid resource quantity');
}

/** A qualified name; of Kubernetes' own only `storage`. */
function validateClaimResource(name: string, path: string, errors: FieldErrors): boolean {
  const problems = qualifiedNameProblems(name);
  for (const text of problems) errors.invalid(path, name, text);
  if (problems.length) return false;
  const isNative = !name.includes('/') || /(^|\.)kubernetes\.io\//.test(name);
  if (!isNative || name === 'storage') return true;
  errors.notSupported(path, name, ['storage']);
  return false;
}

interface DataSource {
  apiGroup?: string;
  kind?: string;
  name?: string;
}

function validateDataSource({ apiGroup = '', kind = '', name }: DataSource, at: string, errors: FieldErrors): void {
  if (!name) errors.required(`${at}.name`);
  if (!kind) errors.required(`${at}.kind`);
  if (!apiGroup && kind !== 'PersistentVolumeClaim')
    errors.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (apiGroup) for (const text of isDnsSubdomain(apiGroup)) errors.invalid(`${at}.apiGroup`, apiGroup, text);
}

/** Fields of a PersistentVolume's spec that are no volume sources. */
const NO_SOURCES = new Set([
  'accessModes',
  'capacity',
  'claimRef',
  'mountOptions',
  'nodeAffinity',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeAttributesClassName',
  'volumeMode',
]);

export function validateVolume(object: KubeObject, errors: FieldErrors): void {
  const spec = object.spec as {
    accessModes?: string[];
    capacity?: Record<string, string>;
    persistentVolumeReclaimPolicy?: string;
    storageClassName?: string;
    volumeMode?: string;
    hostPath?: { path?: string };
  };
  if (!spec.accessModes?.length) errors.required('spec.accessModes');
  validateModes(spec.accessModes ?? [], 'spec.accessModes', errors);
  const resources = Object.keys(spec.capacity ?? {});
  if (!resources.length) errors.required('spec.capacity');
  if (resources.length !== 1 || resources[0] !== 'storage')
    errors.notSupported('spec.capacity', spec.capacity ?? null, ['storage']);
  for (const [name, quantity] of Object.entries(spec.capacity ?? {}))
    if ((compareQuantities(quantity, '0') ?? 1) <= 0)
      errors.invalid(`spec.capacity[${name}]`, quantity, 'must be greater than zero');
  oneOf(
    spec.persistentVolumeReclaimPolicy,
    ['Delete', 'Recycle', 'Retain'],
    'spec.persistentVolumeReclaimPolicy',
    errors,
  );
  // In the order of the API's fields.
  const sources = ['hostPath', 'gcePersistentDisk', ...Object.keys(spec)].filter(
    (field, index, all) => field in spec && !NO_SOURCES.has(field) && all.indexOf(field) === index,
  );
  for (const source of sources.slice(1)) errors.forbidden(`spec.${source}`, 'may not specify more than 1 volume type');
  const { path } = spec.hostPath ?? {};
  if (spec.hostPath && !path) errors.required('spec.hostPath.path');
  if (path) validateNoDots(path, 'spec.hostPath.path', errors);
  if (!sources.length) errors.required('spec', 'must specify a volume type');
  if (path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle')
    errors.forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'");
  validateClass(spec.storageClassName, 'spec.storageClassName', errors);
  oneOf(spec.volumeMode, VOLUME_MODES, 'spec.volumeMode', errors);
}

export function validateStorageClass(object: KubeObject, errors: FieldErrors): void {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode } = object as {
    provisioner?: string;
    parameters?: Record<string, string>;
    reclaimPolicy?: string;
    volumeBindingMode?: string;
  };
  if (!provisioner) errors.required('provisioner');
  else
    for (const text of qualifiedNameProblems(provisioner.toLowerCase()))
      errors.invalid('provisioner', provisioner.toLowerCase(), text);
  if (parameters && '' in parameters) errors.invalid('parameters', '', 'field can not be empty.');
  oneOf(reclaimPolicy, ['Delete', 'Retain'], 'reclaimPolicy', errors);
  oneOf(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], 'volumeBindingMode', errors);
  validateTopologies((object.allowedTopologies ?? []) as Topology[], errors);
}

interface Topology {
  matchLabelExpressions?: { key?: string; values?: string[] | null }[];
}

function validateTopologies(topologies: readonly Topology[], errors: FieldErrors): void {
  // The API server compares with as many empty terms as there are, too.
  const known = topologies.map(() => '');
  topologies.forEach(({ matchLabelExpressions = [] }, index) => {
    const at = `allowedTopologies[${index}].matchLabelExpressions`;
    const terms = new Map<string, string>();
    matchLabelExpressions.forEach(({ key = '', ...term }, position) => {
      const values = term.values ?? [];
      const here = `${at}[${position}]`;
      if (!values.length) errors.required(`${here}.values`);
      values.forEach((value, place) => {
        if (values.indexOf(value) < place) errors.duplicate(`${here}.values[${place}]`, value);
      });
      for (const text of qualifiedNameProblems(key)) errors.invalid(`${here}.key`, key, text);
      if (terms.has(key)) errors.duplicate(`${here}.key`, key);
      terms.set(key, [...new Set(values)].sort().join());
    });
    const whole = [...terms]
      .map(([key, values]) => `${key}=${values}`)
      .sort()
      .join(';');
    for (const other of known) if (other === whole) errors.duplicate(at, '');
    known.push(whole);
  });
}
