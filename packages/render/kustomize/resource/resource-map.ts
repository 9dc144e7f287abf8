import { GoError } from '../failure/go-error.ts';
import type { Node } from '../tree/node.ts';
import { originAnnotation, transformationsAnnotation } from './build-annotations.ts';
import type { Resource } from './resource.ts';
import { effectiveNamespace, formatId, goSyntaxOfId, type ResourceId, sameId } from './resource-id.ts';

type Matcher = (id: ResourceId) => boolean;

/** The resources of a build in the order in which they came; no two have the same current id when they are added. */
export class ResourceMap {
  #list: Resource[];

  constructor(resources: readonly Resource[] = []) {
    this.#list = [];
    this.#appendEach(resources);
  }

  /** Without a check of ids. */
  static of(resources: readonly Resource[]): ResourceMap {
    const map = new ResourceMap();
    map.#list = [...resources];
    return map;
  }

  get resources(): readonly Resource[] {
    return this.#list;
  }

  get size(): number {
    return this.#list.length;
  }

  /** Throws if one with the same id is there. */
  append(resource: Resource): void {
    const { id } = resource;
    const other = this.#list.find((present) => sameId(id, present.id));
    if (other) {
      throw new GoError(`may not add resource with an already registered id: ${formatId(id)}`, {
        ...placeOf(resource.node),
        evidence: { resource: formatId(id), 'is also at': describePlace(other.node) },
        remedies: ['Remove one of the two, give one another name or namespace, or change the one with a patch'],
      });
    }
    this.#list.push(resource);
  }

  appendAll(other: ResourceMap): void {
    this.#appendEach(other.#list);
  }

  #appendEach(resources: readonly Resource[]): void {
    // Ids are looked up by name first: most maps have thousands of different names.
    const names = new Map<string, Resource[]>();
    for (const resource of this.#list) add(names, resource);
    for (const resource of resources) {
      const { id } = resource;
      if (names.get(id.name)?.some((present) => sameId(id, present.id))) this.append(resource);
      this.#list.push(resource);
      add(names, resource);
    }
  }

  /** Replaces all, each id once. */
  reset(resources: readonly Resource[]): void {
    this.#list = [];
    this.appendAll(ResourceMap.of(resources));
  }

  dropEmpty(): void {
    if (this.#list.some((resource) => resource.isEmpty))
      this.#list = this.#list.filter((resource) => !resource.isEmpty);
  }

  remove(ids: ReadonlySet<Resource>): void {
    this.#list = this.#list.filter((resource) => !ids.has(resource));
  }

  /** Those that have, or had, an id that matches. */
  matchingAnyId(matches: Matcher): Resource[] {
    return this.#list.filter(
      (resource) => !resource.isEmpty && (resource.previousIds.some(matches) || matches(resource.id)),
    );
  }

  matchingCurrentId(matches: Matcher): Resource[] {
    return this.#list.filter((resource) => matches(resource.id));
  }

  /** The one that has, or had, the id. */
  byId(id: ResourceId): Resource {
    // Most have another name: their ids need not be made.
    const found = ResourceMap.of(this.#list.filter((resource) => resource.hasName(id.name))).matchingAnyId((other) =>
      sameId(id, other),
    );
    if (found.length === 1) return found[0] as Resource;
    const what = found.length > 1 ? 'multiple matches' : 'no matches';
    throw new GoError(`${what} for Id ${formatId(id)}; failed to find unique target for patch ${formatId(id)}`, {
      evidence: near(id, this.#list),
    });
  }

  /** Takes in what a generator made: new ones are added, those with a behaviour merge with or replace what is there. */
  absorb(other: ResourceMap): void {
    for (const resource of other.#list) this.#absorbOne(resource);
  }

  #absorbOne(resource: Resource): void {
    const { id, behaviour } = resource;
    const matches = this.matchingAnyId((present) => sameId(id, present));
    if (matches.length === 0) {
      if (behaviour === 'merge' || behaviour === 'replace') {
        throw new GoError(`id ${goSyntaxOfId(id)} does not exist; cannot merge or replace`, {
          ...placeOf(resource.node),
          evidence: near(id, this.#list),
          remedies: ['Correct the name and the namespace, or leave behavior out to make a new one'],
        });
      }
      this.append(resource);
      return;
    }
    if (matches.length > 1)
      throw new GoError(
        `found multiple objects [${matches.map((match) => match.asJson()).join(' ')}] that could accept merge of ${formatId(id)}`,
      );
    const old = matches[0] as Resource;
    if (behaviour === 'replace') resource.copyMetadataFrom(old);
    else if (behaviour === 'merge') {
      const origin = old.originText;
      resource.copyMetadataFrom(old);
      mergeData(resource, old, 'data');
      mergeData(resource, old, 'binaryData');
      if (origin !== undefined) resource.setAnnotation(originAnnotation, origin);
    } else {
      throw new GoError(
        `id ${goSyntaxOfId(id)} exists; can not use behavior: '${behaviour}', behavior must be merge or replace`,
        {
          ...placeOf(resource.node),
          evidence: { 'is also at': describePlace(old.node) },
          remedies: ['Set behavior: merge or behavior: replace, or give it another name'],
        },
      );
    }
    this.#replace(resource);
  }

  #replace(resource: Resource): void {
    const { id } = resource;
    const indices = this.#list.flatMap((present, i) => (sameId(id, present.id) ? [i] : []));
    if (indices.length > 1) throw new GoError(`in Replace: id matched ${indices.length} resources`);
    const [index] = indices;
    if (index === undefined) throw new GoError(`cannot find resource with id ${formatId(id)} to replace`);
    this.#list[index] = resource;
  }

  /** Gives what a generator or transformer made the annotation of its origin, unless it has one. */
  addOrigin(text: string | undefined): void {
    if (text === undefined) return;
    for (const resource of this.#list)
      if (resource.originText === undefined) resource.annotations = resource.annotations.set(originAnnotation, text);
  }

  /** Notes that a transformer ran; what has no origin was made by it. */
  addTransformation(text: string): void {
    for (const resource of this.#list) {
      const { annotations } = resource;
      if (!annotations.has(originAnnotation)) annotations.set(originAnnotation, text);
      else {
        const item = text
          .split('\n')
          .map((line, i) => (line === '' ? '' : `${i === 0 ? '- ' : '  '}${line}`))
          .join('\n');
        annotations.set(transformationsAnnotation, (annotations.get(transformationsAnnotation) ?? '') + item);
      }
      resource.annotations = annotations;
    }
  }

  copy(): ResourceMap {
    return ResourceMap.of(this.#list.map((resource) => resource.copy()));
  }
}

function add(names: Map<string, Resource[]>, resource: Resource): void {
  const { name } = resource;
  const list = names.get(name);
  if (list) list.push(resource);
  else names.set(name, [resource]);
}

function mergeData(resource: Resource, old: Resource, field: 'data' | 'binaryData'): void {
  const own = resource.node.clear(field);
  const theirs = old.node.get(field);
  if (own === undefined && theirs === undefined) return;
  const merged = new Map<string, Node>();
  for (const source of [theirs, own]) {
    if (source?.kind !== 'map') continue;
    for (const key of source.keys()) merged.set(key, source.get(key) as Node);
  }
  if (merged.size === 0) return;
  const map = (own ?? theirs)?.copy() as Node;
  map.content = [];
  for (const key of [...merged.keys()].sort()) {
    const value = (merged.get(key) as Node).copy();
    if (value.isNull) value.value = '';
    value.tag = '!!str';
    if (value.style === 'tagged') value.style = '';
    map.append(key, value);
  }
  resource.node.append(field, map);
}

export function placeOf(node: Node): { place?: { file: string; line: number } } {
  return node.origin ? { place: { file: node.origin.file, line: node.line } } : {};
}

export function describePlace(node: Node): string | undefined {
  return node.origin ? `${node.origin.file}:${node.line}` : undefined;
}

/** What resembles an id that was not found: same name, or same kind. */
export function near(id: ResourceId, resources: readonly Resource[]): Record<string, string | undefined> {
  const sameName = resources.filter((resource) => resource.name === id.name || resource.originalId.name === id.name);
  const sameKind = resources.filter((resource) => resource.kind === id.kind);
  const list = (found: readonly Resource[]): string | undefined =>
    found.length === 0
      ? undefined
      : found
          .slice(0, 5)
          .map((resource) => formatId(resource.id))
          .join(', ');
  return {
    'same name': list(sameName),
    'same kind': list(sameKind),
    ...(sameName.length + sameKind.length === 0 ? { 'resources there': list(resources) ?? 'none' } : {}),
  };
}

/** Resources by the namespace that counts. */
export function groupedByNamespace(
  resources: readonly Resource[],
  which: 'current' | 'original',
): ReadonlyMap<string, readonly Resource[]> {
  const groups = new Map<string, Resource[]>();
  for (const resource of resources) {
    const namespace = effectiveNamespace(which === 'current' ? resource.id : resource.originalId);
    const group = groups.get(namespace);
    if (group) group.push(resource);
    else groups.set(namespace, [resource]);
  }
  return groups;
}
