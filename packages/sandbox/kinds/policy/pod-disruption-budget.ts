import { isPathSegment, type Strategy } from '@tiphys/apimachinery';
import type { policyV1 } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { numberAt, textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { oneOf, validateNonNegative } from '../shared/field-rules.ts';
import { validateIntOrPercent } from '../shared/int-or-percent.ts';
import { type Condition, validateMetaConditions } from '../shared/meta-conditions.ts';
import { validateSelector } from '../shared/selector-validation.ts';

export const podDisruptionBudget: Strategy = {
  unconditionalUpdate: false,
  validateStatus(object, _old, errors) {
    const status = (object.status ?? {}) as Record<string, number> & { conditions?: Condition[] };
    validateMetaConditions(status.conditions ?? [], 'status.conditions', errors);
    for (const field of ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'])
      validateNonNegative(status[field], `status.${field}`, errors);
  },
  nameRule: isPathSegment,
  generation: true,
  statusSubresource: true,
  validate(object, errors) {
    const spec = (object.spec ?? {}) as policyV1.PodDisruptionBudgetSpec;
    if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined)
      errors.invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set');
    validateIntOrPercent(spec.minAvailable, 'spec.minAvailable', errors, { limited: true });
    validateIntOrPercent(spec.maxUnavailable, 'spec.maxUnavailable', errors, { limited: true });
    oneOf(
      spec.unhealthyPodEvictionPolicy,
      ['AlwaysAllow', 'IfHealthyBudget'],
      'spec.unhealthyPodEvictionPolicy',
      errors,
    );
    validateSelector(spec.selector, 'spec.selector', errors);
  },
};

export const podDisruptionBudgets: BuiltinKind = {
  strategy: podDisruptionBudget,
  cells: (o, now) => [
    name(o),
    textAt(o, 'spec.minAvailable', 'N/A'),
    textAt(o, 'spec.maxUnavailable', 'N/A'),
    numberAt(o, 'status.disruptionsAllowed'),
    age(o, now),
  ],
};
