import { DiagnosisError } from '@tiphys/diagnosis';
import type { ApiResource, Discovery } from './client.ts';

/** How discovery asks: a GET that gives the decoded body, its content type and ETag; 304 when the ETag is the same. */
export type DiscoveryGet = (
  path: string,
  accept: string,
  etag?: string,
) => Promise<{ status: number; body: unknown; etag?: string }>;

type Version = Awaited<ReturnType<Discovery['version']>>;

const aggregated = [
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
  'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList',
  'application/json',
].join(',');

interface Part {
  etag: string | undefined;
  resources: ApiResource[];
  unavailable: Map<string, string>;
}

interface Snapshot {
  resources: ApiResource[];
  byKind: Map<string, ApiResource>;
  unavailable: Map<string, string>;
}

/** Discovery over `/api` and `/apis`, aggregated where the server can, else group by group; one broken group hides no other. */
export class ClusterDiscovery implements Discovery {
  readonly #get: DiscoveryGet;
  readonly #parts = new Map<string, Part>();
  #snapshot: Snapshot | undefined;
  #pending: Promise<Snapshot> | undefined;
  #version: Promise<Version> | undefined;

  constructor(get: DiscoveryGet) {
    this.#get = get;
  }

  async resources(): Promise<readonly ApiResource[]> {
    return (this.#snapshot ?? (await this.#load())).resources;
  }

  async find(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    const key = `${apiVersion}/${kind}`;
    const known = this.#snapshot?.byKind.get(key);
    if (known) return known;
    return (await this.#load()).byKind.get(key);
  }

  unavailable(): ReadonlyMap<string, string> {
    return this.#snapshot?.unavailable ?? new Map();
  }

  version(): Promise<Version> {
    this.#version ??= this.#get('/version', 'application/json').then(
      ({ body }) => body as Version,
      (error: unknown) => {
        this.#version = undefined;
        throw error;
      },
    );
    return this.#version;
  }

  invalidate(): void {
    this.#snapshot = undefined;
    this.#version = undefined;
  }

  #load(): Promise<Snapshot> {
    this.#pending ??= Promise.all([this.#part('/api'), this.#part('/apis')])
      .then((parts) => {
        const resources = parts.flatMap((part) => part.resources);
        const byKind = new Map<string, ApiResource>();
        for (const resource of resources) {
          const key = `${resource.group ? `${resource.group}/` : ''}${resource.version}/${resource.kind}`;
          if (!byKind.has(key)) byKind.set(key, resource);
        }
        const unavailable = new Map(parts.flatMap((part) => [...part.unavailable]));
        this.#snapshot = { resources, byKind, unavailable };
        return this.#snapshot;
      })
      .finally(() => {
        this.#pending = undefined;
      });
    return this.#pending;
  }

  async #part(path: '/api' | '/apis'): Promise<Part> {
    const before = this.#parts.get(path);
    const { status, body, etag } = await this.#get(path, aggregated, before?.etag);
    if (status === 304 && before) return before;
    const part = isAggregated(body) ? readAggregated(body) : await this.#readLegacy(path, body);
    const kept = { ...part, etag };
    this.#parts.set(path, kept);
    return kept;
  }

  async #readLegacy(path: '/api' | '/apis', body: unknown): Promise<Omit<Part, 'etag'>> {
    const resources: ApiResource[] = [];
    const unavailable = new Map<string, string>();
    const read = async (group: string, version: string) => {
      try {
        const answer = await this.#get(group ? `/apis/${group}/${version}` : `/api/${version}`, 'application/json');
        return readResourceList(group, version, answer.body as LegacyList);
      } catch (error) {
        unavailable.set(
          `${group}/${version}`,
          error instanceof DiagnosisError ? error.diagnosis.message : String(error),
        );
        return [];
      }
    };
    const versions =
      path === '/api'
        ? ((body as { versions?: string[] }).versions ?? []).map((version) => ({ group: '', version }))
        : ((body as { groups?: LegacyGroup[] }).groups ?? []).flatMap((group) =>
            group.versions.map(({ version }) => ({ group: group.name, version })),
          );
    for (const found of await Promise.all(versions.map(({ group, version }) => read(group, version))))
      resources.push(...found);
    return { resources, unavailable };
  }
}

/** `APIGroupDiscoveryList` of apidiscovery.k8s.io/v2, as far as it is read. */
export interface AggregatedList {
  [key: string]: unknown;
  items?: {
    metadata?: { name?: string };
    versions?: { version: string; freshness?: string; resources?: AggregatedResource[] }[];
  }[];
}

export interface AggregatedResource {
  resource: string;
  responseKind?: { group?: string; version?: string; kind?: string };
  scope?: string;
  singularResource?: string;
  verbs?: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: {
    subresource: string;
    responseKind?: { group?: string; version?: string; kind?: string };
    acceptedTypes?: { group?: string; version?: string; kind?: string }[];
    verbs?: string[];
  }[];
}

interface LegacyGroup {
  name: string;
  versions: { version: string }[];
}

interface LegacyList {
  resources?: {
    name: string;
    singularName?: string;
    namespaced: boolean;
    kind: string;
    verbs: string[];
    shortNames?: string[];
    categories?: string[];
  }[];
}

function isAggregated(body: unknown): body is AggregatedList {
  return (body as { kind?: string } | null)?.kind === 'APIGroupDiscoveryList';
}

/** The resources of an `APIGroupDiscoveryList`, and the group versions whose server did not answer. */
export function readAggregated(list: AggregatedList): Omit<Part, 'etag'> {
  const resources: ApiResource[] = [];
  const unavailable = new Map<string, string>();
  for (const item of list.items ?? []) {
    const group = item.metadata?.name ?? '';
    for (const { version, freshness, resources: found } of item.versions ?? []) {
      if (freshness === 'Stale') {
        unavailable.set(`${group}/${version}`, 'the server behind this API group does not answer (discovery is stale)');
        continue;
      }
      for (const resource of found ?? []) {
        const kind = resource.responseKind?.kind;
        if (!kind) continue;
        resources.push({
          group,
          version,
          kind,
          plural: resource.resource,
          singular: resource.singularResource ?? '',
          namespaced: resource.scope === 'Namespaced',
          verbs: resource.verbs ?? [],
          shortNames: resource.shortNames ?? [],
          categories: resource.categories ?? [],
          subresources: (resource.subresources ?? []).map(({ subresource }) => subresource),
        });
      }
    }
  }
  return { resources, unavailable };
}

function readResourceList(group: string, version: string, list: LegacyList): ApiResource[] {
  const all = list.resources ?? [];
  return all
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => ({
      group,
      version,
      kind: resource.kind,
      plural: resource.name,
      singular: resource.singularName ?? '',
      namespaced: resource.namespaced,
      verbs: resource.verbs,
      shortNames: resource.shortNames ?? [],
      categories: resource.categories ?? [],
      subresources: all
        .filter(({ name }) => name.startsWith(`${resource.name}/`))
        .map(({ name }) => name.slice(resource.name.length + 1)),
    }));
}
