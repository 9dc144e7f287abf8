import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { ApiError, isNotFound } from './api-error.ts';
import type {
  ApiResource,
  ApiWarning,
  Asker,
  Client,
  ClusterConfig,
  DeleteOptions,
  Discovery,
  ListOptions,
  PatchType,
  PodLogOptions,
  ResourceRef,
  WatchEvent,
  WriteOptions,
} from './client.ts';
import { type Clock, systemClock } from './clock.ts';
import { ClusterDiscovery } from './cluster-discovery.ts';
import { connectionError } from './connection-error.ts';
import { kindNotServed, objectInvalid, versionNotServed } from './diagnoses.ts';
import { describeKey, type KubeList, type KubeObject, parseApiVersion } from './object.ts';
import type { Asked } from './refusal.ts';
import { statusError } from './status-error.ts';
import { Transport, type TransportRequest, type TransportResponse } from './transport.ts';
import { userAgent } from './user-agent.ts';
import { readLines } from './watch-lines.ts';

/** One finished request, for metrics. */
export interface RequestRecord {
  asker: Asker;
  method: string;
  /** Path without query. */
  path: string;
  /** HTTP status; 0 if there was no answer. */
  status: number;
  milliseconds: number;
}

export interface ConnectOptions {
  asker: Asker;
  clock?: Clock;
  /** Called for every `Warning` header of an answer. */
  onWarning?: (warning: ApiWarning) => void;
  /** Called once for every request when its answer begins. */
  onRequest?: (request: RequestRecord) => void;
}

/** A client of the cluster. Connects when it is first used; throws at once only for a configuration that cannot work. */
export function connect(config: ClusterConfig, options: ConnectOptions): Client {
  const clock = options.clock ?? systemClock;
  const shared: Shared = { transport: new Transport(config, clock), clock, options, discovery: undefined };
  return new ApiClient(shared, options.asker, config.impersonate);
}

interface Shared {
  transport: Transport;
  clock: Clock;
  options: ConnectOptions;
  discovery: Discovery | undefined;
}

type Identity = NonNullable<ClusterConfig['impersonate']>;

interface Call {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string;
  accept?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  object?: string;
  namespace?: string | undefined;
}

const contentTypes: Record<PatchType, string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** How often an answer that asks to come back later is followed by itself. */
const patience = 4;

class ApiClient implements Client {
  readonly server: string;
  readonly discovery: Discovery;
  readonly #shared: Shared;
  readonly #asker: Asker;
  readonly #identity: Identity | undefined;
  readonly #headers: Record<string, string | string[]>;

  constructor(shared: Shared, asker: Asker, identity: Identity | undefined) {
    this.#shared = shared;
    this.#asker = asker;
    this.#identity = identity;
    this.server = shared.transport.config.server;
    this.#headers = { 'user-agent': userAgent(asker), ...impersonationHeaders(identity) };
    shared.discovery ??= new ClusterDiscovery(async (path, accept, etag) => {
      const headers = etag ? { 'if-none-match': etag } : {};
      const response = await this.#send({ method: 'GET', path, accept, headers });
      const tag = response.headers.etag;
      const text = await response.body.text();
      const body: unknown = text ? JSON.parse(text) : undefined;
      return { status: response.statusCode, body, ...(typeof tag === 'string' ? { etag: tag } : {}) };
    });
    this.discovery = shared.discovery;
  }

  as(asker: Asker): Client {
    return new ApiClient(this.#shared, asker, this.#identity);
  }

  impersonating(user: { name: string; groups?: string[] }): Client {
    return new ApiClient(this.#shared, this.#asker, user);
  }

  async get<T extends KubeObject>(
    ref: ResourceRef & { name: string },
    options: { subresource?: string; signal?: AbortSignal } = {},
  ): Promise<T> {
    const target = await this.#target(ref, options.subresource);
    return this.#json<T>({ method: 'GET', ...target, signal: options.signal });
  }

  async find<T extends KubeObject>(
    ref: ResourceRef & { name: string },
    options: { signal?: AbortSignal } = {},
  ): Promise<T | undefined> {
    try {
      return await this.get<T>(ref, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends KubeObject>(ref: ResourceRef, options: ListOptions = {}): Promise<KubeList<T>> {
    const target = await this.#target({ apiVersion: ref.apiVersion, kind: ref.kind, ...pickNamespace(ref) });
    const list = await this.#json<KubeList<T>>({
      method: 'GET',
      ...target,
      path: target.path + listQuery(options),
      signal: options.signal,
    });
    list.items ??= [];
    // lists of typed kinds leave out what every item has
    for (const item of list.items) {
      item.apiVersion ??= ref.apiVersion;
      item.kind ??= ref.kind;
    }
    return list;
  }

  async create<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const { metadata } = object;
    const ref = { ...refOf(object), ...(options.subresource ? { name: requireName(object) } : {}) };
    const target = await this.#target(ref, options.subresource, metadata.name ?? `${metadata.generateName ?? ''}…`);
    return this.#write<T>('POST', target, object, options);
  }

  async update<T extends KubeObject>(object: T, options: WriteOptions = {}): Promise<T> {
    const target = await this.#target({ ...refOf(object), name: requireName(object) }, options.subresource);
    return this.#write<T>('PUT', target, object, options);
  }

  async patch<T extends KubeObject>(
    ref: ResourceRef & { name: string },
    type: PatchType,
    body: unknown,
    options: WriteOptions & { force?: boolean } = {},
  ): Promise<T> {
    const target = await this.#target(ref, options.subresource);
    return this.#write<T>('PATCH', target, body, options, contentTypes[type]);
  }

  async apply<T extends KubeObject>(
    object: T,
    options: WriteOptions & { fieldManager: string; force?: boolean },
  ): Promise<T> {
    const target = await this.#target({ ...refOf(object), name: requireName(object) }, options.subresource);
    return this.#write<T>('PATCH', target, object, options, contentTypes.apply);
  }

  async delete(ref: ResourceRef & { name: string }, options: DeleteOptions = {}): Promise<void> {
    const target = await this.#target(ref);
    await this.#json({ method: 'DELETE', ...target, body: deleteBody(options), signal: options.signal });
  }

  async deleteCollection(ref: ResourceRef, options: DeleteOptions & ListOptions = {}): Promise<void> {
    const target = await this.#target({ apiVersion: ref.apiVersion, kind: ref.kind, ...pickNamespace(ref) });
    const path = target.path + listQuery(options);
    await this.#json({ method: 'DELETE', ...target, path, body: deleteBody(options), signal: options.signal });
  }

  async *watch<T extends KubeObject>(
    ref: ResourceRef,
    options: ListOptions & { resourceVersion: string; signal: AbortSignal },
  ): AsyncGenerator<WatchEvent<T>> {
    const target = await this.#target({ apiVersion: ref.apiVersion, kind: ref.kind, ...pickNamespace(ref) });
    const selector = ref.name
      ? { fieldSelector: [`metadata.name=${ref.name}`, options.fieldSelector].filter(Boolean).join(',') }
      : {};
    // every watch ends at another time, so that they do not all come back at once
    const seconds = 300 + Math.floor(Math.random() * 300);
    const query = listQuery(
      { ...options, ...selector },
      { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: `${seconds}` },
    );
    const call: Call = { method: 'GET', ...target, path: target.path + query, signal: options.signal };
    const response = await this.#send(call, { stream: true, streamLimit: (seconds + 30) * 1000 });
    try {
      const { apiVersion, kind } = ref;
      yield {
        type: 'BOOKMARK',
        object: { apiVersion, kind, metadata: { resourceVersion: options.resourceVersion } } as T,
      };
      for await (const line of readLines(response.body)) {
        const event = JSON.parse(line) as WatchEvent<T> | { type: 'ERROR'; object: { code?: number } };
        if (event.type === 'ERROR') throw statusError(event.object.code ?? 500, event.object, this.#asked(call));
        yield event;
      }
    } catch (error) {
      options.signal.throwIfAborted();
      throw error instanceof DiagnosisError ? error : await connectionError(error, this.#shared.transport.config);
    } finally {
      response.body.destroy();
    }
  }

  async *logs(ref: { namespace: string; name: string }, options: PodLogOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal, ...rest } = options;
    const query = new URLSearchParams(
      Object.entries(rest).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]])),
    );
    const path = `/api/v1/namespaces/${encodeURIComponent(ref.namespace)}/pods/${encodeURIComponent(ref.name)}/log?${query}`;
    const object = `Pod ${ref.namespace}/${ref.name}`;
    const call: Call = { method: 'GET', path, accept: '*/*', signal, object, namespace: ref.namespace };
    const response = await this.#send(call, { stream: true });
    try {
      for await (const chunk of response.body) yield chunk as Uint8Array;
    } catch (error) {
      signal?.throwIfAborted();
      throw await connectionError(error, this.#shared.transport.config);
    } finally {
      response.body.destroy();
    }
  }

  async request(
    method: string,
    path: string,
    options: { body?: unknown; contentType?: string; accept?: string; signal?: AbortSignal } = {},
  ): Promise<{
    status: number;
    headers: Headers;
    text(): Promise<string>;
    json(): Promise<unknown>;
    bytes(): Promise<Uint8Array>;
  }> {
    const response = await this.#send({ method, path, ...options });
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
    }
    return {
      status: response.statusCode,
      headers,
      text: () => response.body.text(),
      json: () => response.body.json(),
      bytes: () => response.body.bytes(),
    };
  }

  close(): Promise<void> {
    return this.#shared.transport.close();
  }

  #write<T>(
    method: string,
    target: { path: string; object: string; namespace?: string },
    body: unknown,
    options: WriteOptions & { force?: boolean },
    contentType = 'application/json',
  ): Promise<T> {
    const query = new URLSearchParams();
    if (options.dryRun) query.set('dryRun', 'All');
    if (options.fieldManager) query.set('fieldManager', options.fieldManager);
    if (options.fieldValidation) query.set('fieldValidation', options.fieldValidation);
    if (options.force) query.set('force', 'true');
    const path = query.size > 0 ? `${target.path}?${query}` : target.path;
    return this.#json<T>({ method, ...target, path, body, contentType, signal: options.signal });
  }

  async #json<T>(call: Call): Promise<T> {
    const response = await this.#send(call);
    try {
      return (await response.body.json()) as T;
    } catch (error) {
      call.signal?.throwIfAborted();
      throw await connectionError(error, this.#shared.transport.config);
    }
  }

  /** Sends, follows 429 and Retry-After for a while, and throws the `ApiError` of every answer that is not a success. */
  async #send(call: Call, stream: Pick<TransportRequest, 'stream' | 'streamLimit'> = {}): Promise<TransportResponse> {
    const { transport, clock, options } = this.#shared;
    const request = this.#requestOf(call);
    for (let attempt = 0; ; attempt++) {
      const started = clock.now();
      const record = (status: number) =>
        options.onRequest?.({
          asker: this.#asker,
          method: call.method,
          path: call.path.split('?', 1)[0] ?? '',
          status,
          milliseconds: clock.now() - started,
        });
      const response = await transport.send({ ...request, ...stream }).catch((error: unknown) => {
        record(0);
        throw error;
      });
      record(response.statusCode);
      this.#reportWarnings(response, call);
      if (response.statusCode < 400) return response;
      const text = await response.body.text();
      const after = Number(response.headers['retry-after'] ?? Number.NaN);
      const mayWait = response.statusCode === 429 || response.statusCode >= 500;
      if (mayWait && after >= 0 && after <= 10 && attempt < patience && !text.includes('disruption budget')) {
        await clock.sleep(after * 1000, call.signal);
        continue;
      }
      throw statusError(
        response.statusCode,
        parseBody(text),
        this.#asked(call),
        Number.isNaN(after) ? undefined : after,
      );
    }
  }

  #requestOf(call: Call): TransportRequest {
    const headers: Record<string, string | string[]> = {
      ...this.#headers,
      ...call.headers,
      accept: call.accept ?? 'application/json',
    };
    if (call.body === undefined) return { method: call.method, path: call.path, headers, signal: call.signal };
    headers['content-type'] = call.contentType ?? 'application/json';
    const body =
      call.body instanceof Uint8Array || (typeof call.body === 'string' && call.contentType !== undefined)
        ? call.body
        : JSON.stringify(call.body);
    return { method: call.method, path: call.path, headers, body, signal: call.signal };
  }

  #reportWarnings(response: TransportResponse, call: Call): void {
    const { onWarning } = this.#shared.options;
    const header = response.headers.warning;
    if (!header || !onWarning) return;
    for (const text of parseWarnings(Array.isArray(header) ? header.join(', ') : header)) {
      onWarning({ text, method: call.method, path: call.path.split('?', 1)[0] ?? '', asker: this.#asker });
    }
  }

  #asked(call: Call): Asked {
    return {
      method: call.method,
      path: call.path,
      server: this.server,
      ...(call.object ? { object: call.object } : {}),
      ...(call.namespace ? { namespace: call.namespace } : {}),
    };
  }

  async #target(
    ref: ResourceRef,
    subresource?: string,
    shownName?: string,
  ): Promise<{ path: string; object: string; namespace?: string }> {
    const resource = await this.discovery.find(ref.apiVersion, ref.kind);
    if (!resource) throw await this.#notServed(ref);
    const { group } = parseApiVersion(ref.apiVersion);
    const name = ref.name ?? shownName ?? '';
    const key = { group, kind: ref.kind, namespace: name ? (ref.namespace ?? '') : '', name };
    const object = describeKey(key).trim() + (!name && ref.namespace ? ` in ${ref.namespace}` : '');

    if (resource.namespaced && !ref.namespace && (ref.name || shownName)) {
      throw failure(objectInvalid, {
        message: `${ref.kind} is namespaced, and no namespace was given for ${ref.name ?? shownName}`,
        place: { object, field: 'metadata.namespace' },
        remedies: ['Set metadata.namespace'],
      });
    }
    const namespace = resource.namespaced ? ref.namespace : undefined;
    const parts = [resourcePath(resource, namespace), ref.name && encodeURIComponent(ref.name), subresource];
    return { path: parts.filter(Boolean).join('/'), object, ...(namespace ? { namespace } : {}) };
  }

  async #notServed(ref: ResourceRef): Promise<DiagnosisError> {
    const { group, version } = parseApiVersion(ref.apiVersion);
    const broken = this.discovery.unavailable().get(`${group}/${version}`);
    const others = (await this.discovery.resources()).filter(
      (other) => other.group === group && other.kind === ref.kind,
    );
    const place = {
      object: ref.name
        ? describeKey({ group, kind: ref.kind, namespace: ref.namespace ?? '', name: ref.name })
        : ref.kind,
      remote: this.server,
    };
    const versions = others.map((other) => other.version).join(', ');
    const diagnosis = others.length
      ? failure(versionNotServed, {
          message: `The cluster serves ${ref.kind} of ${group || 'the core group'} in ${versions}, not in ${version}`,
          place,
          evidence: { wanted: ref.apiVersion, served: versions },
          remedies: [`Change apiVersion to ${group ? `${group}/` : ''}${others[0]?.version}`],
        })
      : failure(kindNotServed, {
          message: broken
            ? `${ref.apiVersion} ${ref.kind} cannot be used: ${broken}`
            : `The cluster does not serve the kind ${ref.kind} of ${ref.apiVersion}`,
          place,
          evidence: { wanted: `${ref.apiVersion} ${ref.kind}` },
          remedies: [
            broken
              ? `Restore the APIService ${version}.${group}`
              : 'Install the CustomResourceDefinition that defines it, or correct apiVersion and kind',
          ],
        });
    return new ApiError(diagnosis.diagnosis, { status: 404, reason: 'KindNotServed' });
  }
}

/** URL path of a resource's collection; without namespace, of all namespaces. */
export function resourcePath(resource: Pick<ApiResource, 'group' | 'version' | 'plural'>, namespace?: string): string {
  const base = resource.group ? `/apis/${resource.group}/${resource.version}` : `/api/${resource.version}`;
  return `${base}${namespace ? `/namespaces/${encodeURIComponent(namespace)}` : ''}/${resource.plural}`;
}

function refOf(object: KubeObject): ResourceRef {
  return { apiVersion: object.apiVersion, kind: object.kind, ...pickNamespace(object.metadata) };
}

function pickNamespace(from: { namespace?: string }): { namespace?: string } {
  return from.namespace ? { namespace: from.namespace } : {};
}

function requireName(object: KubeObject): string {
  if (object.metadata.name) return object.metadata.name;
  throw failure(objectInvalid, {
    message: `The ${object.kind} has no name`,
    place: { object: object.kind, field: 'metadata.name' },
    remedies: ['Set metadata.name'],
  });
}

function listQuery(options: ListOptions, extra: Record<string, string> = {}): string {
  const query = new URLSearchParams(extra);
  if (options.labelSelector) query.set('labelSelector', options.labelSelector);
  if (options.fieldSelector) query.set('fieldSelector', options.fieldSelector);
  if (options.limit) query.set('limit', String(options.limit));
  if (options.continue) query.set('continue', options.continue);
  if (options.resourceVersion !== undefined) query.set('resourceVersion', options.resourceVersion);
  if (options.resourceVersionMatch) query.set('resourceVersionMatch', options.resourceVersionMatch);
  return query.size > 0 ? `?${query}` : '';
}

function deleteBody(options: DeleteOptions): Record<string, unknown> {
  const { propagationPolicy, gracePeriodSeconds, preconditions, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagationPolicy ? { propagationPolicy } : {}),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions ? { preconditions } : {}),
    ...(dryRun ? { dryRun: ['All'] } : {}),
  };
}

function impersonationHeaders(identity: Identity | undefined): Record<string, string | string[]> {
  if (!identity) return {};
  const extra = Object.entries(identity.extra ?? {}).map(([key, values]) => [
    `impersonate-extra-${encodeURIComponent(key).toLowerCase()}`,
    values,
  ]);
  return {
    'impersonate-user': identity.name,
    ...(identity.groups?.length ? { 'impersonate-group': identity.groups } : {}),
    ...(identity.uid ? { 'impersonate-uid': identity.uid } : {}),
    ...Object.fromEntries(extra),
  };
}

/** Texts of a Warning header: `299 - "text"`, several separated by commas, with `\"` inside. */
export function parseWarnings(header: string): string[] {
  return [...header.matchAll(/\d{3} \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

function parseBody(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
