import type { Call } from '../rpc/call.ts';
import { permissionDenied } from '../rpc/rpc-error.ts';
import type { FamilyAccess } from './family-access.ts';

type Action = 'get' | 'update';

/** Whether the caller has the right over all clusters, which is asked for here: Argo CD's model knows no rows for these kinds. */
export async function hasClusterRight(context: FamilyAccess, call: Call, action: Action): Promise<boolean> {
  return (await context.enforcer()).allows(call.identity, 'clusters', action, '*');
}

/** Throws PermissionDenied that names the right that is missing. */
export async function requireClusterRight(context: FamilyAccess, call: Call, action: Action): Promise<void> {
  if (await hasClusterRight(context, call, action)) return;
  const what =
    action === 'get' ? 'Rollouts, Workflows and upgrades are shown' : 'Rollouts and records of calls are changed';
  const row = `p, role:…, clusters, ${action}, *, allow`;
  throw permissionDenied(
    `permission denied: clusters, ${action}, *: ${what} to who may ${action} all clusters ("${row}" in argocd-rbac-cm)`,
  );
}
