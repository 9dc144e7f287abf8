import { type Client, isAlreadyExists, isForbidden, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { candidateRules, guardRules, objectsBeside, type PodTemplate } from '../guard/objects.ts';
import { placeOf } from '../guard/record.ts';
import { own, partLabel } from '../state/names.ts';

/** Tells for which operation something was made. */
const operationAnnotation = 'tiphys.dev/operation';

export interface BesideParts {
  readonly client: Client;
  readonly namespace: string;
  readonly operation: string;
  readonly template: PodTemplate;
}

/** Sees to it that the candidate of this operation runs; one of another operation is removed first. */
export async function ensureCandidate(parts: BesideParts & { readonly silent: boolean }): Promise<void> {
  const report = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: own.report, namespace: parts.namespace } };
  await ensure(parts, [report, ...objectsBeside({ ...parts, role: 'candidate', ...candidateRules })]);
}

/** Sees to it that the guard of this operation runs, with the rights that the running controller has. */
export async function ensureGuard(parts: BesideParts): Promise<void> {
  const { client, namespace, template } = parts;
  const account = { name: template.spec.serviceAccountName ?? 'default', namespace };
  const rules = guardRules(await rightsIn(client, namespace), account);
  await ensure(parts, objectsBeside({ ...parts, role: 'guard', ...rules }));
}

/** Removes what was made for a candidate or guard. */
export async function removeBeside(client: Client, namespace: string, role: 'candidate' | 'guard'): Promise<void> {
  const template = { spec: { containers: [] } };
  const made = objectsBeside({ role, namespace, template, rules: [], clusterRules: [] }).reverse();
  const report: KubeObject[] =
    role === 'candidate' ? [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: own.report, namespace } }] : [];
  for (const object of [...made, ...report])
    try {
      await client.delete(placeOf(object), { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error) && !isForbidden(error)) throw error;
    }
}

async function ensure({ client, namespace, operation }: BesideParts, objects: readonly KubeObject[]): Promise<void> {
  for (const object of objects) {
    const labels = { [partLabel]: 'candidate', ...object.metadata.labels };
    const metadata = { ...object.metadata, labels, annotations: { [operationAnnotation]: operation } };
    const live = await client.find(placeOf(object)).catch(unlessForbidden);
    if (live?.metadata.annotations?.[operationAnnotation] === operation) continue;
    if (live) await client.delete(placeOf(object), { propagationPolicy: 'Background' });
    try {
      await client.create({ ...object, metadata }, { fieldManager: 'tiphys' });
    } catch (error) {
      // what is being deleted is made at the next look; who has rights in one namespace alone gives no others
      if (isAlreadyExists(error)) continue;
      const everywhere = object.metadata.namespace === undefined;
      if (!(isForbidden(error) && everywhere && namespace)) throw error;
    }
  }
}

function unlessForbidden(error: unknown): undefined {
  if (!isForbidden(error)) throw error;
}

/** Roles and bindings of a namespace and of the cluster, as far as they may be read. */
async function rightsIn(client: Client, namespace: string): Promise<KubeObject[]> {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const lists = await Promise.all(
    [
      { apiVersion, kind: 'Role', namespace },
      { apiVersion, kind: 'RoleBinding', namespace },
      { apiVersion, kind: 'ClusterRole' },
      { apiVersion, kind: 'ClusterRoleBinding' },
    ].map(async (ref) => {
      const items = (await client.list(ref).catch(unlessForbidden))?.items ?? [];
      // objects of a list name no kind
      return items.map((item) => ({ ...item, apiVersion, kind: ref.kind }));
    }),
  );
  return lists.flat();
}
