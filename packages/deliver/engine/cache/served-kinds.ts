import { type ApiResource, parseApiVersion } from '@tiphys/kubernetes';
import type { CacheSettings } from './cache-settings.ts';

/** What the last discovery told of a cluster: its kinds in all versions, and which of them are to be watched. */
export class ServedKinds {
  readonly #settings: CacheSettings;
  readonly #selects: (group: string, kind: string) => boolean;
  #resources: readonly ApiResource[] = [];
  #watched: ReadonlyMap<string, ApiResource> = new Map();
  #apiVersions: readonly string[] | undefined;
  #unavailable: ReadonlyMap<string, string> = new Map();

  constructor(settings: CacheSettings, selects: (group: string, kind: string) => boolean) {
    this.#settings = settings;
    this.#selects = selects;
  }

  get resources(): readonly ApiResource[] {
    return this.#resources;
  }

  /** By `group/Kind`: each kind that settings do not leave out, in its preferred version. */
  get watched(): ReadonlyMap<string, ApiResource> {
    return this.#watched;
  }

  /** API groups that the cluster announces but cannot serve, with the reason. */
  get unavailable(): ReadonlyMap<string, string> {
    return this.#unavailable;
  }

  /** Takes in a discovery. */
  learn(resources: readonly ApiResource[], unavailable: ReadonlyMap<string, string>): void {
    this.#resources = resources;
    this.#unavailable = unavailable;
    this.#apiVersions = undefined;
    this.#watched = this.#toWatch();
  }

  isUnavailable(group: string): boolean {
    return [...this.#unavailable.keys()].some((name) => name === group || name.startsWith(`${group}/`));
  }

  /** `v1`, `apps/v1`, `apps/v1/Deployment`, …, sorted. */
  apiVersions(): readonly string[] {
    this.#apiVersions ??= this.#listApiVersions();
    return this.#apiVersions;
  }

  /** The resource of the kind in that version. */
  find(apiVersion: string, kind: string): ApiResource | undefined {
    const { group, version } = parseApiVersion(apiVersion);
    return this.#resources.find(
      (resource) => resource.kind === kind && resource.group === group && resource.version === version,
    );
  }

  /** The kind in any version. */
  findKind(group: string, kind: string): ApiResource | undefined {
    return (
      this.#watched.get(`${group}/${kind}`) ??
      this.#resources.find((resource) => resource.kind === kind && resource.group === group)
    );
  }

  /** Versions of the kind, the preferred one first. */
  versionsOf(group: string, kind: string): string[] {
    return this.#resources
      .filter((resource) => resource.group === group && resource.kind === kind)
      .map(({ version }) => version);
  }

  #listApiVersions(): string[] {
    const found = new Set<string>();
    for (const { group, version, kind, verbs } of this.#resources) {
      // Kinds that no object is kept of are no API to charts and plugins, as upstream.
      if (!verbs.includes('list') || !verbs.includes('watch')) continue;
      const apiVersion = group ? `${group}/${version}` : version;
      found.add(apiVersion).add(`${apiVersion}/${kind}`);
    }
    return [...found].sort();
  }

  #toWatch(): Map<string, ApiResource> {
    const wanted = new Map<string, ApiResource>();
    const namespaced = (this.#settings.namespaces?.length ?? 0) > 0;
    for (const resource of this.#resources) {
      const id = `${resource.group}/${resource.kind}`;
      if (wanted.has(id) || !resource.verbs.includes('list') || !resource.verbs.includes('watch')) continue;
      if (!this.#selects(resource.group, resource.kind)) continue;
      if (namespaced && !resource.namespaced && !this.#settings.clusterResources) continue;
      wanted.set(id, resource);
    }
    return wanted;
  }
}
