import { keyString, type ObjectKey } from '@tiphys/kubernetes';
import type { TreeNode } from '../model/model.ts';
import type { CachedNode } from './cached-node.ts';

/** The nodes of a cluster with the indexes that comparison and tree need. Knows nothing of how they got here. */
export class ObjectStore {
  readonly #nodes = new Map<string, CachedNode>();
  readonly #byInstance = new Map<string, Map<string, CachedNode>>();
  readonly #byNamespace = new Map<string, Map<string, CachedNode>>();
  /** By `kind group/kind`. */
  readonly #byKind = new Map<string, Map<string, CachedNode>>();
  /** Children by the owner's uid, or by `=` and its key where the uid is not known. */
  readonly #byOwner = new Map<string, Map<string, CachedNode>>();
  readonly #byUid = new Map<string, CachedNode>();
  #managed = 0;

  /** Nodes that an instance has. */
  get managed(): number {
    return this.#managed;
  }

  get size(): number {
    return this.#nodes.size;
  }

  get(id: string): CachedNode | undefined {
    return this.#nodes.get(id);
  }

  byUid(uid: string): CachedNode | undefined {
    return this.#byUid.get(uid);
  }

  put(node: CachedNode): CachedNode | undefined {
    const old = this.#nodes.get(node.id);
    if (old) this.#unindex(old);
    this.#nodes.set(node.id, node);
    add(this.#byNamespace, node.key.namespace, node);
    add(this.#byKind, kindOf(node.key), node);
    if (node.instance) {
      add(this.#byInstance, node.instance, node);
      this.#managed++;
    }
    for (const owner of node.owners) add(this.#byOwner, owner.uid || `=${keyString(owner.key)}`, node);
    if (node.uid) this.#byUid.set(node.uid, node);
    return old;
  }

  delete(id: string): CachedNode | undefined {
    const old = this.#nodes.get(id);
    if (!old) return undefined;
    this.#nodes.delete(id);
    this.#unindex(old);
    return old;
  }

  ofKind(group: string, kind: string): Iterable<CachedNode> {
    return this.#byKind.get(`${group}/${kind}`)?.values() ?? [];
  }

  ofInstance(instance: string): Iterable<CachedNode> {
    return this.#byInstance.get(instance)?.values() ?? [];
  }

  ofNamespace(namespace: string): Iterable<CachedNode> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  instances(): Iterable<string> {
    return this.#byInstance.keys();
  }

  /** Instances whose tree the node is in: its own, else those of its owners, upwards. */
  instancesOf(node: CachedNode): string[] {
    const found = new Set<string>();
    const seen = new Set<string>();
    const visit = (current: CachedNode): void => {
      if (seen.has(current.id)) return;
      seen.add(current.id);
      if (current.instance) found.add(current.instance);
      for (const parent of this.parents(current)) visit(parent);
    };
    visit(node);
    return [...found];
  }

  parents(node: CachedNode): CachedNode[] {
    const parents: CachedNode[] = [];
    for (const owner of node.owners) {
      const parent = owner.uid ? this.#byUid.get(owner.uid) : this.#nodes.get(keyString(owner.key));
      if (parent) parents.push(parent);
    }
    if (parents.length === 0 && node.key.group === '' && node.key.kind === 'PersistentVolumeClaim') {
      for (const set of this.ofKind('apps', 'StatefulSet')) if (ownsClaim(set, node)) parents.push(set);
    }
    return parents;
  }

  children(node: CachedNode): CachedNode[] {
    const found = new Map<string, CachedNode>(this.#byOwner.get(node.uid));
    for (const [id, child] of this.#byOwner.get(`=${node.id}`) ?? []) found.set(id, child);
    if (node.claimTemplates) {
      for (const claim of this.ofKind('', 'PersistentVolumeClaim'))
        if (ownsClaim(node, claim)) found.set(claim.id, claim);
    }
    // an owner reference is only valid inside one namespace, or from a namespaced object to a cluster-scoped owner
    return [...found.values()]
      .filter((child) => node.key.namespace === '' || child.key.namespace === node.key.namespace)
      .sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The roots that exist and all their descendants, each once, parents before children. */
  tree(roots: readonly ObjectKey[]): CachedNode[] {
    const found = new Map<string, CachedNode>();
    const visit = (node: CachedNode): void => {
      if (found.has(node.id)) return;
      found.set(node.id, node);
      for (const child of this.children(node)) visit(child);
    };
    for (const root of roots) {
      const node = this.#nodes.get(keyString(root));
      if (node) visit(node);
    }
    return [...found.values()];
  }

  #unindex(node: CachedNode): void {
    remove(this.#byNamespace, node.key.namespace, node.id);
    remove(this.#byKind, kindOf(node.key), node.id);
    if (node.instance) {
      remove(this.#byInstance, node.instance, node.id);
      this.#managed--;
    }
    for (const owner of node.owners) remove(this.#byOwner, owner.uid || `=${keyString(owner.key)}`, node.id);
    if (this.#byUid.get(node.uid)?.id === node.id) this.#byUid.delete(node.uid);
  }
}

const kindOf = ({ group, kind }: ObjectKey): string => `${group}/${kind}`;

function ownsClaim(set: CachedNode, claim: CachedNode): boolean {
  if (set.key.namespace !== claim.key.namespace) return false;
  return (set.claimTemplates ?? []).some((template) => {
    const prefix = `${template}-${set.key.name}-`;
    return claim.key.name.startsWith(prefix) && /^\d+$/.test(claim.key.name.slice(prefix.length));
  });
}

function add(index: Map<string, Map<string, CachedNode>>, key: string, node: CachedNode): void {
  const entry = index.get(key);
  if (entry) entry.set(node.id, node);
  else index.set(key, new Map([[node.id, node]]));
}

function remove(index: Map<string, Map<string, CachedNode>>, key: string, id: string): void {
  const entry = index.get(key);
  if (!entry) return;
  entry.delete(id);
  if (entry.size === 0) index.delete(key);
}

export function treeNode(node: CachedNode, store: ObjectStore, inTree: ReadonlySet<string>): TreeNode {
  const parents = store.parents(node).filter((parent) => inTree.has(parent.id));
  return {
    key: node.key,
    version: node.version,
    uid: node.uid,
    resourceVersion: node.resourceVersion,
    createdAt: node.createdAt,
    parents: parents.map((parent) => ({ key: parent.key, uid: parent.uid, version: parent.version })),
    ...(node.health ? { health: node.health } : {}),
    images: node.images,
    info: node.info,
    ...(node.networking ? { networking: node.networking } : {}),
    ...(node.networking?.labels ? { labels: node.networking.labels } : {}),
  };
}
