import { randomUUID } from 'node:crypto';
import { defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import {
  ApiError,
  applyJsonPatch,
  applyMergePatch,
  type Client,
  type InformerChange,
  type KubeObject,
  type ResourceRef,
} from '@tiphys/kubernetes';
import { copyJson } from './json.ts';
import type { ObjectView } from './object-store.ts';

const injected = defineDiagnosis('InjectedFault', 'A fault that a test of controllers asked the cluster in memory for');

/** One request that reached the cluster, as `patch Rollout shop/web status`. */
export type Request = string;

/** Answers like an API server to what reconcilers ask, from memory, with faults on demand. For simulations and tests of controllers. */
export class MemoryCluster {
  readonly requests: Request[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #listeners = new Map<string, Set<(change: InformerChange<KubeObject>) => void>>();
  #version = 0;
  #faults: { match: RegExp; status: number; reason: string; left: number }[] = [];

  /** The next `times` requests that match are answered with an error: 409 Conflict, 503 ServiceUnavailable … */
  fail(match: RegExp, answer: { status: number; reason: string }, times = 1): void {
    this.#faults.push({ match, ...answer, left: times });
  }

  /** Stores an object as somebody else would, past every fault. */
  put<T extends KubeObject>(object: T): T {
    const id = idOf(object);
    const old = this.#objects.get(id);
    this.#version += 1;
    const stored = copyJson(object);
    stored.metadata.uid ??= old?.metadata.uid ?? randomUUID();
    stored.metadata.resourceVersion = String(this.#version);
    this.#objects.set(id, stored);
    this.#tell(old ? { type: 'updated', object: stored, old } : { type: 'added', object: stored });
    return copyJson(stored);
  }

  /** Removes an object as somebody else would. */
  remove(ref: ResourceRef & { name: string }): void {
    const old = this.#objects.get(idOf(ref));
    if (old && this.#objects.delete(idOf(ref))) this.#tell({ type: 'deleted', object: old, old });
  }

  object<T extends KubeObject>(ref: ResourceRef & { name: string }): T | undefined {
    const found = this.#objects.get(idOf(ref));
    return found && (copyJson(found) as T);
  }

  objects<T extends KubeObject>(kind: string): T[] {
    return [...this.#objects.values()].filter((object) => object.kind === kind).map((object) => copyJson(object) as T);
  }

  /** What an informer of the kind would show. */
  view<T extends KubeObject>(kind: string): ObjectView<T> {
    return {
      get: (namespace, name) =>
        [...this.#objects.values()].find(
          (object) =>
            object.kind === kind && (object.metadata.namespace ?? '') === namespace && object.metadata.name === name,
        ) as T | undefined,
      list: () => [...this.#objects.values()].filter((object) => object.kind === kind) as T[],
      subscribe: (listener) => {
        const listeners = this.#listeners.get(kind) ?? new Set();
        this.#listeners.set(kind, listeners);
        listeners.add(listener as never);
        return () => listeners.delete(listener as never);
      },
    };
  }

  /** A client of this cluster, with what reconcilers use; anything else throws. */
  readonly client: Client = this.#client();

  #client(): Client {
    const answer = {
      server: 'memory:',
      as: () => answer as unknown as Client,
      get: async (ref: ResourceRef & { name: string }) => this.#found('get', ref),
      find: async (ref: ResourceRef & { name: string }) => {
        this.#take(`get ${describe(ref)}`);
        return this.object(ref);
      },
      list: async (ref: ResourceRef) => {
        this.#take(`list ${ref.kind}`);
        const items = this.objects(ref.kind).filter(
          ({ metadata }) => !ref.namespace || metadata.namespace === ref.namespace,
        );
        return { items, metadata: { resourceVersion: String(this.#version) } };
      },
      create: async (object: KubeObject) => {
        this.#take(`create ${describe(object)}`);
        if (this.#objects.has(idOf(object))) throw refusal(409, 'AlreadyExists', describe(object));
        return this.put(object);
      },
      update: async (object: KubeObject) => {
        const old = this.#found('update', refOf(object));
        this.#check(old, object.metadata.resourceVersion);
        return this.put({ ...object, metadata: { ...object.metadata, uid: old.metadata.uid ?? '' } });
      },
      patch: async (
        ref: ResourceRef & { name: string },
        type: string,
        body: unknown,
        options: { subresource?: string } = {},
      ) => {
        if (type !== 'merge' && type !== 'json')
          throw new Error(`the memory cluster does not know patches of type ${type}`);
        const old = this.#found('patch', ref, options.subresource);
        this.#check(old, (body as KubeObject).metadata?.resourceVersion);
        return this.put(
          (type === 'json' ? applyJsonPatch(old, body as never) : applyMergePatch(old, body)) as KubeObject,
        );
      },
      delete: async (ref: ResourceRef & { name: string }) => {
        this.#found('delete', ref);
        this.remove(ref);
      },
      close: async () => undefined,
    };
    return answer as unknown as Client;
  }

  #found(verb: string, ref: ResourceRef & { name: string }, subresource = ''): KubeObject {
    this.#take(`${verb} ${describe(ref)}${subresource ? ` ${subresource}` : ''}`);
    const object = this.object(ref);
    if (!object) throw refusal(404, 'NotFound', describe(ref));
    return object;
  }

  #check(old: KubeObject, version: string | undefined): void {
    if (version !== undefined && version !== old.metadata.resourceVersion)
      throw refusal(409, 'Conflict', describe(refOf(old)));
  }

  #take(request: Request): void {
    this.requests.push(request);
    const fault = this.#faults.find(({ match, left }) => left > 0 && match.test(request));
    if (!fault) return;
    fault.left -= 1;
    throw refusal(fault.status, fault.reason, request);
  }

  #tell(change: InformerChange<KubeObject>): void {
    for (const listener of this.#listeners.get(change.object.kind) ?? []) listener(change);
  }
}

function refOf({ apiVersion, kind, metadata }: KubeObject): ResourceRef & { name: string } {
  return {
    apiVersion,
    kind,
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
    name: metadata.name ?? '',
  };
}

function idOf(of: KubeObject | (ResourceRef & { name: string })): string {
  const ref = 'metadata' in of ? refOf(of as KubeObject) : (of as ResourceRef & { name: string });
  return `${ref.kind} ${ref.namespace ?? ''}/${ref.name}`;
}

function describe(of: KubeObject | (ResourceRef & { name: string })): string {
  return idOf(of).replace(' /', ' ');
}

function refusal(status: number, reason: string, what: string): ApiError {
  return new ApiError(diagnose(injected, { message: `${reason}: ${what}` }), { status, reason });
}
