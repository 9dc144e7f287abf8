import type { Condition } from '../machinery/workload-model.ts';
import type { Remainder } from './namespace-content.ts';

const fine: Record<string, [reason: string, message: string]> = {
  NamespaceDeletionDiscoveryFailure: ['ResourcesDiscovered', 'All resources successfully discovered'],
  NamespaceDeletionGroupVersionParsingFailure: ['ParsedGroupVersions', 'All legacy kube types successfully parsed'],
  NamespaceDeletionContentFailure: [
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
  NamespaceContentRemaining: ['ContentRemoved', 'All content successfully removed'],
  NamespaceFinalizersRemaining: ['ContentHasNoFinalizers', 'All content-preserving finalizers finished'],
};

/**
 * The conditions of a terminating namespace (`namespaceConditionUpdater`): what is left, what holds it, and what could
 * not be read or deleted. `unavailable` are the groups whose discovery failed, with the reason.
 */
export function namespaceConditions(
  before: readonly Condition[],
  remainders: readonly Remainder[],
  unavailable: ReadonlyMap<string, string>,
  now: string,
): Condition[] {
  const bad = problems(remainders, unavailable);
  const conditions = [...before];
  for (const [type, ok] of Object.entries(fine)) {
    const [reason, message] = bad.get(type) ?? ok;
    const status = bad.has(type) ? 'True' : 'False';
    const index = conditions.findIndex((condition) => condition.type === type);
    const old = conditions[index];
    const lastTransitionTime = old?.status === status && old.lastTransitionTime ? old.lastTransitionTime : now;
    const next: Condition = { type, status, lastTransitionTime, reason, message };
    if (index < 0) conditions.push(next);
    else conditions[index] = next;
  }
  return conditions;
}

function problems(
  remainders: readonly Remainder[],
  unavailable: ReadonlyMap<string, string>,
): Map<string, [reason: string, message: string]> {
  const found = new Map<string, [string, string]>();
  if (unavailable.size > 0) {
    const groups = [...unavailable].map(([group, why]) => `${group}: ${why}`).sort();
    found.set('NamespaceDeletionDiscoveryFailure', [
      'DiscoveryFailed',
      `Discovery failed for some groups, ${groups.length} failing: unable to retrieve the complete list of server APIs: ${groups.join(', ')}`,
    ]);
  }
  const errors = remainders.flatMap(({ error }) => error ?? []).sort();
  if (errors.length > 0)
    found.set('NamespaceDeletionContentFailure', [
      'ContentDeletionFailed',
      `Failed to delete all resource types, ${errors.length} remaining: ${errors.join(', ')}`,
    ]);
  const kinds = remainders.filter(({ count }) => count > 0);
  const resources = kinds.map(({ resource, count }) => `${resource} has ${count} resource instances`).sort();
  if (resources.length > 0)
    found.set('NamespaceContentRemaining', [
      'SomeResourcesRemain',
      `Some resources are remaining: ${resources.join(', ')}`,
    ]);
  const finalizers = new Map<string, number>();
  for (const { byFinalizer } of kinds)
    for (const [name, count] of byFinalizer) finalizers.set(name, (finalizers.get(name) ?? 0) + count);
  const held = [...finalizers].map(([name, count]) => `${name} in ${count} resource instances`).sort();
  if (held.length > 0)
    found.set('NamespaceFinalizersRemaining', [
      'SomeFinalizersRemain',
      `Some content in the namespace has finalizers remaining: ${held.join(', ')}`,
    ]);
  return found;
}
