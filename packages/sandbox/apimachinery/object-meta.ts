import type { KubeObject, ObjectMeta, OwnerReference } from '@tiphys/kubernetes';
import type { FieldErrors } from './errors/field-errors.ts';
import { isDnsSubdomain, isPathSegment } from './names/names.ts';
import type { Resource } from './resource.ts';

const QUALIFIED = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const QUALIFIED_TEXT =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_TEXT =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const MAX_ANNOTATIONS = 256 * 1024;

/** Validates `metadata` of a whole object; the kind's own rule for names is asked when they are new. */
export function validateMeta(resource: Resource, object: KubeObject, errors: FieldErrors, isNew: boolean): void {
  const { name, generateName, generation = 0, labels, annotations, finalizers, ownerReferences } = object.metadata;
  const { nameRule: newRule = isDnsSubdomain, metaRulesOnUpdate } = resource.strategy;
  const rule = isNew ? newRule : isPathSegment;
  for (const each of !isNew && metaRulesOnUpdate ? [rule, newRule] : [rule])
    if (generateName)
      for (const text of each(generateName.replace(/-$/, 'a'), object))
        errors.invalid('metadata.generateName', generateName, text);
  if (!name) errors.required('metadata.name', 'name or generateName is required');
  else for (const text of rule(name, object)) errors.invalid('metadata.name', name, text);
  if (generation < 0) errors.invalid('metadata.generation', generation, 'must be greater than or equal to 0');
  validateLabels(labels, 'metadata.labels', errors);
  validateAnnotations(annotations, errors);
  validateOwners(ownerReferences ?? [], errors);
  for (const finalizer of finalizers ?? [])
    for (const text of qualifiedNameProblems(finalizer)) errors.invalid('metadata.finalizers', finalizer, text);
  if (resource.custom === undefined)
    (finalizers ?? []).forEach((finalizer, index) => {
      if (isBareFinalizer(finalizer))
        errors.invalid(
          `metadata.finalizers[${index}]`,
          finalizer,
          'name is neither a standard finalizer name nor is it fully qualified',
        );
    });
  validateManagedFields(object.metadata.managedFields ?? [], errors);
}

const MAX_MANAGER = 128;
const MAX_SUBRESOURCE = 256;
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/** The name of a manager of fields: of a query, or of an entry of `metadata.managedFields`. */
export function validateManager(manager: string, path: string, errors: FieldErrors): void {
  if (Buffer.byteLength(manager) > MAX_MANAGER) errors.tooLong(path, MAX_MANAGER);
  let position = 0;
  for (const character of manager) {
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    if (!PRINTABLE.test(character))
      errors.invalid(path, manager, `invalid character U+${code} (at position ${position})`);
    position += Buffer.byteLength(character);
  }
}

function validateManagedFields(entries: NonNullable<ObjectMeta['managedFields']>, errors: FieldErrors): void {
  for (const [index, entry] of entries.entries()) {
    const path = `metadata.managedFields[${index}]`;
    const { manager = '', operation = '', fieldsType = '', subresource = '' } = entry;
    if (operation !== 'Apply' && operation !== 'Update')
      errors.invalid(`${path}.operation`, operation, 'must be `Apply` or `Update`');
    if (fieldsType && fieldsType !== 'FieldsV1') errors.invalid(`${path}.fieldsType`, fieldsType, 'must be `FieldsV1`');
    validateManager(manager, `${path}.manager`, errors);
    if (Buffer.byteLength(subresource) > MAX_SUBRESOURCE) errors.tooLong(`${path}.subresource`, MAX_SUBRESOURCE);
  }
}

/** Whether a finalizer is neither one of Kubernetes' own nor qualified by a domain. */
export function isBareFinalizer(name: string): boolean {
  return !name.includes('/') && !['orphan', 'foregroundDeletion', 'kubernetes'].includes(name);
}

/** Keys and values of labels; the values' path is the map's own. */
export function validateLabels(
  labels: Record<string, string> | undefined,
  path: string,
  errors: FieldErrors,
  _kind = '',
): void {
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const text of qualifiedNameProblems(key)) errors.invalid(path, key, text);
    for (const text of labelValueProblems(value)) errors.invalid(path, value, text);
  }
}

/** What is wrong with the value of a label. */
export function labelValueProblems(value: string): string[] {
  return [
    ...(value.length > 63 ? ['must be no more than 63 characters'] : []),
    ...(value !== '' && !QUALIFIED.test(value) ? [VALUE_TEXT] : []),
  ];
}

export function validateAnnotations(
  annotations: Record<string, string> | undefined,
  errors: FieldErrors,
  path = 'metadata.annotations',
): void {
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const text of qualifiedNameProblems(key.toLowerCase())) errors.invalid(path, key, text);
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (size > MAX_ANNOTATIONS) errors.tooLong(path, MAX_ANNOTATIONS);
}

/** What is wrong with `prefix/name` or `name`. */
export function qualifiedNameProblems(text: string): string[] {
  const parts = text.split('/');
  if (parts.length > 2)
    return [
      `a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const found: string[] = [];
  const name = parts[parts.length - 1] as string;
  if (parts.length === 2) {
    if (parts[0] === '') found.push('prefix part must be non-empty');
    else found.push(...isDnsSubdomain(parts[0] as string).map((problem) => `prefix part ${problem}`));
  }
  if (name === '') found.push('name part must be non-empty');
  else if (name.length > 63) found.push('name part must be no more than 63 characters');
  if (!QUALIFIED.test(name)) found.push(QUALIFIED_TEXT);
  return found;
}

function validateOwners(owners: readonly OwnerReference[], errors: FieldErrors): void {
  let controller: OwnerReference | undefined;
  owners.forEach((owner) => {
    const at = 'metadata.ownerReferences';
    const parts = owner.apiVersion?.split('/') ?? [];
    if (!parts.at(-1) || parts.length > 2)
      errors.invalid(`${at}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty');
    if (!owner.kind) errors.invalid(`${at}.kind`, owner.kind ?? '', 'must not be empty');
    if (!owner.name) errors.invalid(`${at}.name`, owner.name ?? '', 'must not be empty');
    if (!owner.uid) errors.invalid(`${at}.uid`, owner.uid ?? '', 'must not be empty');
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      errors.invalid(at, owner, '/v1, Kind=Event is disallowed from being an owner');
    if (owner.controller && controller)
      errors.invalid(
        'metadata.ownerReferences',
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`,
      );
    if (owner.controller) controller = owner;
  });
}

/** What of `metadata` must not change. */
export function validateMetaUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const { uid } = object.metadata;
  if (uid !== old.metadata.uid) errors.invalid('metadata.uid', uid, 'field is immutable');
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds'] as const)
    if (object.metadata[field] !== old.metadata[field])
      errors.invalid(`metadata.${field}`, object.metadata[field], 'field is immutable');
  if (!old.metadata.deletionTimestamp) return;
  const before = new Set(old.metadata.finalizers ?? []);
  const added = (object.metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer));
  if (added.length)
    errors.forbidden(
      'metadata.finalizers',
      `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((finalizer) => JSON.stringify(finalizer)).join(', ')}}`,
    );
}

/** Metadata of what is made from a template: labels and annotations, and nothing else. */
export function validateTemplateMeta(meta: ObjectMeta | undefined, path: string, errors: FieldErrors): void {
  const { labels, annotations, ...others } = meta ?? {};
  validateAnnotations(annotations, errors, `${path}.annotations`);
  validateLabels(labels, `${path}.labels`, errors);
  for (const field of TEMPLATE_REFUSES) {
    const value: unknown = others[field];
    const isUnset = value === undefined || value === null || value === '' || (value === 0 && field === 'generation');
    if (!isUnset) errors.forbidden(`${path}.${TOLD_AS[field] ?? field}`, 'cannot be set');
  }
}

/** In the order of the API's fields. */
const TEMPLATE_REFUSES = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;
/** Names of fields in the API server's own words. */
const TOLD_AS: Readonly<Record<string, string>> = { uid: 'uID' };
