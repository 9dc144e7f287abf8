import type { KubeObject } from '@tiphys/kubernetes';
import type { FieldErrors } from './field-errors.ts';
import { isDnsSubdomain } from './names.ts';
import type { Resource } from './resource.ts';

/** Validates `metadata` of a whole object. */
export function validateMeta(resource: Resource, object: KubeObject, errors: FieldErrors): void {
  const { name } = object.metadata;
  if (!name) errors.required('metadata.name', 'name or generateName is required');
  else for (const text of (resource.strategy.nameRule ?? isDnsSubdomain)(name)) errors.invalid('metadata.name', name, text);
}

/** What of `metadata` must not change. */
export function validateMetaUpdate(_object: KubeObject, _old: KubeObject, _errors: FieldErrors): void {}
