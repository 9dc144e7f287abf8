import { createHash } from 'node:crypto';
import { customDocument, customPaths, type OpenApiDocument, v2Definitions } from '@tiphys/apiextensions';
import type { Registry, Resource } from '@tiphys/apimachinery';
import { openapiV2, openapiV2Protobuf, openapiV3, openapiV3Document, openapiV3Paths } from '@tiphys/kubernetes';
import type { OpenApiV2 } from '../aggregation/openapi-conversion.ts';
import { mergedDocument } from '../aggregation/openapi-merge.ts';
import type { RemoteDocuments } from '../aggregation/remote-openapi.ts';
import { encodeDefinitions } from './openapi-protobuf.ts';

/** Serves the OpenAPI documents of the built-in kinds, of custom resources, and of what other servers serve; made anew when these change. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #hashes = new Map<string, string>();
  #generation = -1;
  readonly #custom = new Map<string, unknown>();
  #v2: unknown;
  #v2Hash: string | undefined;
  /** By APIService. */
  readonly #remotes = new Map<string, RemoteDocuments>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Takes over what the server of an APIService says; undefined when that is no more. */
  aggregate(name: string, documents: RemoteDocuments | undefined): void {
    if (documents === undefined) this.#remotes.delete(name);
    else this.#remotes.set(name, documents);
    for (const path of Object.keys(documents?.converted ?? {})) this.#hashes.delete(path);
    this.#v2 = undefined;
    this.#v2Hash = undefined;
  }

  /** The APIService whose server serves a document that is not made here; undefined if none does. */
  remoteOf(path: string): string | undefined {
    if (!this.#remotes.size || this.v3(path) !== undefined) return undefined;
    return [...this.#remotes].find(([, { v3 }]) => Object.hasOwn(v3, path))?.[0];
  }

  /** `/openapi/v3`. */
  v3Paths(): unknown {
    this.#refresh();
    const custom = [...this.#customVersions().keys()].map((groupVersion) => `apis/${groupVersion}`);
    const groups = custom.map((path) => path.slice(0, path.lastIndexOf('/')));
    const remotes = [...this.#remotes.values()];
    const converted = remotes.flatMap((remote) => Object.keys(remote.converted));
    const own = [...openapiV3Paths(), ...groups, ...custom, ...converted];
    const paths: Record<string, unknown> = Object.assign({}, ...remotes.map(({ v3 }) => v3));
    for (const path of own) paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${this.hash(path)}` };
    return { paths: Object.fromEntries(Object.entries(paths).sort(([one], [other]) => (one < other ? -1 : 1))) };
  }

  /** `/openapi/v3/{path}`; undefined for what is not served. */
  v3(path: string): unknown {
    this.#refresh();
    const builtin = openapiV3Document(path);
    if (builtin) return builtin;
    const known = this.#custom.get(path);
    if (known) return known;
    const resources = this.#customVersions().get(path.replace(/^apis\//, ''));
    const isGroup = [...this.#customVersions().keys()].some(
      (groupVersion) => path === `apis/${groupVersion.slice(0, groupVersion.lastIndexOf('/'))}`,
    );
    if (!resources && !isGroup)
      return [...this.#remotes.values()].find((remote) => Object.hasOwn(remote.converted, path))?.converted[path];
    const document = customDocument(resources ?? [], openapiV3('apps', 'v1') as unknown as OpenApiDocument);
    this.#custom.set(path, document);
    return document;
  }

  /** What changes with `/openapi/v3/{path}`. */
  hash(path: string): string {
    this.#refresh();
    let hash = this.#hashes.get(path);
    if (!hash) {
      hash = hashOf(this.v3(path));
      this.#hashes.set(path, hash);
    }
    return hash;
  }

  /** What changes with `/openapi/v2`. */
  v2Hash(): string {
    this.#refresh();
    this.#v2Hash ??= hashOf(this.v2());
    return this.#v2Hash;
  }

  v2(): unknown {
    this.#refresh();
    if (this.#v2 !== undefined) return this.#v2;
    const { definitions, paths = {}, ...document } = openapiV2() as OpenApiV2;
    const custom = [...this.#customVersions().values()].flat().map((resource) => customPaths(resource, paths));
    let all: OpenApiV2 = {
      ...document,
      paths: Object.assign({}, paths, ...custom),
      definitions: { ...definitions, ...this.#v2Definitions() },
    };
    for (const { v2 } of this.#remotes.values()) if (v2) all = mergedDocument(all, v2);
    this.#v2 = all;
    return all;
  }

  /** As client-go asks for it. */
  v2Protobuf(): Uint8Array {
    // Messages are merged by being written one after the other.
    return Buffer.concat([openapiV2Protobuf(), encodeDefinitions(this.#addedDefinitions())]);
  }

  /** Paths of `/`, besides the probes. */
  rootPaths(): string[] {
    const paths = [
      '/.well-known/openid-configuration',
      '/api',
      '/api/v1',
      '/apis',
      '/apis/',
      '/metrics',
      '/metrics/slis',
      '/openapi/v2',
      '/openapi/v3',
      '/openapi/v3/',
      '/openid/v1/jwks',
      '/version',
    ];
    for (const { group, versions } of this.#registry.groups())
      if (group) paths.push(`/apis/${group}`, ...versions.map((version) => `/apis/${group}/${version}`));
    return paths;
  }

  /** Those that a fresh server does not have. */
  #addedDefinitions(): Record<string, Record<string, unknown>> {
    if (!this.#remotes.size) return this.#v2Definitions();
    const { definitions: builtin = {} } = openapiV2() as OpenApiV2;
    const { definitions = {} } = this.v2() as OpenApiV2;
    return Object.fromEntries(Object.entries(definitions).filter(([name]) => !Object.hasOwn(builtin, name)));
  }

  #v2Definitions(): Record<string, Record<string, unknown>> {
    const resources = [...this.#customVersions().values()].flat();
    return Object.fromEntries(
      resources.flatMap((resource) => (resource.schema ? v2Definitions(resource, resource.schema) : [])),
    );
  }

  #customVersions(): Map<string, Resource[]> {
    const result = new Map<string, Resource[]>();
    for (const resource of this.#registry.all()) {
      if (resource.custom === undefined) continue;
      const list = result.get(resource.apiVersion) ?? [];
      list.push(resource);
      result.set(resource.apiVersion, list);
    }
    return result;
  }

  #refresh(): void {
    if (this.#generation === this.#registry.generation) return;
    this.#generation = this.#registry.generation;
    for (const path of this.#custom.keys()) this.#hashes.delete(path);
    this.#custom.clear();
    this.#v2 = undefined;
    this.#v2Hash = undefined;
  }
}

function hashOf(document: unknown): string {
  return createHash('sha512').update(JSON.stringify(document)).digest('hex').toUpperCase();
}
