import type { BackReference } from '../config/back-reference.ts';
import { GoError, wrapped } from '../failure/go-error.ts';
import { type Gvk, isSelected } from '../kustomization/gvk.ts';
import type { FieldSpec } from '../kustomization/kustomization.ts';
import type { Resource } from '../resource/resource.ts';
import { effectiveNamespace, formatId, notANamespace, type ResourceId } from '../resource/resource-id.ts';
import { groupedByNamespace, type ResourceMap } from '../resource/resource-map.ts';
import { lookup, setField, setScalar } from '../tree/fields.ts';
import { Node } from '../tree/node.ts';
import { applyFieldSpec, onResource } from './field-spec.ts';

/** Writes the new names of renamed resources into the fields that refer to them. */
export function updateNameReferences(resources: ResourceMap, references: readonly BackReference[]): void {
  const index = new Index(resources.resources);
  const work = new Map<Resource, { spec: FieldSpec; target: Gvk }[]>();
  const originals = new Map<string, { resource: Resource; id: ResourceId }[]>();
  for (const resource of resources.resources) {
    const id = resource.originalId;
    for (const key of [id.kind, '']) {
      const list = originals.get(key);
      if (list) list.push({ resource, id });
      else originals.set(key, [{ resource, id }]);
    }
  }
  for (const { group = '', version = '', kind = '', fieldSpecs = [] } of references) {
    for (const spec of fieldSpecs) {
      for (const { resource, id } of originals.get(spec.kind ?? '') ?? []) {
        if (!isSelected(id, spec)) continue;
        const list = work.get(resource);
        const item = { spec, target: { group, version, kind } };
        if (list) list.push(item);
        else work.set(resource, [item]);
      }
    }
  }
  for (const [referrer, items] of work) {
    const update = onResource(referrer, () => new Update(referrer, index));
    for (const { spec, target } of items) onResource(referrer, () => update.field(spec, target));
  }
}

/** Resources by the names that they had. */
class Index {
  readonly #byName = new Map<string, Resource[]>();
  readonly resources: readonly Resource[];

  constructor(resources: readonly Resource[]) {
    this.resources = resources;
    for (const resource of resources) {
      for (const name of new Set(resource.previousIds.map((id) => id.name))) {
        const list = this.#byName.get(name);
        if (list) list.push(resource);
        else this.#byName.set(name, [resource]);
      }
    }
  }

  withName(name: string): readonly Resource[] {
    return this.#byName.get(name) ?? [];
  }
}

class Update {
  readonly #referrer: Resource;
  readonly #index: Index;
  readonly #id: ResourceId;
  #bound: ReadonlySet<string> | undefined;

  constructor(referrer: Resource, index: Index) {
    this.#referrer = referrer;
    this.#index = index;
    this.#id = referrer.id;
    // Kustomize reads it first, and refuses subjects that it can't read.
    if (!this.#id.clusterScoped) this.#boundNamespaces();
  }

  field(spec: FieldSpec, target: Gvk): void {
    const path = spec.path ?? '';
    try {
      const { group, version, kind } = this.#referrer.gvk;
      applyFieldSpec(
        this.#referrer,
        { ...spec, group, version, kind },
        { set: (node) => this.#set(node, path, target) },
      );
    } catch (error) {
      throw wrapped(error, `updating name reference in '${path}' field of '${formatId(this.#referrer.id)}'`);
    }
  }

  #set(node: Node, path: string, target: Gvk): void {
    if (node.isNull) return;
    if (node.kind === 'scalar') this.#scalar(node, path, target);
    else if (node.kind === 'map') this.#map(node, path, target);
    else {
      for (const item of node.content) {
        if (item.isNull) continue;
        if (item.kind === 'scalar') this.#scalar(item, path, target);
        else if (item.kind === 'map') this.#map(item, path, target);
        else throw new GoError(`${item.kind} is expected to be either a string or a map of string`);
      }
    }
  }

  #scalar(node: Node, path: string, target: Gvk): void {
    const found = this.#select(node.value, undefined, path, target, (list) =>
      list.every((resource) => resource.name === list[0]?.name),
    );
    if (found === undefined || found.name === node.value) return;
    setScalar(node, this.#reference(node, found.name));
  }

  #map(node: Node, path: string, target: Gvk): void {
    const name = node.get('name');
    if (name === undefined) throw new GoError("path config error; no 'name' field in node");
    const candidates = this.#inNamespaceOf(node);
    const found = this.#select(name.value, candidates, path, target, (list) =>
      list.every((resource) => resource.name === list[0]?.name && resource.namespace === list[0]?.namespace),
    );
    if (found === undefined) return;
    const { namespace } = found;
    if (found.name === name.value && namespace === '') return;
    if (found.name !== '') setField(node, 'name', this.#reference(name, found.name));
    if (namespace !== '') setField(node, 'namespace', this.#reference(node.get('namespace') ?? node, namespace));
  }

  /** The text as a node that says where it was changed: at the resource that was renamed. */
  #reference(before: Node, text: string): Node {
    const node = Node.scalar(text);
    node.origin = before.origin;
    node.line = before.line;
    return node;
  }

  #inNamespaceOf(node: Node): ReadonlySet<Resource> | undefined {
    const namespace = node.get('namespace');
    if (namespace === undefined) return undefined;
    const candidates = this.#index.resources.filter((resource) => this.#canRefer(resource));
    if (namespace.value === notANamespace) return new Set();
    const original = groupedByNamespace(candidates, 'original').get(namespace.value);
    return new Set(original ?? groupedByNamespace(candidates, 'current').get(namespace.value) ?? []);
  }

  #canRefer(target: Resource): boolean {
    const own = this.#id;
    if (own.clusterScoped) return true;
    const id = target.id;
    if (id.clusterScoped || effectiveNamespace(id) === effectiveNamespace(own)) return true;
    return this.#boundNamespaces().has(target.namespace);
  }

  /** Namespaces of the service accounts that a RoleBinding names. */
  #boundNamespaces(): ReadonlySet<string> {
    if (this.#bound) return this.#bound;
    const bound = new Set<string>();
    this.#bound = bound;
    if (this.#referrer.kind !== 'RoleBinding') return bound;
    const subjects = this.#referrer.node.get('subjects');
    if (subjects?.kind !== 'list') return bound;
    for (const subject of subjects.content) {
      const namespace = subject.get('namespace');
      if (namespace === undefined || subject.get('kind')?.value !== 'ServiceAccount') continue;
      if (namespace.isNull || namespace.kind !== 'scalar')
        throw new GoError(`Invalid Input: namespace is blank for resource ${JSON.stringify(formatId(this.#id))}\n`);
      bound.add(namespace.value);
    }
    return bound;
  }

  #select(
    oldName: string,
    among: ReadonlySet<Resource> | undefined,
    path: string,
    target: Gvk,
    identical: (list: readonly Resource[]) => boolean,
  ): Resource | undefined {
    const roleRef = path.endsWith('roleRef/name') ? this.#roleRef() : undefined;
    let found = this.#index
      .withName(oldName)
      .filter(
        (resource) =>
          (among === undefined || among.has(resource)) &&
          this.#canRefer(resource) &&
          resource.previousIds.some((id) => isSelected(id, target)) &&
          (roleRef === undefined || resource.previousIds.some((id) => isSelected(id, roleRef))) &&
          this.#sharesNamespace(resource),
      );
    if (found.length === 1) return found[0];
    found = found.filter((resource) => sameAffixes(resource, this.#referrer, true));
    if (found.length > 1) found = found.filter((resource) => sameAffixes(resource, this.#referrer, false));
    if (found.length <= 1 || identical(found)) return found[0];
    throw this.#ambiguous(found);
  }

  #sharesNamespace(resource: Resource): boolean {
    if (this.#id.clusterScoped) return true;
    const { id } = resource;
    return (
      id.clusterScoped || resource.kind === 'ServiceAccount' || effectiveNamespace(id) === effectiveNamespace(this.#id)
    );
  }

  #roleRef(): Gvk | undefined {
    const group = lookup(this.#referrer.node, 'roleRef', 'apiGroup');
    const kind = lookup(this.#referrer.node, 'roleRef', 'kind');
    return group && kind ? { group: group.value, version: '', kind: kind.value } : undefined;
  }

  #ambiguous(found: readonly Resource[]): GoError {
    const ids = found.map((resource) => formatId(resource.id)).join(', ');
    const details = found.map((resource, i) => `--- possible referral ${i}:\n${resource.asYaml()}\n`).join('');
    return new GoError(
      `found multiple possible referrals: ${ids}\n\n**** Too many possible referral targets to referrer:\n${this.#referrer.asYaml()}\n${details}`,
      {
        evidence: { 'possible targets': ids },
        remedies: ['Give the two resources different names, so that the reference means one of them'],
      },
    );
  }
}

function sameAffixes(a: Resource, b: Resource, allowEmpty: boolean): boolean {
  const same = (x: readonly string[], y: readonly string[]): boolean =>
    (allowEmpty && (x.length === 0 || y.length === 0)) || sameEnding(x, y);
  return same(a.prefixes, b.prefixes) && same(a.suffixes, b.suffixes);
}

function sameEnding(a: readonly string[], b: readonly string[]): boolean {
  const [long, short] = a.length > b.length ? [a, b] : [b, a];
  if (short.length === 0) return long.length === 0;
  return short.every((part, i) => part === long[long.length - short.length + i]);
}
