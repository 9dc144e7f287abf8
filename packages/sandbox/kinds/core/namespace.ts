import { type FieldErrors, forbidden, isDnsLabel, qualifiedNameProblems, type Strategy } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { textAt } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';

/** Namespaces, nodes, endpoints and what else is small: the API server's rules for them. */
export function validateNamespace(object: KubeObject, errors: FieldErrors): void {
  for (const finalizer of (object.spec as coreV1.NamespaceSpec | undefined)?.finalizers ?? []) {
    for (const text of qualifiedNameProblems(finalizer)) errors.invalid('spec.finalizers', finalizer, text);
    if (!finalizer.includes('/') && finalizer !== 'kubernetes')
      errors.invalid(
        'spec.finalizers',
        finalizer,
        'name is neither a standard finalizer name nor is it fully qualified',
      );
  }
}

export const namespace: Strategy = {
  metaRulesOnUpdate: true,
  generation: false,
  statusSubresource: true,
  nameRule: isDnsLabel,
  defaults(object) {
    object.metadata.labels = { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name ?? '' };
    const status = (object.status ?? {}) as coreV1.NamespaceStatus;
    object.status = { ...status, phase: status.phase || 'Active' };
  },
  prepareCreate(object) {
    const spec = (object.spec ?? {}) as coreV1.NamespaceSpec;
    if (!spec.finalizers?.includes('kubernetes')) spec.finalizers = [...(spec.finalizers ?? []), 'kubernetes'];
    object.spec = spec;
    object.status = { phase: 'Active' };
  },
  validate: validateNamespace,
  validateStatus({ metadata, status }, _old, errors) {
    const { phase = '' } = (status ?? {}) as coreV1.NamespaceStatus;
    if (!metadata.deletionTimestamp && phase !== 'Active')
      errors.invalid('status.Phase', phase, "may only be 'Active' if `deletionTimestamp` is empty");
    if (metadata.deletionTimestamp && phase !== 'Terminating')
      errors.invalid('status.Phase', phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
  },
  prepareUpdate(object, old, context) {
    // Only the finalize subresource empties the list.
    if (context.subresource !== 'finalize') object.spec = old.spec;
  },
  fields: (object) => ({ 'status.phase': String((object.status as coreV1.NamespaceStatus | undefined)?.phase ?? '') }),
};

/** The namespaces that a cluster can't do without. */
export function refuseImmortalNamespace(name: string): void {
  if (['default', 'kube-system', 'kube-public'].includes(name))
    throw forbidden({ group: '', name: 'namespaces' }, name, 'this namespace may not be deleted');
}

export const namespaces: BuiltinKind = {
  strategy: namespace,
  cells: (o, now) => [name(o), textAt(o, 'status.phase'), age(o, now)],
};
