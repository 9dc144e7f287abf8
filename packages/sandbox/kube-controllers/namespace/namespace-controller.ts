import { type ApiResource, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { MetadataWatches } from '../garbage-collector/metadata-watches.ts';
import { timestamp } from '../machinery/conditions.ts';
import { Controller, type ControllerContext, splitKey } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { Condition } from '../machinery/workload-model.ts';
import { namespaceConditions } from './namespace-conditions.ts';
import { deletableKinds, deleteContent, type Remainder } from './namespace-content.ts';

interface Namespace extends KubeObject {
  spec?: { finalizers?: string[] };
  status?: { phase?: string; conditions?: Condition[] };
}

const finalizer = 'kubernetes';
/** Several deletions in a row are looked at together. */
const gathering = 50;
/** What a watch does not tell (an error that went away) is looked for again after this. */
const requeuePeriod = 15_000;

/**
 * Empties namespaces that are being deleted, pods first, tells in their conditions what is left, and lets them go when
 * nothing is (pkg/controller/namespace).
 */
export function startNamespaceController(context: ControllerContext, watches: MetadataWatches): void {
  const controller = new Controller(context, 'namespace-controller');
  const namespaces = context.stores.of<Namespace>('v1', 'Namespace');
  controller.watch(namespaces, (namespace) =>
    namespace.metadata.deletionTimestamp ? [`/${namespace.metadata.name}`] : [],
  );
  watches.subscribe(({ type, object }) => {
    const { namespace, finalizers } = object.metadata;
    if (!namespace || !namespaces.get('', namespace)?.metadata.deletionTimestamp) return;
    if (type === 'deleted' || finalizers) controller.queue.addAfter(`/${namespace}`, gathering);
  });
  controller.run(async (key) => {
    const namespace = namespaces.get(...splitKey(key));
    if (!namespace?.metadata.deletionTimestamp || !namespace.spec?.finalizers?.includes(finalizer)) return undefined;
    // Which groups there are, and which do not answer, may be another thing than when the last one went.
    controller.client.discovery.invalidate();
    const remainders = await emptyNamespace(controller, namespace.metadata.name ?? '');
    const written = await writeConditions(controller, namespaces, namespace, remainders);
    if (!written) return undefined;
    const unknown = controller.client.discovery.unavailable().size > 0;
    if (unknown || remainders.some(({ count, error }) => count > 0 || error)) return { requeueAfter: requeuePeriod };
    await finalize(controller, written);
    return undefined;
  });
}

async function emptyNamespace({ client }: Controller, namespace: string): Promise<Remainder[]> {
  const kinds = await deletableKinds(client);
  const isPods = (resource: ApiResource) => resource.group === '' && resource.plural === 'pods';
  const pods = await Promise.all(kinds.filter(isPods).map((kind) => deleteContent(client, kind, namespace)));
  // what pods use goes after them
  if (pods.some(({ count }) => count > 0)) return pods;
  const others = kinds.filter((kind) => !isPods(kind));
  return [...pods, ...(await Promise.all(others.map((kind) => deleteContent(client, kind, namespace))))];
}

async function writeConditions(
  controller: Controller,
  namespaces: ObjectStore<Namespace>,
  namespace: Namespace,
  remainders: readonly Remainder[],
): Promise<Namespace | undefined> {
  const before = namespace.status?.conditions ?? [];
  const unavailable = new Map(
    [...controller.client.discovery.unavailable()].map(([version, why]) => [
      version,
      why.includes('stale') ? `stale GroupVersion discovery: ${version}` : why,
    ]),
  );
  const conditions = namespaceConditions(before, remainders, unavailable, timestamp(controller.clock));
  if (semanticallyEqual(before, conditions) && namespace.status?.phase === 'Terminating') return namespace;
  const status = { ...namespace.status, phase: 'Terminating', conditions };
  return ifThere(() => controller.updateStatus(namespaces, { ...namespace, status }));
}

async function finalize(controller: Controller, namespace: Namespace): Promise<void> {
  const finalizers = namespace.spec?.finalizers?.filter((each) => each !== finalizer) ?? [];
  const emptied = { ...namespace, spec: { ...namespace.spec, finalizers } };
  await ifThere(() => controller.client.update(emptied, { subresource: 'finalize' }));
}

async function ifThere<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
