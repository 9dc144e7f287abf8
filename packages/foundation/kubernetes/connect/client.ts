import type { KubeList, KubeObject } from '../object/object.ts';

/** Who asks, for the User-Agent `tiphys/<version> (<component>; <application>; <purpose>)` and for metrics. */
export interface Caller {
  /** Of the parts of one process `server` answers somebody who waits: its requests go before those of all others. */
  component: string;
  /** `namespace/name` of the Application on whose behalf; absent for the system's own work. */
  application?: string;
  purpose: string;
}

/** One served resource of a cluster, from discovery. */
export interface ApiResource {
  group: string;
  version: string;
  kind: string;
  /** Plural name in the URL, such as `deployments`. */
  plural: string;
  singular: string;
  namespaced: boolean;
  verbs: readonly string[];
  shortNames: readonly string[];
  categories: readonly string[];
  subresources: readonly string[];
}

/** Addresses a resource: a kind by `apiVersion`, its plural and scope come from discovery. */
export interface ResourceRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name?: string;
}

export interface ListOptions {
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  signal?: AbortSignal;
}

export interface WriteOptions {
  dryRun?: boolean;
  fieldManager?: string;
  fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
  subresource?: string;
  /** Called for every `Warning` header of the answer. */
  onWarning?: (text: string) => void;
  signal?: AbortSignal;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

export interface DeleteOptions {
  propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
  dryRun?: boolean;
  signal?: AbortSignal;
}

/** One event of a watch. `BOOKMARK` carries only `metadata.resourceVersion`. */
export interface WatchEvent<T extends KubeObject = KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK';
  object: T;
}

/** A `Warning: 299` header of an answer, with what was asked. */
export interface ApiWarning {
  text: string;
  method: string;
  path: string;
  caller: Caller;
}

/** The discovery document of a cluster, refreshed on demand and when a kind is not found. */
export interface Discovery {
  /** All served resources (preferred and other versions), without subresources as entries of their own. */
  resources(): Promise<readonly ApiResource[]>;
  /** The resource that serves the kind, or undefined; looks again once before it says no. */
  find(apiVersion: string, kind: string): Promise<ApiResource | undefined>;
  /** Groups that discovery could not read, with the reason; the other groups are served nevertheless (failure C13). */
  unavailable(): ReadonlyMap<string, string>;
  /** `{ gitVersion: 'v1.34.4', major, minor, ... }` of `/version`. */
  version(): Promise<{ gitVersion: string; major: string; minor: string; platform: string }>;
  invalidate(): void;
}

/**
 * A client of one cluster. Objects go in and come out as plain JSON.
 * Every method throws a `DiagnosisError`; answers of the API server additionally are `ApiError`s
 * (a subclass, with `status`, the HTTP code, and `reason`, such as `NotFound`, `Conflict`, `AlreadyExists`, `Invalid`, `Expired`).
 */
export interface Client {
  /** URL of the API server. */
  readonly server: string;
  readonly discovery: Discovery;
  /** The same client asking for something else (User-Agent, metrics, warnings). Cheap; shares connections and discovery. */
  as(caller: Caller): Client;
  /** The same client acting as another identity (impersonation headers). */
  impersonating(user: { name: string; groups?: string[] }): Client;

  get<T extends KubeObject = KubeObject>(
    ref: ResourceRef & { name: string },
    options?: { subresource?: string; signal?: AbortSignal },
  ): Promise<T>;
  /** Like `get`, but undefined for NotFound of the object. */
  find<T extends KubeObject = KubeObject>(
    ref: ResourceRef & { name: string },
    options?: { signal?: AbortSignal },
  ): Promise<T | undefined>;
  /** One page; namespace absent means all namespaces. */
  list<T extends KubeObject = KubeObject>(ref: ResourceRef, options?: ListOptions): Promise<KubeList<T>>;
  create<T extends KubeObject = KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  /** PUT; fails with Conflict if `metadata.resourceVersion` is set and old. */
  update<T extends KubeObject = KubeObject>(object: T, options?: WriteOptions): Promise<T>;
  patch<T extends KubeObject = KubeObject>(
    ref: ResourceRef & { name: string },
    type: PatchType,
    body: unknown,
    options?: WriteOptions & { force?: boolean },
  ): Promise<T>;
  /** Server-side apply of a whole object. */
  apply<T extends KubeObject = KubeObject>(
    object: T,
    options: WriteOptions & { fieldManager: string; force?: boolean },
  ): Promise<T>;
  delete(ref: ResourceRef & { name: string }, options?: DeleteOptions): Promise<void>;
  deleteCollection(ref: ResourceRef, options?: DeleteOptions & ListOptions): Promise<void>;
  /** Ends without error when the server closes; throws `ApiError` with reason `Expired` (410) or `Gone`. Bookmarks are always asked for; the first event is one of our own that says that the server has begun to answer. */
  watch<T extends KubeObject = KubeObject>(
    ref: ResourceRef,
    options: ListOptions & { resourceVersion: string; signal: AbortSignal },
  ): AsyncIterable<WatchEvent<T>>;
  /** Chunks of a pod's log. */
  logs(ref: { namespace: string; name: string }, options?: PodLogOptions): AsyncIterable<Uint8Array>;
  /** Runs a command at a terminal in a container; throws if the API server does not let it begin. */
  terminal(ref: { namespace: string; name: string }, options: PodTerminalOptions): Promise<PodTerminal>;
  /** Any other request; `body` is sent as JSON unless it is bytes. */
  request(
    method: string,
    path: string,
    options?: { body?: unknown; contentType?: string; accept?: string; signal?: AbortSignal },
  ): Promise<{
    status: number;
    headers: Headers;
    text(): Promise<string>;
    json(): Promise<unknown>;
    bytes(): Promise<Uint8Array>;
  }>;
  /** Closes connections. */
  close(): Promise<void>;
}

export interface PodLogOptions {
  container?: string;
  follow?: boolean;
  previous?: boolean;
  timestamps?: boolean;
  sinceSeconds?: number;
  sinceTime?: string;
  tailLines?: number;
  limitBytes?: number;
  signal?: AbortSignal;
}

export interface PodTerminalOptions {
  container: string;
  command: readonly string[];
  /** Ends the attempt to connect; a running terminal is ended by `close`. */
  signal?: AbortSignal;
}

/** A command that runs at a terminal. */
export interface PodTerminal {
  /** What it writes, until it ends; what is not read slows the command down. */
  readonly output: AsyncIterable<Uint8Array>;
  /** How it ended; never rejects. */
  readonly ended: Promise<PodTerminalOutcome>;
  write(data: Uint8Array): void;
  resize(size: { columns: number; rows: number }): void;
  /** Hangs up. */
  close(): void;
}

export interface PodTerminalOutcome {
  /** Absent if the command could not be started, or the connection broke. */
  exitCode?: number;
  /** Why it failed; empty if it did not. */
  message: string;
}

/** How to reach a cluster; what a kubeconfig's context or a cluster Secret says. */
export interface ClusterConfig {
  server: string;
  /** Name for people: the context's or the cluster's. */
  name?: string;
  tls?: { ca?: string; cert?: string; key?: string; serverName?: string; insecure?: boolean };
  bearerToken?: string;
  /** File with a bearer token, read again as it changes; `bearerToken` wins until the file could be read. */
  tokenFile?: string;
  username?: string;
  password?: string;
  /** Exec credential plugin. */
  exec?: { apiVersion?: string; command: string; args?: string[]; env?: Record<string, string>; installHint?: string };
  /** `http://` or `https://` proxy for every connection to the cluster. */
  proxyUrl?: string;
  /** Identity to act as. */
  impersonate?: { name: string; groups?: string[]; uid?: string; extra?: Record<string, string[]> };
  /** Namespace of the context. */
  namespace?: string;
  /** Milliseconds that the server may be silent before and during an answer, other than that of a watch; 75,000 if absent. */
  answerTimeout?: number;
}
