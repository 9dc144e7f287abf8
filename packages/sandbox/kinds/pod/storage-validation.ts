import { type FieldErrors, isDnsLabel, isDnsSubdomain, qualifiedNameProblems } from '@tiphys/apimachinery';
import { compareQuantities, type coreV1, type KubeObject, type storageV1 } from '@tiphys/kubernetes';
import { oneOf } from '../shared/field-rules.ts';
import { validateSelector } from '../shared/selector-validation.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

export const VOLUME_MODES = ['Block', 'Filesystem'];

export function validateModes(modes: readonly string[], path: string, errors: FieldErrors): void {
  for (const mode of modes) oneOf(mode, MODES, path, errors);
  if (modes.length > 1 && modes.includes('ReadWriteOncePod'))
    errors.forbidden(path, 'may not use ReadWriteOncePod with other access modes');
}

export function validateClass(name: string | undefined, path: string, errors: FieldErrors): void {
  if (name) for (const text of isDnsSubdomain(name)) errors.invalid(path, name, text);
}

export function validateClaimSpec(source: object, path: string, errors: FieldErrors): void {
  const spec = source as coreV1.PersistentVolumeClaimSpec;
  if (!spec.accessModes?.length) errors.required(`${path}.accessModes`, 'at least 1 access mode is required');
  validateSelector(spec.selector, `${path}.selector`, errors);
  validateModes(spec.accessModes ?? [], `${path}.accessModes`, errors);
  const storage = spec.resources?.requests?.storage;
  if (!storage) errors.required(`${path}.resources[storage]`);
  else if ((compareQuantities(storage, '0') ?? 1) <= 0)
    errors.invalid(`${path}.resources[storage]`, storage, 'must be greater than zero');
  validateClass(spec.storageClassName, `${path}.storageClassName`, errors);
  oneOf(spec.volumeMode, VOLUME_MODES, `${path}.volumeMode`, errors);
  validateDataSources(spec, path, errors);
  validateClass(spec.volumeAttributesClassName, `${path}.volumeAttributesClassName`, errors);
}

function validateDataSources(
  { dataSource, dataSourceRef }: { dataSource?: DataSource; dataSourceRef?: DataSource },
  path: string,
  errors: FieldErrors,
): void {
  if (dataSource) validateDataSource(dataSource, `${path}.dataSource`, errors);
  if (dataSourceRef) validateDataSource(dataSourceRef, `${path}.dataSourceRef`, errors);
  const { namespace } = dataSourceRef ?? {};
  if (namespace)
    for (const text of isDnsLabel(namespace)) errors.invalid(`${path}.dataSourceRef.namespace`, namespace, text);
  if (!dataSource || !dataSourceRef) return;
  const same = (['apiGroup', 'kind', 'name'] as const).every((field) => dataSource[field] === dataSourceRef[field]);
  if (namespace)
    errors.invalid(path, `${path}.dataSource`, 'may not be specified when dataSourceRef.namespace is specified');
  else if (!same) errors.invalid(path, `${path}.dataSource`, 'must match dataSourceRef');
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
  namespace?: string;
}

function validateDataSource({ apiGroup = '', kind = '', name }: DataSource, at: string, errors: FieldErrors): void {
  if (!name) errors.required(`${at}.name`);
  if (!kind) errors.required(`${at}.kind`);
  if (!apiGroup && kind !== 'PersistentVolumeClaim')
    errors.invalid(at, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  if (apiGroup) for (const text of isDnsSubdomain(apiGroup)) errors.invalid(`${at}.apiGroup`, apiGroup, text);
}

export function validateProvisioner(name: string | undefined, at: string, errors: FieldErrors): void {
  if (!name) errors.required(at);
  else for (const text of qualifiedNameProblems(name.toLowerCase())) errors.invalid(at, name.toLowerCase(), text);
}

const MAX_PARAMETERS = 512;

const MAX_PARAMETERS_SIZE = 256 * 1024;

export function validateParameters(
  parameters: Readonly<Record<string, string>>,
  at: string,
  errors: FieldErrors,
): void {
  const entries = Object.entries(parameters);
  if (entries.length > MAX_PARAMETERS) {
    errors.tooLong(at, MAX_PARAMETERS);
    return;
  }
  if ('' in parameters) errors.invalid(at, '', 'field can not be empty.');
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (size > MAX_PARAMETERS_SIZE) errors.tooLong(at, MAX_PARAMETERS_SIZE);
}

export function validateStorageClass(object: KubeObject, errors: FieldErrors): void {
  const { provisioner, parameters, reclaimPolicy, volumeBindingMode } = object as storageV1.StorageClass;
  validateProvisioner(provisioner, 'provisioner', errors);
  validateParameters(parameters ?? {}, 'parameters', errors);
  if (reclaimPolicy) oneOf(reclaimPolicy, ['Delete', 'Retain'], 'reclaimPolicy', errors);
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
