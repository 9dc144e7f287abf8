import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, isAlreadyExists, type KubeObject, pause } from '@tiphys/kubernetes';

const tokenMissing = defineDiagnosis('ManagerTokenMissing', 'A cluster gave its ServiceAccount no token', 'C17');

/** Names as `argocd cluster add` makes them, so that a cluster that it registered is registered again, not twice. */
const account = 'argocd-manager';
const role = 'argocd-manager-role';
const binding = 'argocd-manager-role-binding';
const tokenSuffix = '-long-lived-token';

const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

/**
 * Creates the ServiceAccount `argocd-manager` with all rights in the cluster, or in the given namespaces alone, and returns its token.
 * What is there already is brought up to date. Rejects with what the API server refuses.
 */
export async function installManager(
  client: Client,
  { systemNamespace, namespaces, clock }: { systemNamespace: string; namespaces: readonly string[]; clock: Clock },
): Promise<string> {
  await ensure(client, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: account, namespace: systemNamespace },
  });
  for (const object of rights(systemNamespace, namespaces)) await ensure(client, object);
  return await accountToken(client, { systemNamespace, name: account, clock });
}

function rights(systemNamespace: string, namespaces: readonly string[]): KubeObject[] {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', name: account, namespace: systemNamespace }];
  if (namespaces.length > 0) {
    return namespaces.flatMap((namespace) => [
      { apiVersion, kind: 'Role', metadata: { name: role, namespace }, rules: [everything] },
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata: { name: binding, namespace },
        subjects,
        roleRef: { apiGroup, kind: 'Role', name: role },
      },
    ]);
  }
  return [
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [everything, { nonResourceURLs: ['*'], verbs: ['*'] }],
    },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: { name: binding },
      subjects,
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    },
  ];
}

/** Creates an object, or writes its fields over those of the one that is there. */
async function ensure(client: Client, object: KubeObject): Promise<void> {
  try {
    await client.create(object);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { apiVersion, kind, metadata, ...rest } = object;
    const { name = '', namespace } = metadata;
    await client.patch({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) }, 'merge', { metadata, ...rest });
  }
}

const attempts = 60;
const pauseBetween = 500;

/** The long-lived token of a ServiceAccount; made if it has none. Waits up to 30 s for the cluster to fill it in. */
export async function accountToken(
  client: Client,
  { systemNamespace, name, clock }: { systemNamespace: string; name: string; clock: Clock },
): Promise<string> {
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: systemNamespace, name: `${name}${tokenSuffix}` };
  if (!(await client.find(secret))) {
    await client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: secret.name,
        namespace: systemNamespace,
        annotations: { 'kubernetes.io/service-account.name': name },
      },
      type: 'kubernetes.io/service-account-token',
    });
  }
  for (let attempt = 0; attempt < attempts; attempt++) {
    const data = ((await client.get(secret)).data ?? {}) as { token?: string };
    if (data.token) return Buffer.from(data.token, 'base64').toString('utf8');
    await pause(clock, pauseBetween);
  }
  throw failure(tokenMissing, {
    message: `The Secret ${systemNamespace}/${secret.name} got no token within ${(attempts * pauseBetween) / 1000} s`,
    place: { object: `Secret ${systemNamespace}/${secret.name}` },
    remedies: [`Check that ServiceAccount ${systemNamespace}/${name} exists and that kube-controller-manager runs`],
  });
}
