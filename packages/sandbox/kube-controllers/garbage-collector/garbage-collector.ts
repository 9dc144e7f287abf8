import { isNotFound, type KubeObject, type OwnerReference } from '@tiphys/kubernetes';
import { Controller, type ControllerContext } from '../machinery/controller.ts';
import {
  DependencyGraph,
  foreground,
  isSameObject,
  isWaitingForDependents,
  orphan,
  ownersOf,
  uidOf,
  wantsAttention,
} from './dependency-graph.ts';
import type { MetadataWatches } from './metadata-watches.ts';

/** Pseudo key of the queue: look at discovery again. */
const refreshKinds = 'refresh kinds';

/**
 * Deletes objects whose owners are all gone and works off the finalizers `foregroundDeletion` and `orphan`, for all
 * kinds that the server serves, custom ones included (pkg/controller/garbagecollector). Resolves when it follows all kinds.
 */
export async function startGarbageCollector(context: ControllerContext, watches: MetadataWatches): Promise<void> {
  const controller = new Controller(context, 'garbage-collector-controller');
  const collector = new GarbageCollector(controller);
  watches.subscribe((change) => {
    for (const uid of collector.graph.take(change)) controller.queue.add(uid);
  });
  await watches.refresh();
  const definitions = context.stores.of('apiextensions.k8s.io/v1', 'CustomResourceDefinition');
  controller.watch(definitions, () => [refreshKinds]);
  await definitions.synced;
  controller.run(async (key) => {
    if (key !== refreshKinds) return collector.attend(key);
    await watches.refresh();
    return undefined;
  }, 8);
}

class GarbageCollector {
  readonly graph = new DependencyGraph();
  readonly #controller: Controller;

  constructor(controller: Controller) {
    this.#controller = controller;
  }

  async attend(uid: string): Promise<undefined> {
    const known = this.graph.get(uid);
    if (!known) return undefined;
    if (this.graph.isSettled(known) || (known.metadata.deletionTimestamp && !wantsAttention(known))) return undefined;
    const latest = await this.#find(known);
    // its end is about to be told by the watch
    if (!latest || uidOf(latest) !== uid) return undefined;
    if (wantsAttention(latest) && latest.metadata.finalizers?.includes(orphan)) await this.#orphanDependents(latest);
    else if (isWaitingForDependents(latest)) await this.#awaitDependents(latest);
    else if (!latest.metadata.deletionTimestamp) await this.#collect(latest);
    return undefined;
  }

  /** The finalizer `orphan`: dependents lose their reference before the owner goes. */
  async #orphanDependents(owner: KubeObject): Promise<void> {
    const uid = uidOf(owner);
    await Promise.all(
      this.graph.dependentsOf(uid).map(async (dependent) => {
        const latest = await this.#find(dependent);
        if (latest && uidOf(latest) === uidOf(dependent)) await this.#dropOwners(latest, new Set([uid]));
      }),
    );
    await this.#removeFinalizer(owner, orphan);
  }

  /** The finalizer `foregroundDeletion`: blocking dependents go first. */
  async #awaitDependents(owner: KubeObject): Promise<void> {
    const blocking = this.graph.blockingDependentsOf(uidOf(owner));
    if (blocking.length === 0) return this.#removeFinalizer(owner, foreground);
    for (const dependent of blocking)
      if (!isWaitingForDependents(dependent)) this.#controller.queue.add(uidOf(dependent));
  }

  /** Deletes the object if no owner holds it; references that hold nothing are removed if another one does. */
  async #collect(object: KubeObject): Promise<void> {
    const owners = ownersOf(object);
    if (owners.length === 0) return;
    const states = await Promise.all(owners.map((owner) => this.#stateOf(owner, object)));
    const waiting = owners.filter((_, index) => states[index] === 'waiting');
    if (states.includes('solid')) {
      const loose = owners.filter((_, index) => states[index] !== 'solid').map(({ uid }) => uid);
      if (loose.length > 0) await this.#dropOwners(object, new Set(loose));
      return;
    }
    const dependents = this.graph.dependentsOf(uidOf(object));
    if (waiting.length === 0 || dependents.length === 0) return this.#delete(object, policyOf(object));
    // two that wait for each other would wait for ever
    if (dependents.some(isWaitingForDependents)) await this.#unblock(object);
    await this.#delete(object, 'Foreground');
  }

  async #stateOf(owner: OwnerReference, dependent: KubeObject): Promise<'solid' | 'dangling' | 'waiting'> {
    const known = this.graph.get(owner.uid);
    if (known && isSameObject(known, owner, dependent)) return isWaitingForDependents(known) ? 'waiting' : 'solid';
    if (!known && this.graph.isGone(owner.uid)) return 'dangling';
    const { client } = this.#controller;
    const resource = await client.discovery.find(owner.apiVersion, owner.kind);
    if (!resource) throw new Error(`no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`);
    const { namespace } = dependent.metadata;
    // a cluster-scoped object cannot be owned by a namespaced one: it is left alone, as the real one does
    if (resource.namespaced && !namespace) {
      this.#reportNamespace(known, owner, dependent);
      return 'solid';
    }
    const ref = { apiVersion: owner.apiVersion, kind: owner.kind, name: owner.name };
    const found = await client.find({ ...ref, ...(resource.namespaced && namespace ? { namespace } : {}) });
    if (found && uidOf(found) === owner.uid) return isWaitingForDependents(found) ? 'waiting' : 'solid';
    if (known) this.#reportNamespace(known, owner, dependent);
    else this.graph.markGone(owner.uid);
    return 'dangling';
  }

  /** Tells of an owner that lives in another namespace. */
  #reportNamespace(
    known: KubeObject | undefined,
    { apiVersion, kind, name, uid }: OwnerReference,
    dependent: KubeObject,
  ): void {
    const { resourceVersion: _, ...metadata } = dependent.metadata;
    const { namespace = '' } = metadata;
    if (!known?.metadata.namespace || known.metadata.namespace === namespace) return;
    const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    this.#controller.events.event(
      { ...dependent, metadata },
      'Warning',
      'OwnerRefInvalidNamespace',
      `ownerRef ${identity} does not exist in namespace ${JSON.stringify(namespace)}`,
    );
  }

  async #delete(object: KubeObject, propagationPolicy: 'Foreground' | 'Background' | 'Orphan'): Promise<void> {
    const { uid = '', resourceVersion = '' } = object.metadata;
    try {
      await this.#controller.client.delete(refOf(object), {
        propagationPolicy,
        preconditions: { uid, resourceVersion },
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  async #dropOwners(object: KubeObject, uids: ReadonlySet<string>): Promise<void> {
    const left = ownersOf(object).filter((owner) => !uids.has(owner.uid));
    if (left.length < ownersOf(object).length)
      await this.#patch(object, { ownerReferences: left.length > 0 ? left : null });
  }

  async #unblock(object: KubeObject): Promise<void> {
    const owners = ownersOf(object).map((owner) =>
      owner.blockOwnerDeletion ? { ...owner, blockOwnerDeletion: false } : owner,
    );
    const written = await this.#patch(object, { ownerReferences: owners });
    if (written) object.metadata = written.metadata;
  }

  async #removeFinalizer(object: KubeObject, finalizer: string): Promise<void> {
    const left = object.metadata.finalizers?.filter((each) => each !== finalizer) ?? [];
    await this.#patch(object, { finalizers: left.length > 0 ? left : null });
  }

  /** Changes metadata of exactly the state that was judged; an object that is gone is fine. */
  async #patch(object: KubeObject, metadata: Record<string, unknown>): Promise<KubeObject | undefined> {
    const { uid, resourceVersion } = object.metadata;
    try {
      return await this.#controller.client.patch(refOf(object), 'merge', {
        metadata: { uid, resourceVersion, ...metadata },
      });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #find(object: KubeObject): Promise<KubeObject | undefined> {
    return this.#controller.client.find(refOf(object));
  }
}

function refOf({ apiVersion, kind, metadata: { name = '', namespace } }: KubeObject) {
  return { apiVersion, kind, name, ...(namespace ? { namespace } : {}) };
}

/** A finalizer that says how to go is honoured. */
function policyOf({ metadata }: KubeObject): 'Foreground' | 'Background' | 'Orphan' {
  if (metadata.finalizers?.includes(orphan)) return 'Orphan';
  return metadata.finalizers?.includes(foreground) ? 'Foreground' : 'Background';
}
