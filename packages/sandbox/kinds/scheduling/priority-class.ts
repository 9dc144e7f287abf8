import type { FieldErrors, Strategy } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { oneOf } from '../shared/field-rules.ts';

export function validatePriorityClass(object: KubeObject, errors: FieldErrors): void {
  const name = object.metadata.name ?? '';
  if (name.startsWith('system-')) {
    if (!['system-node-critical', 'system-cluster-critical'].includes(name))
      errors.forbidden(
        'metadata.name',
        `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`,
      );
  } else if (Number(object.value) > 1_000_000_000)
    errors.forbidden('value', 'maximum allowed value of a user defined priority is 1000000000');
  if (object.preemptionPolicy === '') errors.required('preemptionPolicy');
  else oneOf(object.preemptionPolicy as string, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy', errors);
}

export const priorityClass: Strategy = {
  generation: 'constant',
  statusSubresource: false,
  defaults(object) {
    object.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validateCreate: validatePriorityClass,
  validateUpdate(object, old, errors) {
    if (object.value !== old.value) errors.forbidden('value', 'may not be changed in an update.');
    if (object.preemptionPolicy !== old.preemptionPolicy)
      errors.invalid('preemptionPolicy', object.preemptionPolicy, 'field is immutable');
  },
};

export const priorityClasses: BuiltinKind = {
  strategy: priorityClass,
  cells: (o, now) => [name(o), o.value, o.globalDefault === true, age(o, now), textAt(o, 'preemptionPolicy')],
};
