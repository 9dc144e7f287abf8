import { type FieldErrors, isDnsLabel, type Strategy, validateLabels } from '@tiphys/apimachinery';
import type { KubeObject, nodeV1 } from '@tiphys/kubernetes';
import { validateTolerations } from '../pod/affinity-validation.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { age, name } from '../shared/cells.ts';
import { validateContainerResourceName } from '../shared/container-resources.ts';
import { plain } from '../shared/plain.ts';
import { validateRequirements } from '../shared/resource-requirements.ts';

export function validateRuntimeClass(object: KubeObject, errors: FieldErrors): void {
  const handler = String(object.handler ?? '');
  for (const text of isDnsLabel(handler)) errors.invalid('handler', handler, text);
  const { overhead, scheduling } = object as nodeV1.RuntimeClass;
  const nameRule = (name: string, at: string) => validateContainerResourceName(name, at, errors);
  validateRequirements({ limits: overhead?.podFixed ?? {} }, 'overhead', { nameRule, claims: [] }, errors);
  validateLabels(scheduling?.nodeSelector, 'scheduling.nodeSelector', errors);
  validateTolerations(scheduling?.tolerations, 'scheduling.tolerations.tolerations', errors);
}

export const runtimeClass: Strategy = {
  unconditionalUpdate: false,
  metaRulesOnUpdate: true,
  ...plain,
  createOnUpdate: true,
  validate: validateRuntimeClass,
  validateUpdate(object, old, errors) {
    if (object.handler !== old.handler) errors.invalid('handler', object.handler ?? '', 'field is immutable');
  },
};

export const runtimeClasses: BuiltinKind = {
  strategy: runtimeClass,
  cells: (o, now) => [name(o), o.handler, age(o, now)],
};
