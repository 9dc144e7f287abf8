import type { Readable } from 'node:stream';
import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { describeKey, type KubeList, type KubeObject, parseApiVersion } from '../object/object.ts';
import { ApiError, isNotFound } from './api-error.ts';
import { ApiSender, type Call, type ConnectOptions, type Identity, type Shared } from './api-sender.ts';
import type {
  Caller,
  Client,
  ClusterConfig,
  DeleteOptions,
  Discovery,
  ListOptions,
  PatchType,
  PodLogOptions,
  PodTerminal,
  PodTerminalOptions,
  ResourceRef,
  WatchEvent,
  WriteOptions,
} from './client.ts';
import { systemClock } from './clock.ts';
import { ClusterDiscovery } from './cluster-discovery.ts';
import { answerTooLong, connectionError } from './connection-error.ts';
import { kindNotServed, objectInvalid, versionNotServed } from './diagnoses.ts';
import { execPath, execProtocols, podTerminal } from './pod-exec.ts';
import { readLines } from './read-lines.ts';
import { deleteBody, listQuery, logPath, resourcePath, writeQuery } from './request/request-path.ts';
import { RequestLimit } from './request-limit.ts';
import { statusError } from './status-error.ts';
import { Transport } from './transport.ts';

/** A client of the cluster. Connects when it is first used; throws at once only for a configuration that cannot work. */
export function connect(config: ClusterConfig, options: ConnectOptions): Client {
  const clock = options.clock ?? systemClock;
  const shared: Shared = {
    transport: new Transport(config, clock),
    limit: new RequestLimit(clock),
    clock,
    options,
    discovery: undefined,
  };
  return new ApiClient(shared, options.caller, config.impersonate);
}

const contentTypes: Record<PatchType, string> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** No object of etcd is near it: its own limit is 1.5 MiB, and aggregated servers have larger ones. */
const longestEvent = 64 << 20;

class ApiClient implements Client {
  readonly server: string;
  readonly discovery: Discovery;
  readonly #shared: Shared;
  readonly #caller: Caller;
  readonly #identity: Identity | undefined;
  readonly #sender: ApiSender;

  constructor(shared: Shared, caller: Caller, identity: Identity | undefined) {
    this.#shared = shared;
    this.#caller = caller;
    this.#identity = identity;
    this.server = shared.transport.config.server;
    this.#sender = new ApiSender(shared, caller, identity);
    shared.discovery ??= new ClusterDiscovery(async (path, accept, etag) => {
      const headers = etag ? { 'if-none-match': etag } : {};
      const response = await this.#sender.send({ method: 'GET', path, accept, headers });
      const tag = response.headers.etag;
      const text = await this.#whole(response.body.text());
      const body: unknown = text ? JSON.parse(text) : undefined;
      return { status: response.statusCode, body, ...(typeof tag === 'string' ? { etag: tag } : {}) };
    });
    this.discovery = shared.discovery;
  }

  as(caller: Caller): Client {
    return new ApiClient(this.#shared, caller, this.#identity);
  }

  impersonating(user: { name: string; groups?: string[] }): Client {
    return new ApiClient(this.#shared, this.#caller, user);
  }

  async get<T extends KubeObject>(
    ref: ResourceRef & { name: string },
    options: { subresource?: string; signal?: AbortSignal } = {},
  ): Promise<T> {
    const target = await this.#target(ref, options.subresource);
    return this.#sender.json<T>({ method: 'GET', ...target, signal: options.signal });
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
    const list = await this.#sender.json<KubeList<T>>({
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
    await this.#sender.json({ method: 'DELETE', ...target, body: deleteBody(options), signal: options.signal });
  }

  async deleteCollection(ref: ResourceRef, options: DeleteOptions & ListOptions = {}): Promise<void> {
    const target = await this.#target({ apiVersion: ref.apiVersion, kind: ref.kind, ...pickNamespace(ref) });
    const path = target.path + listQuery(options);
    await this.#sender.json({ method: 'DELETE', ...target, path, body: deleteBody(options), signal: options.signal });
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
    const response = await this.#sender.send(call, { stream: true, streamLimit: (seconds + 30) * 1000 });
    try {
      const { apiVersion, kind } = ref;
      yield {
        type: 'BOOKMARK',
        object: { apiVersion, kind, metadata: { resourceVersion: options.resourceVersion } } as T,
      };
      const longer = () => answerTooLong(this.#shared.transport.config, `an event of ${target.path}`, longestEvent);
      for await (const line of readLines(response.body, { longest: longestEvent, longer })) {
        if (line === '') continue;
        const event = JSON.parse(line) as WatchEvent<T> | { type: 'ERROR'; object: { code?: number } };
        if (event.type === 'ERROR') throw statusError(event.object.code ?? 500, event.object, this.#sender.asked(call));
        yield event;
      }
    } catch (error) {
      options.signal.throwIfAborted();
      throw error instanceof DiagnosisError ? error : await connectionError(error, this.#shared.transport.config);
    } finally {
      letGo(response.body);
    }
  }

  async *logs(ref: { namespace: string; name: string }, options: PodLogOptions = {}): AsyncGenerator<Uint8Array> {
    const { signal, ...rest } = options;
    const path = logPath(ref, rest);
    const object = `Pod ${ref.namespace}/${ref.name}`;
    const call: Call = { method: 'GET', path, accept: '*/*', signal, object, namespace: ref.namespace };
    const response = await this.#sender.send(call, { stream: true });
    try {
      for await (const chunk of response.body) yield chunk as Uint8Array;
    } catch (error) {
      signal?.throwIfAborted();
      throw await connectionError(error, this.#shared.transport.config);
    } finally {
      letGo(response.body);
    }
  }

  async terminal(
    ref: { namespace: string; name: string },
    { signal, ...wanted }: PodTerminalOptions,
  ): Promise<PodTerminal> {
    const object = `Pod ${ref.namespace}/${ref.name}`;
    const call = { path: execPath(ref, wanted), signal, object, namespace: ref.namespace };
    return podTerminal(await this.#sender.webSocket(call, execProtocols));
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
    const response = await this.#sender.send({ method, path, ...options });
    const headers = new Headers();
    for (const [name, value] of Object.entries(response.headers)) {
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) headers.append(name, one);
    }
    return {
      status: response.statusCode,
      headers,
      text: () => this.#whole(response.body.text()),
      json: () => this.#whole(response.body.json()),
      bytes: () => this.#whole(response.body.bytes()),
    };
  }

  /** What comes to an answer as a whole; throws a diagnosis where the connection breaks in between, or does not end. */
  async #whole<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading;
    } catch (error) {
      if (error instanceof SyntaxError || (error instanceof Error && error.name === 'AbortError')) throw error;
      throw await connectionError(error, this.#shared.transport.config);
    }
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
    const path = target.path + writeQuery(options);
    const { signal, onWarning } = options;
    return this.#sender.json<T>({ method, ...target, path, body, contentType, signal, onWarning });
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

/** Ends an answer whose reader has had enough: that it was not read to its end is no error then. */
function letGo(body: Readable): void {
  body.once('error', () => undefined).destroy();
}
