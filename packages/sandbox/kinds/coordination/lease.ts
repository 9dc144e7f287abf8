import type { FieldErrors, Strategy } from '@tiphys/apimachinery';
import type { coordinationV1, KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { validateNonNegative } from '../shared/field-rules.ts';
import { drop, mapAt } from '../shared/gates.ts';
import { plain } from '../shared/plain.ts';

export function validateLease(object: KubeObject, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as coordinationV1.LeaseSpec;
  const { leaseDurationSeconds: duration } = spec;
  if (duration !== undefined && duration <= 0)
    errors.invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0');
  validateNonNegative(spec.leaseTransitions, 'spec.leaseTransitions', errors);
}

export const lease: Strategy = {
  unconditionalUpdate: false,
  ...plain,
  createOnUpdate: true,
  validate: validateLease,
};

export const leases: BuiltinKind = {
  strategy: lease,
  cells: (o, now) => [name(o), textAt(o, 'spec.holderIdentity'), age(o, now)],
  gated: { spec: (object) => drop(mapAt(object, 'spec'), 'strategy', 'preferredHolder') },
};
