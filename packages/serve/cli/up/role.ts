import { hostname } from 'node:os';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { families } from './families/families.ts';

const roleUnknown = defineDiagnosis('RoleUnknown', 'ARGOCD_BINARY_NAME names a process that Tiphys does not have');
const roleNeedsCluster = defineDiagnosis(
  'RoleNeedsCluster',
  'A process with a role needs the cluster that all processes share',
);

/** Processes of Argo CD's core. */
const coreRoles = ['server', 'controller'] as const;

/**
 * What of Tiphys one process runs: `server` the API, the web page and webhooks, `controller` what delivers Applications (both
 * render, each for itself), or one of the families of controllers.
 */
export type Role = (typeof coreRoles)[number] | (string & {});

export const roles: readonly Role[] = [...coreRoles, ...Object.keys(families)];

/** Argo CD's names of its processes; those that are undefined have no counterpart, since nothing is left for them to do. */
const binaries: ReadonlyMap<string, Role | undefined> = new Map([
  ['argocd-server', 'server'],
  ['argocd-application-controller', 'controller'],
  ['argocd-repo-server', undefined],
  ['argocd-commit-server', undefined],
  ['argocd-notifications', undefined],
  ['argocd-dex', undefined],
]);

/** `--role`, else what ARGOCD_BINARY_NAME means as in the manifests of Argo CD; undefined for everything. */
export function roleOf(options: { readonly role?: Role }, env: NodeJS.ProcessEnv): Role | undefined {
  const binary = env.ARGOCD_BINARY_NAME;
  if (options.role) return options.role;
  if (!binary) return undefined;
  const family = Object.entries(families).find(([, each]) => each.binaries.includes(binary));
  const role = family?.[0] ?? binaries.get(binary);
  if (role) return role;
  if (!binaries.has(binary)) return undefined;
  throw failure(roleUnknown, {
    message: `ARGOCD_BINARY_NAME is ${binary}, which is no process of Tiphys: server and controller render themselves, and do the rest`,
    place: { field: 'ARGOCD_BINARY_NAME' },
    remedies: ['Remove this Deployment', 'Or set ARGOCD_BINARY_NAME to argocd-server or argocd-application-controller'],
  });
}

/** Refuses a role where nothing could be shared: the sandbox ends with the process that has it. */
export function needsCluster(role: Role): Error {
  return failure(roleNeedsCluster, {
    message: `--role ${role} needs a cluster: a sandbox of this process alone could not be shared with the other one`,
    place: { field: '--kubeconfig' },
    remedies: [
      'Give --kubeconfig the cluster of the control plane; in a pod the one that it runs in is taken',
      'To try it on a laptop, start `tiphys up --data DIR` and give the other process `--kubeconfig DIR/kubeconfig`',
    ],
  });
}

/** Names this process among all that check repositories; processes of one machine are told apart by their roles. */
export function replicaOf(
  role: Role | undefined,
  env: NodeJS.ProcessEnv,
): { replica: { replica: string; node: string } } {
  const host = hostname();
  const replica = env.POD_NAME || (role ? `${host} (${role})` : host);
  return { replica: { replica, node: env.NODE_NAME || host } };
}
