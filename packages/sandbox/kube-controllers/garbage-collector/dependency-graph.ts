import { type KubeObject, type OwnerReference, parseApiVersion } from '@tiphys/kubernetes';
import type { MetadataChange } from './metadata-watches.ts';

export const foreground = 'foregroundDeletion';
export const orphan = 'orphan';

/** How many UIDs of objects that are gone are remembered, so that nobody asks the server for them. */
const remembered = 2000;

/** Who owns whom, by UID: the metadata of all objects and the reverse of their owner references. */
export class DependencyGraph {
  readonly #objects = new Map<string, KubeObject>();
  readonly #dependents = new Map<string, Set<string>>();
  readonly #gone = new Set<string>();

  get(uid: string): KubeObject | undefined {
    return this.#objects.get(uid);
  }

  /** Known not to exist (any more). */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  dependentsOf(uid: string): KubeObject[] {
    return [...(this.#dependents.get(uid) ?? [])].flatMap((dependent) => this.#objects.get(dependent) ?? []);
  }

  /** Dependents whose reference to the owner holds up its foreground deletion. */
  blockingDependentsOf(uid: string): KubeObject[] {
    return this.dependentsOf(uid).filter((dependent) =>
      ownersOf(dependent).some((owner) => owner.uid === uid && owner.blockOwnerDeletion),
    );
  }

  markGone(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size > remembered) this.#gone.delete(this.#gone.values().next().value ?? '');
  }

  /** Takes a change in; answers with the UIDs of the objects that want attention because of it. */
  take({ type, object, old }: MetadataChange): string[] {
    const uid = uidOf(object);
    if (old && uidOf(old) !== uid) {
      const first = this.take({ type: 'deleted', object: old });
      return [...first, ...this.take({ type: 'added', object })];
    }
    const before = this.#objects.get(uid);
    if (type === 'deleted') return this.#remove(uid, before ?? object);
    this.#objects.set(uid, object);
    this.#gone.delete(uid);
    const owners = ownersOf(object);
    for (const owner of ownersOf(before)) if (!owners.some((each) => each.uid === owner.uid)) this.#unlink(owner, uid);
    for (const owner of owners) this.#link(owner, uid);
    const waits = isWaitingForDependents(object) && !(before && isWaitingForDependents(before));
    return [
      ...(this.isSettled(object) ? [] : [uid]),
      // those that do not hold it up go too
      ...(waits ? (this.#dependents.get(uid) ?? []) : []),
      // an owner that waits for this one may go on when the reference is gone or holds it up no longer
      ...ownersOf(before).flatMap((owner) => (this.#isWaiting(owner.uid) ? [owner.uid] : [])),
    ];
  }

  #remove(uid: string, object: KubeObject): string[] {
    this.#objects.delete(uid);
    for (const owner of ownersOf(object)) this.#unlink(owner, uid);
    const dependents = [...(this.#dependents.get(uid) ?? [])];
    if (dependents.length > 0) this.markGone(uid);
    const waiting = ownersOf(object).flatMap((owner) => (this.#isWaiting(owner.uid) ? [owner.uid] : []));
    return [...dependents, ...waiting];
  }

  /** Nothing is to be done about the object: all its owners are there and stay. */
  isSettled(object: KubeObject): boolean {
    if (wantsAttention(object)) return false;
    return ownersOf(object).every((owner) => {
      const known = this.#objects.get(owner.uid);
      return known !== undefined && isSameObject(known, owner, object) && !isWaitingForDependents(known);
    });
  }

  #isWaiting(uid: string): boolean {
    const object = this.#objects.get(uid);
    return object !== undefined && isWaitingForDependents(object);
  }

  #link(owner: OwnerReference, uid: string): void {
    const dependents = this.#dependents.get(owner.uid);
    if (dependents) dependents.add(uid);
    else this.#dependents.set(owner.uid, new Set([uid]));
  }

  #unlink(owner: OwnerReference, uid: string): void {
    const dependents = this.#dependents.get(owner.uid);
    dependents?.delete(uid);
    if (dependents?.size === 0) this.#dependents.delete(owner.uid);
  }
}

export function ownersOf(object: KubeObject | undefined): OwnerReference[] {
  return object?.metadata.ownerReferences ?? [];
}

export function uidOf(object: KubeObject): string {
  return object.metadata.uid ?? '';
}

/** Whether a reference means the known object of its UID: a name or namespace of another one makes it dangle. */
export function isSameObject(known: KubeObject, owner: OwnerReference, dependent: KubeObject): boolean {
  const { name, namespace } = known.metadata;
  const sameGroup = parseApiVersion(known.apiVersion).group === parseApiVersion(owner.apiVersion).group;
  const inReach = !namespace || namespace === dependent.metadata.namespace;
  return sameGroup && known.kind === owner.kind && name === owner.name && inReach;
}

/** Under foreground deletion: it goes after its dependents. */
export function isWaitingForDependents(object: KubeObject): boolean {
  return Boolean(object.metadata.deletionTimestamp) && (object.metadata.finalizers?.includes(foreground) ?? false);
}

/** Under deletion with a finalizer that the garbage collector is to work off. */
export function wantsAttention(object: KubeObject): boolean {
  if (!object.metadata.deletionTimestamp) return false;
  return object.metadata.finalizers?.some((finalizer) => finalizer === foreground || finalizer === orphan) ?? false;
}
