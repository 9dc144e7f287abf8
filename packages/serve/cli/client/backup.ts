import { isDeepStrictEqual } from 'node:util';
import { names } from '@tiphys/api';
import { commaList } from '@tiphys/applications';
import { matchListed } from '@tiphys/glob';
import { type Client, isNotFound, type KubeObject } from '@tiphys/kubernetes';

/** Settings of Argo CD that its export holds; the notifications' are no part of it. */
const configMaps = ['argocd-cm', 'argocd-rbac-cm', 'argocd-ssh-known-hosts-cm', 'argocd-tls-certs-cm'];
const kubectlAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
/** Fields of a status that change all the time. */
const passing = ['reconciledAt', 'observedAt'];

/** Namespaces beside the control plane's, as globs; undefined for what argocd-cmd-params-cm says. */
export interface BackupScope {
  readonly applicationNamespaces?: readonly string[] | undefined;
  readonly applicationSetNamespaces?: readonly string[] | undefined;
}

/** Everything that `argocd admin export` writes, in its order: settings, Secrets of Argo CD, projects, Applications, ApplicationSets. */
export async function backedUp(client: Client, namespace: string, scope: BackupScope): Promise<KubeObject[]> {
  const settings = await Promise.all(
    configMaps.map((name) => client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })),
  );
  const secrets = (await listAll(client, { apiVersion: 'v1', kind: 'Secret', namespace })).filter(isSecretOfArgo);
  const parameters = await client.find({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace,
    name: names.configMaps.parameters,
  });
  const setting = (key: string) => commaList(((parameters?.data ?? {}) as Record<string, string>)[key] || undefined);
  const custom = async (kind: string, others: readonly string[]) => {
    const ref = { apiVersion: names.apiVersion, kind, ...(others.length > 0 ? {} : { namespace }) };
    const objects = await listAll(client, ref).catch((error: unknown) => {
      if (isNotFound(error)) return [];
      throw error;
    });
    return objects.filter(({ metadata: { namespace: of = '' } }) => of === namespace || matchListed(others, of));
  };
  return [
    ...settings.flatMap((object) => object ?? []),
    ...secrets,
    ...(await custom('AppProject', [])),
    ...(await custom('Application', scope.applicationNamespaces ?? setting('application.namespaces'))),
    ...(await custom(
      'ApplicationSet',
      scope.applicationSetNamespaces ?? setting('applicationsetcontroller.namespaces'),
    )),
  ];
}

async function listAll(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace?: string },
): Promise<KubeObject[]> {
  const items: KubeObject[] = [];
  let more: string | undefined;
  do {
    const page = await client.list(ref, { limit: 500, ...(more ? { continue: more } : {}) });
    items.push(...page.items.map((item) => ({ ...item, apiVersion: ref.apiVersion, kind: ref.kind })));
    more = page.metadata.continue;
  } while (more);
  return items;
}

function isSecretOfArgo({ metadata }: KubeObject): boolean {
  return (
    metadata.name === 'argocd-secret' ||
    metadata.labels?.['argocd.argoproj.io/secret-type'] !== undefined ||
    metadata.annotations?.['managed-by'] === 'argocd.argoproj.io'
  );
}

/** An object as the export writes it: of its metadata what people and controllers have said, not what the server has. */
export function exported({ apiVersion, kind, metadata, ...rest }: KubeObject, namespace: string): KubeObject {
  const { name, labels, annotations, finalizers, namespace: of } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ...(labels ? { labels } : {}),
      ...(name ? { name } : {}),
      ...(of && of !== namespace ? { namespace: of } : {}),
    },
    ...rest,
  } as KubeObject;
}

/** What an import does to one object. */
export interface ImportStep {
  readonly action: 'create' | 'update' | 'unchanged' | 'prune' | 'keep';
  /** As it is written; of one that is pruned or kept, as it is. */
  readonly object: KubeObject;
}

const kinds = new Set(['ConfigMap', 'Secret', 'AppProject', 'Application', 'ApplicationSet']);

/**
 * What an import does, before it does it. Objects of a backup without a namespace belong in the control plane's; those of other kinds are
 * refused by name. What is there and not in the backup is pruned if that is asked for, ConfigMaps never.
 */
export function planImport(
  backup: readonly KubeObject[],
  existing: readonly KubeObject[],
  {
    namespace,
    prune,
    stopOperation,
  }: { readonly namespace: string; readonly prune: boolean; readonly stopOperation: boolean },
): ImportStep[] {
  const left = new Map(existing.map((object) => [keyOf(object, namespace), object]));
  const steps = backup.map((wanted): ImportStep => {
    const key = keyOf(wanted, namespace);
    const live = left.get(key);
    left.delete(key);
    if (!live)
      return {
        action: 'create',
        object: { ...wanted, metadata: { ...wanted.metadata, namespace: wanted.metadata.namespace ?? namespace } },
      };
    const stops = stopOperation && live.operation !== undefined;
    if (!stops && isDeepStrictEqual(content(wanted), content(live))) return { action: 'unchanged', object: live };
    return { action: 'update', object: updated(live, wanted, stopOperation) };
  });
  for (const object of left.values())
    if (object.kind !== 'ConfigMap') steps.push({ action: prune ? 'prune' : 'keep', object });
  return steps;
}

function keyOf({ kind, metadata }: KubeObject, namespace: string): string {
  return `${kind} ${metadata.namespace || namespace}/${metadata.name}`;
}

export function isOfBackup({ kind }: KubeObject): boolean {
  return kinds.has(kind);
}

/** What makes two objects equal. */
function content({ metadata, kind, ...rest }: KubeObject): unknown {
  const { [kubectlAnnotation]: _, ...annotations } = metadata.annotations ?? {};
  const status = Object.fromEntries(
    Object.entries((rest.status ?? {}) as object).filter(([key]) => !passing.includes(key)),
  );
  return {
    annotations,
    labels: metadata.labels ?? {},
    finalizers: metadata.finalizers ?? [],
    data: rest.data ?? {},
    spec: rest.spec ?? {},
    status: kind === 'Application' ? status : {},
  };
}

function updated(live: KubeObject, { metadata, data, spec, status }: KubeObject, stopOperation: boolean): KubeObject {
  const { annotations, labels, finalizers, ...own } = live.metadata;
  const { operation, ...body } = live;
  return {
    ...body,
    ...(operation === undefined || stopOperation ? {} : { operation }),
    metadata: {
      ...own,
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ...(metadata.labels ? { labels: metadata.labels } : {}),
      ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
    },
    ...(data === undefined ? {} : { data }),
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  } as KubeObject;
}
