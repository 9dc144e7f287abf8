import type { Resource } from './resource.ts';

/** A served version of a group, in order of preference. */
export interface GroupVersions {
  readonly group: string;
  readonly versions: readonly string[];
}

/** A version of a group that another API server serves. */
export interface AggregatedVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
  /** `resources` of its aggregated discovery, as that server gave it; undefined when it gave none. */
  readonly resources?: readonly unknown[];
  /** Whether that server answered when it was last asked. */
  readonly fresh: boolean;
}

/** What the server serves now: the built-in resources and those of CustomResourceDefinitions. */
export class Registry {
  readonly #resources = new Map<string, Resource>();
  readonly #groups = new Map<string, string[]>();
  readonly #aggregated = new Map<string, AggregatedVersion>();
  /** Counts changes, for caches of discovery and OpenAPI. */
  generation = 0;
  #changed = () => {};

  /** What is served from the start. */
  constructor(resources: Iterable<Resource>) {
    for (const resource of resources) this.add(resource);
  }

  find(group: string, version: string, plural: string): Resource | undefined {
    return this.#resources.get(`${group}/${version}/${plural}`);
  }

  findKind(group: string, version: string, kind: string): Resource | undefined {
    for (const resource of this.#resources.values())
      if (
        resource.group === group &&
        resource.version === version &&
        resource.kind === kind &&
        resource.verbs.includes('get')
      )
        return resource;
    return undefined;
  }

  /** Any version of the resource. */
  findResource(group: string, plural: string): Resource | undefined {
    for (const version of this.#groups.get(group) ?? []) {
      const found = this.find(group, version, plural);
      if (found) return found;
    }
    return undefined;
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  hasVersion(group: string, version: string): boolean {
    return this.#groups.get(group)?.includes(version) ?? false;
  }

  groups(): GroupVersions[] {
    return [...this.#groups].map(([group, versions]) => ({ group, versions }));
  }

  resourcesOf(group: string, version: string): Resource[] {
    return [...this.#resources.values()]
      .filter((resource) => resource.group === group && resource.version === version)
      .sort((a, b) => (a.plural < b.plural ? -1 : 1));
  }

  /** Versions that other servers serve. */
  aggregated(): Iterable<AggregatedVersion> {
    return this.#aggregated.values();
  }

  /** Shows what another server serves, under the name of its APIService; undefined takes it away. */
  aggregate(name: string, version: AggregatedVersion | undefined): void {
    if (version) this.#aggregated.set(name, version);
    else this.#aggregated.delete(name);
    this.generation += 1;
  }

  all(): Iterable<Resource> {
    return this.#resources.values();
  }

  /** Calls back, at once, when a resource comes or goes: for the one who tells others of it. */
  onChange(changed: () => void): void {
    this.#changed = changed;
  }

  add(resource: Resource): void {
    this.generation += 1;
    this.#changed();
    this.#resources.set(`${resource.group}/${resource.version}/${resource.plural}`, resource);
    const versions = this.#groups.get(resource.group) ?? [];
    if (!versions.includes(resource.version)) versions.push(resource.version);
    versions.sort(compareVersions);
    this.#groups.set(resource.group, versions);
  }

  /** Removes all versions of a custom resource. */
  removeCustom(definition: string): void {
    this.generation += 1;
    this.#changed();
    for (const [key, resource] of this.#resources) if (resource.custom === definition) this.#resources.delete(key);
    const used = new Set([...this.#resources.values()].map(({ group, version }) => `${group}/${version}`));
    for (const [group, versions] of this.#groups) {
      const left = versions.filter((version) => used.has(`${group}/${version}`));
      if (left.length) this.#groups.set(group, left);
      else this.#groups.delete(group);
    }
  }
}

/** Kubernetes' order of versions: GA before beta before alpha, the higher number first, then the rest by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [rank(a), rank(b)];
  if (left && right) return right[0] - left[0] || right[1] - left[1] || right[2] - left[2];
  if (left) return -1;
  if (right) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function rank(version: string): [number, number, number] | undefined {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (!match) return undefined;
  return [match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0, Number(match[1]), Number(match[3] ?? 0)];
}
