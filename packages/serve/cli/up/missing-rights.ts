import type { Client, KubeObject } from '@tiphys/kubernetes';
import type { Role } from './role.ts';

interface Right {
  readonly why: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
  /** The roles that need it; all of the core's if absent. */
  readonly roles?: readonly Role[];
}

const controllers = ['controller'];

/** What a process of the core must be able to do on a cluster that is not its own, from the reason it is needed for. */
const needed: readonly Right[] = [
  {
    why: 'to install the Application CRDs',
    group: 'apiextensions.k8s.io',
    resource: 'customresourcedefinitions',
    verb: 'patch',
    roles: controllers,
  },
  { why: 'to reconcile Applications', group: 'argoproj.io', resource: 'applications', verb: 'patch' },
  {
    why: 'to act for clusters that no other replica acts for',
    group: 'coordination.k8s.io',
    resource: 'leases',
    verb: 'update',
    roles: controllers,
  },
  { why: 'to read credentials and settings', group: '', resource: 'secrets', verb: 'list' },
  { why: 'to see live objects', group: '*', resource: '*', verb: 'list' },
  { why: 'to follow live objects', group: '*', resource: '*', verb: 'watch' },
  { why: 'to deliver', group: '*', resource: '*', verb: 'create', roles: controllers },
  { why: 'to deliver changes', group: '*', resource: '*', verb: 'patch', roles: controllers },
  { why: 'to prune', group: '*', resource: '*', verb: 'delete', roles: controllers },
];

/** What processes of the core need, by their roles. */
export function neededRights(): { role: string; group: string; resource: string; verb: string; why: string }[] {
  return needed.flatMap(({ roles = ['controller', 'server'], ...right }) => roles.map((role) => ({ ...right, role })));
}

/**
 * A line for each right that the identity lacks for its role, for all that there is to do without one; empty if it may do
 * everything. Families of controllers name what they lack when they meet it. Rights in the namespace of the control plane alone
 * are told of in one line: they are enough for an installation of that kind.
 */
export async function missingRights(
  client: Client,
  { role, namespace }: { readonly role: Role | undefined; readonly namespace: string },
): Promise<string[]> {
  const rights = needed.filter(({ roles = ['controller', 'server'] }) => !role || roles.includes(role));
  const answers = await Promise.all(
    rights.map(async (right) => {
      if (await allowed(client, right)) return { right, where: 'everywhere' };
      return { right, where: (await allowed(client, right, namespace)) ? 'own' : 'nowhere' };
    }),
  );
  const lines = answers
    .filter(({ where }) => where === 'nowhere')
    .map(
      ({ right: { why, group, resource, verb } }) =>
        `Missing right ${why}: {apiGroups: ["${group}"], resources: ["${resource}"], verbs: ["${verb}"]}`,
    );
  const own = answers.some(({ where, right }) => where === 'own' && right.group === '*');
  return own ? [...lines, `Rights in namespace ${namespace} alone: elsewhere only what cluster Secrets allow`] : lines;
}

async function allowed(client: Client, { group, resource, verb }: Right, namespace?: string): Promise<boolean> {
  const review = await client.create<KubeObject>({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: {},
    spec: { resourceAttributes: { group, resource, verb, ...(namespace ? { namespace } : {}) } },
  });
  return (review.status as { allowed?: boolean } | undefined)?.allowed === true;
}
