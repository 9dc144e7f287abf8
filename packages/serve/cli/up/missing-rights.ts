import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { Role } from './role.ts';

interface Right {
  readonly why: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** The only role that needs it. */
  readonly role?: Role;
}

/** What the process must be able to do on a cluster that is not its own, from the reason it is needed for. */
const needed: readonly Right[] = [
  {
    why: 'to install the Application CRDs',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    verb: 'patch',
  },
  { why: 'to reconcile Applications', group: 'argoproj.io', resource: 'applications', verb: 'patch' },
  {
    why: 'to act for clusters that no other replica acts for',
    group: 'coordination.k8s.io',
    resource: 'leases',
    verb: 'update',
    role: 'controller',
  },
  { why: 'to read credentials and settings', group: '', resource: 'secrets', verb: 'list' },
  { why: 'to see live objects', group: '*', resource: '*', verb: 'list' },
  { why: 'to follow live objects', group: '*', resource: '*', verb: 'watch' },
  { why: 'to deliver', group: '*', resource: '*', verb: 'create' },
  { why: 'to deliver changes', group: '*', resource: '*', verb: 'patch' },
  { why: 'to prune', group: '*', resource: '*', verb: 'delete' },
];

/** A line for each right that the identity lacks for its role, for all that there is to do without one; empty if it may do everything. */
export async function missingRights(client: Client, role: Role | undefined): Promise<string[]> {
  const rights = needed.filter((right) => !role || !right.role || right.role === role);
  const answers = await Promise.all(
    rights.map(async ({ why, group, resource, verb }) => {
      const review = await client.create<KubeObject>({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        metadata: {},
        spec: { resourceAttributes: { group, resource, verb } },
      });
      const allowed = (review.status as { allowed?: boolean } | undefined)?.allowed === true;
      return allowed
        ? []
        : [`Missing right ${why}: {apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]}`];
    }),
  );
  return answers.flat();
}
