import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeObject } from '@tiphys/kubernetes';
import { type Clock, openapiV2, openapiV2Protobuf, openapiV3Document, openapiV3Paths, systemClock } from '@tiphys/kubernetes';
import { stringify as toYaml } from 'yaml';
import { builtin } from '../schema/builtin.ts';
import { type Item } from '../store/collection.ts';
import { jsonOf, Store } from '../store/store.ts';
import { CustomResources } from '../crd/custom-resources.ts';
import { bootstrap } from './bootstrap.ts';
import { parseBody, readBody } from './body.ts';
import type { ServerContext } from './context.ts';
import { deleteOptions, remove } from './delete.ts';
import { aggregated, coreVersions, groupList, groupOf, resourceList } from './discovery.ts';
import { itemFilter, list } from './list.ts';
import { negotiate, type Wanted } from './negotiate.ts';
import { Operation } from './operation.ts';
import { applyPatch, patchKind } from './patch.ts';
import { Registry } from './registry.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';
import type { Resource } from './resource.ts';
import { noSuchResource, StatusError } from './status.ts';
import type { WriteContext } from './strategy.ts';
import { partialMetadata, tableOf } from './table.ts';
import { watch } from './watch.ts';
import { create, decodeObject, requireItem, requireVerb, resourceName, update } from './write.ts';

export interface ApiServerOptions {
  readonly dataDir?: string;
  /** 0, a free port, when absent. */
  readonly port?: number;
  /** 127.0.0.1 when absent. */
  readonly host?: string;
  readonly clock?: Clock;
  /** Bearer token of the administrator (group system:masters). */
  readonly adminToken: string;
}

interface Answer {
  code: number;
  /** Serialised JSON. */
  body: string;
  warnings?: readonly string[];
}

/** A Kubernetes API server over a `Store`. */
export class ApiServer implements ServerContext {
  readonly store: Store;
  readonly registry = new Registry();
  readonly clock: Clock;
  readonly #http: Server;
  readonly #options: ApiServerOptions;
  readonly #closing = new AbortController();
  readonly #custom: CustomResources;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    this.clock = options.clock ?? systemClock;
    this.store = new Store(options.dataDir === undefined ? {} : { dataDir: options.dataDir });
    this.#custom = new CustomResources(this);
    bootstrap(this);
    this.#custom.load();
    this.#http = createServer({ keepAliveTimeout: 90_000 }, (request, response) => {
      this.#serve(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** Starts listening; the result is the port. */
  listen(): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(this.#options.port ?? 0, this.#options.host ?? '127.0.0.1', () =>
        resolve((this.#http.address() as AddressInfo).port),
      );
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#http.closeIdleConnections();
    await new Promise<void>((resolve) => {
      this.#http.close(() => resolve());
      setImmediate(() => this.#http.closeAllConnections());
    });
    this.store.close();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let wanted: Wanted = { as: 'object', version: 'v1', yaml: false };
    try {
      const url = new URL(request.url ?? '/', 'http://server');
      const user = this.#authenticate(request);
      const info = requestInfo(request.method ?? 'GET', url.pathname, url.searchParams);
      if (!info.resourceRequest) return this.#nonResource(request, response, info);
      const resource = this.#resource(info);
      wanted = negotiate(request.headers.accept);
      if (info.verb === 'watch' && !info.subresource) {
        await watch(this, resource, info, url.searchParams, wanted, response, this.#closing.signal);
        return;
      }
      const answer = await this.#handle(request, resource, info, url.searchParams, user, wanted);
      await this.store.durable();
      if (resource.deprecation) answer.warnings = [resource.deprecation, ...(answer.warnings ?? [])];
      send(response, answer, wanted);
    } catch (error) {
      const status = statusOf(error);
      if (response.headersSent) return void response.end();
      send(response, { code: status.code, body: JSON.stringify(status) }, { as: 'object', version: 'v1', yaml: wanted.yaml });
    }
  }

  #authenticate(request: IncomingMessage): WriteContext['user'] {
    const token = /^Bearer\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined || token === this.#options.adminToken) return { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
    throw new StatusError(401, 'Unauthorized', 'Unauthorized');
  }

  #resource(info: RequestInfo): Resource {
    const resource = this.registry.find(info.group, info.version, info.plural);
    if (!resource) throw noSuchResource();
    if (info.subresource && !resource.subresources.has(info.subresource)) throw noSuchResource();
    if (!resource.namespaced && info.namespace && info.plural !== 'namespaces') throw noSuchResource();
    return resource;
  }

  async #handle(
    request: IncomingMessage,
    resource: Resource,
    info: RequestInfo,
    query: URLSearchParams,
    user: WriteContext['user'],
    wanted: Wanted,
  ): Promise<Answer> {
    requireVerb(resource, info.subresource, info.verb);
    if (info.verb === 'list') return { code: 200, body: list(this, resource, info, query, wanted) };
    const operation = new Operation(this, resource, info, query, user, request.headers['user-agent'] ?? '');
    const answer = (code: number, object: KubeObject, item?: Item): Answer => ({
      code,
      body: item && wanted.as === 'object' && item.object === object ? jsonOf(item) : this.#render(resource, object, query, wanted),
      warnings: operation.warnings,
    });
    switch (info.verb) {
      case 'get': {
        const item = requireItem(operation);
        return answer(200, resource.fromStored(item.object), item);
      }
      case 'create': {
        const body = parseBody(await readBody(request), request.headers['content-type']);
        return answer(201, create(operation, decodeObject(operation, body)));
      }
      case 'update': {
        const body = parseBody(await readBody(request), request.headers['content-type']);
        const object = decodeObject(operation, body);
        return answer(200, update(operation, object, requireItem(operation)));
      }
      case 'patch': {
        const kind = patchKind(request.headers['content-type'], operation);
        const patch = parseBody(await readBody(request), request.headers['content-type']);
        const existing = this.#find(operation);
        if (!existing && kind === 'apply') return answer(201, create(operation, decodeObject(operation, patch)));
        const item = existing ?? requireItem(operation);
        const patched = applyPatch(kind, resource.fromStored(item.object), patch);
        return answer(200, update(operation, decodeObject(operation, patched), item));
      }
      case 'delete': {
        const text = await readBody(request);
        const options = deleteOptions(text ? parseBody(text, request.headers['content-type']) : undefined, query);
        const item = requireItem(operation);
        const { object, gone } = remove(operation, item, options);
        if (!gone) return answer(200, object);
        if (RETURNS_DELETED.has(resource.collection)) return answer(200, object);
        return { code: 200, body: JSON.stringify(success(resource, object)), warnings: operation.warnings };
      }
      default: {
        const text = await readBody(request);
        const options = deleteOptions(text ? parseBody(text, request.headers['content-type']) : undefined, query);
        const body = list(this, resource, info, query, wanted);
        const filter = itemFilter(resource, info, query);
        for (const item of this.store.collection(resource.collection).at(this.store.revision) ?? [])
          if (!filter || filter(item)) remove(operation, item, options);
        return { code: 200, body, warnings: operation.warnings };
      }
    }
  }

  #find(operation: Operation): Item | undefined {
    try {
      return requireItem(operation);
    } catch (error) {
      if (error instanceof StatusError && error.status.code === 404) return undefined;
      throw error;
    }
  }

  #render(resource: Resource, object: KubeObject, query: URLSearchParams, wanted: Wanted): string {
    if (wanted.as === 'Table') {
      const metadata = { resourceVersion: object.metadata.resourceVersion };
      return JSON.stringify(tableOf(resource, [object], metadata, { include: query.get('includeObject'), now: this.clock.now(), version: wanted.version }));
    }
    if (wanted.as === 'PartialObjectMetadata') return JSON.stringify(partialMetadata(object, wanted.version));
    return JSON.stringify(object);
  }

  #nonResource(request: IncomingMessage, response: ServerResponse, info: RequestInfo): void {
    const { path } = info;
    const parts = path.split('/').filter(Boolean);
    const json = (value: unknown) => (value === undefined ? plain(response, 404, '404 page not found\n') : send(response, { code: 200, body: JSON.stringify(value) }, { as: 'object', version: 'v1', yaml: false }));
    if (path === '/version') return json(versionInfo());
    if (/^\/(healthz|livez|readyz)(\/|$)/.test(path)) return plain(response, 200, 'ok');
    if (path === '/openapi/v3') return json(openapiPaths());
    if (path.startsWith('/openapi/v3/')) return json(openapiV3Document(path.slice('/openapi/v3/'.length)));
    if (path === '/openapi/v2') return /proto-openapi/.test(request.headers.accept ?? '') ? bytes(response, 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf', openapiV2Protobuf()) : json(openapiV2());
    if (parts[0] === 'api' || parts[0] === 'apis') {
      const discovery = /as=APIGroupDiscoveryList/.test(request.headers.accept ?? '') && /g=apidiscovery\.k8s\.io/.test(request.headers.accept ?? '');
      if (parts.length === 1 && discovery && /v=v2(?!beta)/.test(request.headers.accept ?? '')) {
        response.setHeader('content-type', 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList');
        return json(aggregated(this.registry, parts[0] === 'api'));
      }
      if (path.replace(/\/$/, '') === '/api') return json(coreVersions(request.headers.host ?? ''));
      if (path.replace(/\/$/, '') === '/apis') return json(groupList(this.registry));
      const group = parts[0] === 'api' ? '' : (parts[1] ?? '');
      if (parts[0] === 'apis' && parts.length === 2) return json(groupOf(this.registry, group));
      if (this.registry.hasVersion(group, info.version)) return json(resourceList(this.registry, group, info.version));
    }
    return plain(response, 404, '404 page not found\n');
  }
}

/** Kinds whose deletion answers with the object instead of a Status. */
const RETURNS_DELETED = new Set(['pods', 'services', 'serviceaccounts', 'persistentvolumes', 'persistentvolumeclaims', 'podtemplates', 'resourcequotas']);

function success(resource: Resource, object: KubeObject): unknown {
  const { name } = resourceName(resource);
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: object.metadata.name, ...(resource.group ? { group: resource.group } : {}), kind: name, uid: object.metadata.uid },
  };
}

export function versionInfo(): Record<string, string> {
  const { version } = builtin();
  const [major = '', minor = ''] = version.split('.');
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    minCompatibilityMajor: major,
    minCompatibilityMinor: String(Number(minor) - 1),
    gitVersion: `v${version}`,
    gitCommit: '',
    gitTreeState: '',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: '',
    compiler: '',
    platform: 'linux/amd64',
  };
}

function statusOf(error: unknown): StatusError['status'] {
  if (error instanceof StatusError) return error.status;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new StatusError(500, 'InternalError', `Internal error occurred: ${text}`).status;
}

function openapiPaths(): unknown {
  const hash = versionInfo().gitVersion;
  return { paths: Object.fromEntries(openapiV3Paths().map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }])) };
}

function bytes(response: ServerResponse, type: string, body: Uint8Array): void {
  response.writeHead(200, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

function plain(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

function send(response: ServerResponse, answer: Answer, wanted: Wanted): void {
  for (const text of answer.warnings ?? []) response.appendHeader('warning', `299 - ${JSON.stringify(text)}`);
  const body = Buffer.from(wanted.yaml ? toYaml(JSON.parse(answer.body)) : `${answer.body}\n`);
  if (!response.hasHeader('content-type')) response.setHeader('content-type', wanted.yaml ? 'application/yaml' : 'application/json');
  response.setHeader('cache-control', 'no-cache, private');
  response.setHeader('content-length', body.length);
  response.writeHead(answer.code);
  response.end(body);
}

