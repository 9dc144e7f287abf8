import { isDeepStrictEqual } from 'node:util';
import type { PolicyRule, ServerContext } from '@tiphys/apimachinery';
import { type KubeObject, selectorMatches } from '@tiphys/kubernetes';

interface ClusterRole extends KubeObject {
  rules?: PolicyRule[];
  aggregationRule?: { clusterRoleSelectors?: object[] };
}

/** Keeps the rules of aggregated ClusterRoles equal to the union of the roles that they select, now and after every change. */
export function aggregateRoles(server: ServerContext): void {
  const roles = server.store.collection('rbac.authorization.k8s.io/clusterroles');
  const reconcile = () => {
    // admin aggregates edit, edit aggregates view: repeat until nothing changes.
    for (let changed = true; changed; ) {
      changed = false;
      for (const key of [...roles.keys()]) {
        const role = roles.objectOf(key) as ClusterRole;
        if (!role.aggregationRule || role.metadata.deletionTimestamp) continue;
        const rules = union(server, role);
        if (isDeepStrictEqual(rules, role.rules ?? [])) continue;
        server.store.put(roles, key, { ...role, rules });
        changed = true;
      }
    }
    roles.onNextChange(() => queueMicrotask(reconcile));
  };
  reconcile();
}

function union(server: ServerContext, role: ClusterRole): PolicyRule[] {
  const roles = server.store.collection('rbac.authorization.k8s.io/clusterroles');
  // stored rules have their fields in one order, so that equal ones have equal texts
  const result = new Map<string, PolicyRule>();
  for (const selector of role.aggregationRule?.clusterRoleSelectors ?? [])
    for (const key of roles.keys()) {
      const other = roles.objectOf(key) as ClusterRole;
      if (key === role.metadata.name || !selectorMatches(selector, other.metadata.labels ?? {})) continue;
      for (const rule of other.rules ?? []) {
        const text = JSON.stringify(rule);
        if (!result.has(text)) result.set(text, rule);
      }
    }
  return [...result.values()];
}
