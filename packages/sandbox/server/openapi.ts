import { createHash } from 'node:crypto';
import { openapiV2, openapiV2Protobuf, openapiV3Document, openapiV3Paths } from '@tiphys/kubernetes';
import type { Registry } from './registry.ts';

/** Serves the OpenAPI documents of the built-in kinds and of custom resources. */
export class OpenApi {
  readonly #registry: Registry;
  readonly #hashes = new Map<string, string>();

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** `/openapi/v3`. */
  v3Paths(): unknown {
    return {
      paths: Object.fromEntries(
        openapiV3Paths().map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${this.#hash(path)}` }]),
      ),
    };
  }

  /** `/openapi/v3/{path}`; undefined for what is not served. */
  v3(path: string): unknown {
    return openapiV3Document(path);
  }

  v2(): unknown {
    return openapiV2();
  }

  v2Protobuf(): Uint8Array {
    return openapiV2Protobuf();
  }

  /** Paths of `/`. */
  rootPaths(registry: Registry): string[] {
    const paths = [
      '/api',
      '/api/v1',
      '/apis',
      '/healthz',
      '/livez',
      '/openapi/v2',
      '/openapi/v3',
      '/readyz',
      '/version',
    ];
    for (const { group, versions } of registry.groups())
      if (group) paths.push(`/apis/${group}`, ...versions.map((version) => `/apis/${group}/${version}`));
    return paths.sort();
  }

  #hash(path: string): string {
    let hash = this.#hashes.get(path);
    if (!hash) {
      hash = createHash('sha512')
        .update(JSON.stringify(openapiV3Document(path)))
        .digest('hex')
        .toUpperCase();
      this.#hashes.set(path, hash);
    }
    return hash;
  }
}
