import { type Diagnosis, DiagnosisError, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import {
  type ApiResource,
  type Client,
  type Clock,
  isForbidden,
  type KubeObject,
  keyOf,
  keyString,
  type ObjectKey,
  parseApiVersion,
  pause,
  systemClock,
} from '@tiphys/kubernetes';
import { type HealthContext, healthOf } from '../health/health.ts';
import type { Health, Host, TreeNode } from '../model/model.ts';
import type { TrackingRule } from '../model/tracking.ts';
import { type CacheSettings, resourceSelector } from './cache-settings.ts';
import { type CachedNode, cachedNode } from './cached-node.ts';
import { type CacheChange, ChangeFeed } from './change-feed.ts';
import { Definitions } from './definitions.ts';
import { hostsOf, roomOf } from './host-facts.ts';
import { isNewer } from './is-newer.ts';
import { ObjectKeeper } from './kept-object.ts';
import { KindWatch } from './kind-watch.ts';
import { ObjectStore, treeNode } from './object-store.ts';
import { ServedKinds } from './served-kinds.ts';

export interface CacheOptions {
  readonly settings: CacheSettings;
  readonly clock?: Clock;
  /** Health by settings; asked before the built-in rules. */
  readonly health?: HealthContext;
  readonly log?: (message: string, facts: Readonly<Record<string, unknown>>) => void;
}

export interface CacheInfo {
  readonly server: string;
  /** `v1.34.4`; empty while unknown. */
  readonly version: string;
  readonly synced: boolean;
  readonly objects: number;
  readonly managed: number;
  /** Kinds that are watched. */
  readonly kinds: number;
  readonly relists: number;
  /** When the server last said anything, in milliseconds since the epoch; 0 before that. */
  readonly lastEventAt: number;
  /** Why the cluster cannot be seen at all, while it cannot. */
  readonly diagnosis?: Diagnosis;
  /** Why single kinds (`group/Kind`) or groups (`group/version`) cannot be seen; the others are up to date. */
  readonly unavailable: ReadonlyMap<string, Diagnosis>;
}

const cacheStopped = defineDiagnosis(
  'ClusterCacheStopped',
  'The connection to a cluster was made anew while something waited for it',
);

/** The cache follows its cluster no more: its Secret or the settings have changed, and another one takes its place. */
export class CacheStopped extends DiagnosisError {
  constructor(server: string) {
    const diagnosis = diagnose(cacheStopped, {
      message: `The connection to ${server} is made anew, since its Secret or the settings of clusters have changed`,
      place: { remote: server },
      remedies: ['Nothing is to be done: it is tried again by itself'],
    });
    super(diagnosis, { handling: 'retryable' });
    this.name = 'CacheStopped';
  }
}

const rediscoverAfter = 300;
/** While discovery does not tell yet of what a definition promises. */
const rediscoverPromised = 500;
const rediscoverEvery = 10 * 60_000;
const retryDelay = 2000;

/**
 * What a cluster holds, kept up to date by watches of every kind that can be listed and watched, in its preferred version.
 * Kinds that are refused or unavailable are named and leave the others alone. Of objects that are tracked to an
 * application the whole is kept, of others a projection. One cache serves all applications of a cluster.
 */
export class ClusterCache {
  readonly client: Client;
  readonly #settings: CacheSettings;
  readonly #clock: Clock;
  #health: HealthContext;
  readonly #log: NonNullable<CacheOptions['log']>;
  readonly #selects: (group: string, kind: string) => boolean;
  readonly #served: ServedKinds;
  readonly #store = new ObjectStore();
  readonly #feed = new ChangeFeed();
  readonly #keeper = new ObjectKeeper();
  readonly #watches = new Map<string, KindWatch[]>();
  readonly #definitions = new Definitions();
  readonly #loaded = new WeakMap<CachedNode, KubeObject>();
  /** Nodes whose health was assessed by other settings. */
  readonly #outdated = new Set<string>();
  #version = '';
  #signal: AbortSignal | undefined;
  #discovered = Promise.withResolvers<void>();
  #connection: Diagnosis | undefined;
  #lastEventAt = 0;
  #rediscovery: Promise<void> | undefined;

  constructor(client: Client, options: CacheOptions) {
    this.client = client;
    this.#settings = options.settings;
    this.#clock = options.clock ?? systemClock;
    this.#health = options.health ?? {};
    this.#log = options.log ?? (() => undefined);
    this.#selects = resourceSelector(options.settings, client.server);
    this.#served = new ServedKinds(options.settings, this.#selects);
    this.#discovered.promise.catch(() => undefined);
  }

  get tracking(): TrackingRule {
    return this.#settings.tracking;
  }

  /** Starts to follow the cluster until the signal aborts; returns at once. Call it once. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    // who waits for the first look must not wait for one that nobody takes any more
    signal.addEventListener('abort', () => this.#discovered.resolve(), { once: true });
    void this.#discoverForever(signal);
  }

  /**
   * Resolves once every kind was listed or refused. Throws why the cluster cannot be reached, and `CacheStopped` where the cache
   * was stopped before: what it holds then may be a part.
   */
  async ensureSynced(): Promise<void> {
    await this.#discovered.promise;
    const unsettled = [...this.#watches.values()].flat().filter(({ state }) => !state.settled);
    if (unsettled.length > 0) await Promise.all(unsettled.map(({ settled }) => settled));
    if (this.#signal?.aborted) throw new CacheStopped(this.client.server);
    if (this.#connection) throw new DiagnosisError(this.#connection, { handling: 'retryable' });
  }

  /** Health of a live object by the settings and the built-in rules; as the cache knows it where it is the same object. */
  healthOf(object: KubeObject): Health | undefined {
    const node = this.#store.get(keyString(keyOf(object)));
    const known = node?.uid === object.metadata.uid && node?.resourceVersion === object.metadata.resourceVersion;
    return known ? node?.health : healthOf(object, this.#health);
  }

  /** Assesses the kinds that other settings concern anew; of objects that are not kept whole the server is asked. */
  useHealth(health: HealthContext, concerns: (group: string, kind: string) => boolean): void {
    this.#health = health;
    for (const [id, watches] of this.#watches) {
      const { group, kind } = watches[0]?.resource ?? { group: '', kind: '' };
      if (!concerns(group, kind)) continue;
      let partial = false;
      for (const node of [...this.#store.ofKind(group, kind)]) {
        this.#outdated.add(node.id);
        if (node.kept) this.#put(node.kept.object);
        else partial = true;
      }
      if (!partial) continue;
      for (const watch of watches) watch.stop();
      this.#watches.delete(id);
    }
    if (this.#signal) this.#adjustWatches(this.#signal);
  }

  /** The whole object, if it is tracked to an application. Not a copy: treat as read-only. */
  get(key: ObjectKey): KubeObject | undefined {
    return this.#store.get(keyString(key))?.kept?.object;
  }

  /** What gives an object of this cluster back later, without keeping it whole meanwhile where the cache has it. */
  later(object: KubeObject): () => KubeObject {
    const kept = this.#store.get(keyString(keyOf(object)))?.kept;
    return kept?.holds(object) ? () => kept.object : () => object;
  }

  /** What is known of an object of any kind that is watched. */
  node(key: ObjectKey): CachedNode | undefined {
    return this.#store.get(keyString(key));
  }

  /** Live objects tracked to the instance, without those that have owners. */
  managed(instance: string): KubeObject[] {
    return [...this.#store.ofInstance(instance)].flatMap(({ kept }) => (kept ? [kept.object] : []));
  }

  /** Names of all instances that own objects. */
  instances(): string[] {
    return [...this.#store.instances()];
  }

  /** Objects of a namespace, whatever they belong to. */
  inNamespace(namespace: string): CachedNode[] {
    return [...this.#store.ofNamespace(namespace)];
  }

  /** The roots that exist and everything that belongs to them; parents before children. */
  tree(roots: readonly ObjectKey[]): TreeNode[] {
    const nodes = this.#store.tree(roots);
    const ids = new Set(nodes.map(({ id }) => id));
    return nodes.map((node) => treeNode(node, this.#store, ids));
  }

  /** The nodes that these pods run on; none where nodes are not watched. */
  hosts(pods: readonly ObjectKey[]): Host[] {
    const own = new Set(pods.map(keyString));
    return own.size > 0 ? hostsOf(this.#store.ofKind('', 'Node'), this.#store.ofKind('', 'Pod'), own) : [];
  }

  /** What requests of pods leave free on each node: cpu in thousandths, memory in bytes; empty where nodes are not watched. */
  room(): { name: string; cpu: number; memory: number }[] {
    return roomOf(this.#store.ofKind('', 'Node'), this.#store.ofKind('', 'Pod'));
  }

  /** Top-level objects of a namespace that belong to no application, as roots of trees of their own. */
  orphans(namespace: string): TreeNode[] {
    const roots = this.inNamespace(namespace).filter(
      (node) => !node.instance && this.#store.parents(node).length === 0 && node.owners.length === 0,
    );
    return this.tree(roots.map(({ key }) => key));
  }

  /** Changes from now on, in batches; returns what ends it. A subscriber must not throw. */
  subscribe(subscriber: (changes: readonly CacheChange[]) => void): () => void {
    return this.#feed.subscribe(subscriber);
  }

  /** The object at the wanted version, whole: from the cache if it has it so, else from the server. */
  async load(
    ref: { apiVersion: string; kind: string; namespace?: string; name: string },
    signal?: AbortSignal,
  ): Promise<KubeObject | undefined> {
    const { group, version } = parseApiVersion(ref.apiVersion);
    const namespace = ref.namespace ?? '';
    const node = this.#store.get(keyString({ group, kind: ref.kind, namespace, name: ref.name }));
    if (node?.kept && node.version === version) return node.kept.object;
    if (!node && this.watches(group, ref.kind)) return undefined;
    const known = node && this.#loaded.get(node);
    if (known?.apiVersion === ref.apiVersion) return known;
    const { namespace: _, ...rest } = ref;
    const object = await this.client.find(namespace ? { ...rest, namespace } : rest, signal ? { signal } : {});
    // good for as long as the node is: a change of the object makes another node
    if (node && object?.metadata.resourceVersion === node.resourceVersion) this.#loaded.set(node, object);
    return object;
  }

  /** Whether the cache sees all objects of the kind, so that what it does not have does not exist. */
  watches(group: string, kind: string): boolean {
    const watches = this.#watches.get(`${group}/${kind}`);
    return (
      watches !== undefined &&
      watches.length > 0 &&
      !this.#settings.namespaces?.length &&
      watches.every(({ state }) => state.synced && !state.error)
    );
  }

  /** Takes in an object that a write gave back, so that the next look sees the write; older states are left out. */
  observe(object: KubeObject): void {
    const { group, version } = parseApiVersion(object.apiVersion);
    const preferred = this.#served.watched.get(`${group}/${object.kind}`);
    if (preferred && preferred.version === version) this.#put(object);
  }

  /** Takes note that an object was found to be gone. */
  forget(key: ObjectKey, uid?: string): void {
    const node = this.#store.get(keyString(key));
    if (node && (!uid || node.uid === uid)) this.#remove(node.id);
  }

  /** The kinds that are watched, in the preferred version. */
  apiResources(): readonly ApiResource[] {
    return [...this.#served.watched.values()];
  }

  /** `v1`, `apps/v1`, `apps/v1/Deployment`, …: what charts are told about the cluster. */
  apiVersions(): readonly string[] {
    return this.#served.apiVersions();
  }

  /** `v1.34.4`; empty before the first contact. */
  serverVersion(): string {
    return this.#version;
  }

  /** The served resource of the kind in that version, from the last discovery. */
  find(apiVersion: string, kind: string): ApiResource | undefined {
    return this.#served.find(apiVersion, kind);
  }

  /** The kind in any version. */
  findKind(group: string, kind: string): ApiResource | undefined {
    return this.#served.findKind(group, kind);
  }

  /** Versions of the kind that the cluster serves, the preferred one first. */
  versionsOf(group: string, kind: string): string[] {
    return this.#served.versionsOf(group, kind);
  }

  /** Whether settings leave the kind out. */
  excludes(group: string, kind: string): boolean {
    return !this.#selects(group, kind);
  }

  info(): CacheInfo {
    const watches = [...this.#watches.values()].flat();
    const unavailable = new Map<string, Diagnosis>();
    for (const { resource, state } of watches)
      if (state.error) unavailable.set(`${resource.group}/${resource.kind}`, state.error);
    return {
      server: this.client.server,
      version: this.#version,
      synced: watches.length > 0 && watches.every(({ state }) => state.settled),
      objects: this.#store.size,
      managed: this.#store.managed,
      kinds: this.#watches.size,
      relists: watches.reduce((sum, { state }) => sum + Math.max(0, state.relists - 1), 0),
      lastEventAt: this.#lastEventAt,
      ...(this.#connection ? { diagnosis: this.#connection } : {}),
      unavailable,
    };
  }

  /** API groups that the cluster announces but cannot serve, with the reason. */
  unavailableGroups(): ReadonlyMap<string, string> {
    return this.#served.unavailable;
  }

  /** Forgets everything and reads the cluster again; `ensureSynced` waits for it. */
  invalidate(): void {
    for (const watches of this.#watches.values()) for (const watch of watches) watch.stop();
    this.#watches.clear();
    this.#rediscover();
  }

  async #discoverForever(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#discover(signal);
      // rejection means the end of the loop, which its condition sees
      await pause(this.#clock, this.#connection ? retryDelay : rediscoverEvery, signal);
    }
  }

  async #discover(signal: AbortSignal): Promise<void> {
    try {
      this.client.discovery.invalidate();
      const [resources, version] = await Promise.all([
        this.client.discovery.resources(),
        this.client.discovery.version(),
      ]);
      this.#served.learn(resources, this.client.discovery.unavailable());
      this.#version = version.gitVersion;
      this.#alive();
      if (!signal.aborted) this.#adjustWatches(signal);
      if (this.#definitions.isAwaiting(resources, this.#clock.now())) this.#rediscover(rediscoverPromised);
    } catch (error) {
      if (signal.aborted) return;
      this.#connection = diagnosisOf(error);
      this.#log('discovery failed', { server: this.client.server, diagnosis: this.#connection.message });
    }
    this.#discovered.resolve();
  }

  #adjustWatches(signal: AbortSignal): void {
    const wanted = this.#served.watched;
    for (const [id, watches] of [...this.#watches]) {
      const now = wanted.get(id);
      const [first] = watches;
      if (now && first && now.version === first.resource.version) continue;
      if (!now && first && this.#served.isUnavailable(first.resource.group)) continue;
      for (const watch of watches) watch.stop();
      this.#watches.delete(id);
      if (!now && first)
        for (const node of [...this.#store.ofKind(first.resource.group, first.resource.kind)]) this.#remove(node.id);
    }
    for (const [id, resource] of wanted) {
      if (this.#watches.has(id)) continue;
      const namespaces =
        resource.namespaced && this.#settings.namespaces?.length ? this.#settings.namespaces : [undefined];
      const watches = namespaces.map(
        (namespace) => new KindWatch(this.client, this.#clock, resource, this.#sink(resource, namespace), namespace),
      );
      this.#watches.set(id, watches);
      for (const watch of watches) watch.start(signal);
    }
  }

  #sink({ group, kind }: ApiResource, namespace: string | undefined) {
    return {
      put: (object: KubeObject) => this.#put(object),
      remove: (object: KubeObject) => this.#removeObject(object),
      retain: (ids: ReadonlySet<string>) => {
        for (const node of [...this.#store.ofKind(group, kind)]) {
          if (!ids.has(node.id) && (!namespace || node.key.namespace === namespace)) this.#remove(node.id);
        }
      },
      alive: () => this.#alive(),
      vanished: () => this.#rediscover(),
      failed: (error: unknown) => this.#failed(error),
      idOf: (object: KubeObject) => keyString(keyOf(object)),
    };
  }

  #alive(): void {
    this.#lastEventAt = this.#clock.now();
    this.#connection = undefined;
  }

  #failed(error: unknown): void {
    const diagnosis = diagnosisOf(error);
    // what the server answers about one kind says nothing about the others
    const answered =
      error instanceof DiagnosisError && 'status' in error && (error as { status?: number }).status !== 401;
    if (!answered) this.#connection = diagnosis;
    if (!isForbidden(error)) this.#log('watch failed', { server: this.client.server, diagnosis: diagnosis.message });
  }

  #rediscover(after = rediscoverAfter): void {
    if (this.#signal) this.#rediscovery ??= this.#discoverAfter(after, this.#signal);
  }

  async #discoverAfter(milliseconds: number, signal: AbortSignal): Promise<void> {
    await pause(this.#clock, milliseconds, signal);
    this.#rediscovery = undefined;
    if (!signal.aborted) await this.#discover(signal);
  }

  #put(object: KubeObject): void {
    const node = cachedNode(object, this.#settings, this.#health);
    const old = this.#store.get(node.id);
    const outdated = this.#outdated.delete(node.id) && old?.resourceVersion === node.resourceVersion;
    if (!outdated && old && old.uid === node.uid && !isNewer(node.resourceVersion, old.resourceVersion)) return;
    const before = old ? this.#store.instancesOf(old) : [];
    this.#store.put(node);
    if (old?.kept) this.#keeper.release(old.kept);
    if (node.kept) this.#keeper.add(node.kept);
    this.#tell(node.id, node.key, before, old, node);
    if (isDefinition(node.key) && this.#definitions.put(node.id, object, this.#served.resources, this.#clock.now()))
      this.#rediscover();
  }

  #removeObject(object: KubeObject): void {
    const id = keyString(keyOf(object));
    const old = this.#store.get(id);
    // the event of an object that was made anew meanwhile
    if (old && object.metadata.uid && old.uid !== object.metadata.uid) return;
    this.#remove(id);
  }

  #remove(id: string): void {
    const old = this.#store.get(id);
    if (!old) return;
    const instances = this.#store.instancesOf(old);
    this.#store.delete(id);
    if (old.kept) this.#keeper.release(old.kept);
    this.#outdated.delete(id);
    this.#tell(id, old.key, instances, old, undefined);
    if (!isDefinition(old.key)) return;
    this.#definitions.remove(id);
    this.#rediscover();
  }

  #tell(
    id: string,
    key: ObjectKey,
    before: readonly string[],
    old: CachedNode | undefined,
    now: CachedNode | undefined,
  ): void {
    const after = now ? this.#store.instancesOf(now) : [];
    const instances = before.length === 0 ? after : [...new Set([...before, ...after])];
    this.#feed.add(id, { key, instances, ...(old ? { old } : {}), ...(now ? { new: now } : {}) });
  }
}

function isDefinition({ kind }: ObjectKey): boolean {
  return kind === 'CustomResourceDefinition' || kind === 'APIService';
}
