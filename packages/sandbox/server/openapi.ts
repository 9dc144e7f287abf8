import { createHash } from 'node:crypto';
import { openapiV2, openapiV2Protobuf, openapiV3, openapiV3Document, openapiV3Paths } from '@tiphys/kubernetes';
import { customDocument, definitionName, v2Definition } from '../crd/openapi-documents.ts';
import type { Registry } from '../machinery/registry.ts';
import type { Resource } from '../machinery/resource.ts';
import { encodeDefinitions } from './openapi-protobuf.ts';

/** Serves the OpenAPI documents of the built-in kinds and of custom resources, made anew when the definitions change. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #hashes = new Map<string, string>();
  #generation = -1;
  readonly #custom = new Map<string, unknown>();
  #v2Hash: string | undefined;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** `/openapi/v3`. */
  v3Paths(): unknown {
    this.#refresh();
    const custom = [...this.#customVersions().keys()].map((groupVersion) => `apis/${groupVersion}`);
    const groups = custom.map((path) => path.slice(0, path.lastIndexOf('/')));
    const paths = [...new Set([...openapiV3Paths(), ...groups, ...custom])].sort();
    return {
      paths: Object.fromEntries(
        paths.map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.hash(path)}` }]),
      ),
    };
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
    if (!resources && !isGroup) return undefined;
    const document = customDocument(
      resources ?? [],
      (openapiV3('', 'v1') as { components: { schemas: Record<string, unknown> } }).components.schemas,
    );
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
    const document = openapiV2() as { definitions: Record<string, unknown> };
    return { ...document, definitions: { ...document.definitions, ...this.#v2Definitions() } };
  }

  /** As client-go asks for it. */
  v2Protobuf(): Uint8Array {
    // Messages are merged by being written one after the other.
    return Buffer.concat([openapiV2Protobuf(), encodeDefinitions(this.#v2Definitions())]);
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

  #v2Definitions(): Record<string, Record<string, unknown>> {
    const resources = [...this.#customVersions().values()].flat();
    return Object.fromEntries(
      resources.flatMap((resource) =>
        resource.schema ? [[definitionName(resource), v2Definition(resource, resource.schema)]] : [],
      ),
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
    this.#v2Hash = undefined;
  }
}

function hashOf(document: unknown): string {
  return createHash('sha512').update(JSON.stringify(document)).digest('hex').toUpperCase();
}
