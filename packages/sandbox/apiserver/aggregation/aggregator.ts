import { isDeepStrictEqual } from 'node:util';
import {
  type AggregatedVersion,
  fieldManagerOf,
  follow,
  type Resource,
  type ServerContext,
  timestamp,
} from '@tiphys/apimachinery';
import type { ApiService, AvailableCondition } from '@tiphys/kinds';
import type { KubeObject } from '@tiphys/kubernetes';
import { checkAvailability, type Verdict } from './availability.ts';
import { remoteResources } from './remote-discovery.ts';
import { type RemoteDocuments, remoteDocuments } from './remote-openapi.ts';
import type { FrontProxy } from './remote-server.ts';

const COLLECTION = 'apiregistration.k8s.io/apiservices';
/** How often servers are looked at that nothing has been heard of; sooner after a failure. */
const RECHECK = 30_000;
const FIRST_RETRY = 250;

/** What is kept for one APIService that names a service. */
interface Remote {
  object: ApiService;
  checking: boolean;
  /** Something changed while it was being checked. */
  dirty: boolean;
  /** Ends the wait for the next check. */
  wake: AbortController;
  failures: number;
}

/**
 * Follows the APIServices that name a service: finds out whether their servers can be asked, writes that into their
 * condition Available, and shows what they serve in discovery.
 */
export class Aggregator {
  readonly frontProxy: FrontProxy;
  readonly #server: ServerContext;
  readonly #closing: AbortSignal;
  readonly #remotes = new Map<string, Remote>();
  readonly #documents: (name: string, documents: RemoteDocuments | undefined) => void;

  /** `documents` is told what each APIService's server says in OpenAPI, and when that is no more. */
  constructor(
    server: ServerContext,
    frontProxy: FrontProxy,
    closing: AbortSignal,
    documents: (name: string, documents: RemoteDocuments | undefined) => void,
  ) {
    this.#server = server;
    this.#documents = documents;
    this.frontProxy = frontProxy;
    this.#closing = closing;
  }

  /** Follows what is stored, and from now on what is written. */
  load(): void {
    const { store } = this.#server;
    const services = store.collection(COLLECTION);
    for (const key of services.keys()) this.#follow(key, services.get(key)?.object as ApiService);
    follow(store, COLLECTION, ({ item, type }) =>
      this.#follow(item.key, type === 'DELETED' ? undefined : (item.object as ApiService)),
    );
    follow(store, 'services', ({ item }) => this.#recheck(item.object.metadata));
    follow(store, 'discovery.k8s.io/endpointslices', ({ item }) => {
      const { namespace, labels } = item.object.metadata;
      this.#recheck({ namespace, name: labels?.['kubernetes.io/service-name'] });
    });
  }

  /** The APIService of a version that another server serves; undefined for those that are served here. */
  find(group: string, version: string): ApiService | undefined {
    return this.#remotes.size ? this.#remotes.get(`${version}.${group}`)?.object : undefined;
  }

  /** The APIService of that name, if it names a service. */
  named(name: string): ApiService | undefined {
    return this.#remotes.get(name)?.object;
  }

  #follow(name: string, object: ApiService | undefined): void {
    const known = this.#remotes.get(name);
    if (!object?.spec.service) {
      if (!known) return;
      known.wake.abort();
      this.#remotes.delete(name);
      this.#server.registry.aggregate(name, undefined);
      this.#documents(name, undefined);
      return;
    }
    const before = known?.object;
    const remote = known ?? { object, checking: false, dirty: false, wake: new AbortController(), failures: 0 };
    remote.object = object;
    this.#remotes.set(name, remote);
    if (!known) this.#server.registry.aggregate(name, versionOf(object, undefined));
    if (!isDeepStrictEqual(before?.spec, object.spec)) this.#check(name);
  }

  #recheck({ namespace, name }: { namespace?: string | undefined; name?: string | undefined }): void {
    for (const [key, { object }] of this.#remotes)
      if (object.spec.service?.name === name && object.spec.service?.namespace === namespace) this.#check(key);
  }

  #check(name: string): void {
    const remote = this.#remotes.get(name);
    if (!remote || this.#closing.aborted) return;
    if (remote.checking) {
      remote.dirty = true;
      return;
    }
    remote.checking = true;
    remote.wake.abort();
    void this.#run(name, remote);
  }

  async #run(name: string, remote: Remote): Promise<void> {
    do {
      remote.dirty = false;
      const verdict = await checkAvailability(this.#server, remote.object, this.frontProxy);
      if (this.#closing.aborted || this.#remotes.get(name) !== remote) return;
      remote.failures = verdict.reason === 'FailedDiscoveryCheck' ? remote.failures + 1 : 0;
      // Anyone who sees the condition sees the discovery that goes with it.
      await this.#discover(name, verdict.status === 'True');
      this.#write(name, verdict);
      if (verdict.status === 'True') await this.#document(name);
    } while (remote.dirty);
    remote.checking = false;
    remote.wake = new AbortController();
    const wait = remote.failures ? Math.min(FIRST_RETRY * 2 ** remote.failures, RECHECK) : RECHECK;
    const signal = AbortSignal.any([remote.wake.signal, this.#closing]);
    this.#server.clock.sleep(wait, signal).then(
      () => this.#check(name),
      (error: unknown) => {
        if (!signal.aborted) throw error;
      },
    );
  }

  /** Writes the condition, if it says anything new. */
  #write(name: string, verdict: Verdict): void {
    const { store, clock, registry } = this.#server;
    const collection = store.collection(COLLECTION);
    const object = collection.get(name)?.object as ApiService | undefined;
    if (!object) return;
    const { conditions = [] } = object.status ?? {};
    const old = conditions.find(({ type }) => type === 'Available');
    const lastTransitionTime = old?.status === verdict.status ? old.lastTransitionTime : timestamp(clock);
    const condition: AvailableCondition = { type: 'Available', lastTransitionTime, ...verdict };
    if (isDeepStrictEqual(old, condition)) return;
    const rest = conditions.filter(({ type }) => type !== 'Available');
    const next: KubeObject = { ...object, status: { ...object.status, conditions: [...rest, condition] } };
    const resource = registry.find('apiregistration.k8s.io', 'v1', 'apiservices') as Resource;
    store.put(
      collection,
      name,
      fieldManagerOf(this.#server, resource, 'status').update(object, next, 'kube-apiserver'),
    );
  }

  /** Looks what the server serves; it has no resources, and is stale, where it does not say. */
  async #discover(name: string, available: boolean): Promise<void> {
    const object = this.#remotes.get(name)?.object;
    if (!object) return;
    let resources: unknown[] | undefined;
    try {
      if (available) resources = await remoteResources(this.#server, object, this.frontProxy);
    } catch {
      // what it says, or why it says nothing, is reported by the condition and by anyone who asks it
      resources = undefined;
    }
    if (this.#remotes.has(name)) this.#server.registry.aggregate(name, versionOf(object, resources));
  }

  /** Takes over what the server says in OpenAPI; what it said before stays where it cannot be asked. */
  async #document(name: string): Promise<void> {
    const object = this.#remotes.get(name)?.object;
    if (!object) return;
    try {
      const documents = await remoteDocuments(this.#server, object, this.frontProxy);
      if (this.#remotes.has(name)) this.#documents(name, documents);
    } catch {
      // a server need not have any; it is asked again with the next check
    }
  }
}

function versionOf({ spec }: ApiService, resources: readonly unknown[] | undefined): AggregatedVersion {
  const { group = '', version = '', groupPriorityMinimum: groupPriority, versionPriority } = spec;
  return {
    group,
    version,
    groupPriority,
    versionPriority,
    fresh: resources !== undefined,
    ...(resources ? { resources } : {}),
  };
}
