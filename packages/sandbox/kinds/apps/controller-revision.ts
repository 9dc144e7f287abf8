import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors, Strategy } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { age, name } from '../shared/cells.ts';
import { validateNonNegative } from '../shared/field-rules.ts';
import { plain } from '../shared/plain.ts';

export function validateRevision(object: KubeObject, errors: FieldErrors): void {
  validateNonNegative(object.revision as number, 'revision', errors);
}

export function validateRevisionData({ data }: KubeObject, errors: FieldErrors): void {
  if (data === undefined || data === null) errors.required('data', 'data is mandatory');
  else if (typeof data !== 'object' || Array.isArray(data)) errors.required('data', 'data must be a valid JSON object');
}

export const controllerRevision: Strategy = {
  metaRulesOnUpdate: true,
  ...plain,
  validate: validateRevision,
  validateCreate: validateRevisionData,
  validateUpdate(object, old, errors) {
    if (!isDeepStrictEqual(object.data, old.data)) errors.invalid('data', object.data ?? null, 'field is immutable');
  },
};

export const controllerRevisions: BuiltinKind = {
  strategy: controllerRevision,
  cells: (o, now) => {
    const owner = o.metadata.ownerReferences?.find(({ controller }) => controller);
    const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
    return [name(o), owner ? `${owner.kind.toLowerCase()}${group}/${owner.name}` : '<none>', o.revision, age(o, now)];
  },
};
