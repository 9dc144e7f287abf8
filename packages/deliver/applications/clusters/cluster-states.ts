import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import type { CacheInfo } from '@tiphys/engine';
import {
  type Client,
  type Clock,
  Informer,
  isAlreadyExists,
  isNotFound,
  type KubeObject,
  pause,
} from '@tiphys/kubernetes';
import type { ClusterHandle, ClusterRegistry } from './cluster-registry.ts';
import { type ClusterShards, shardLease } from './cluster-shards.ts';
import { plainVersion } from './cluster-version-label.ts';

const clusterUnattended = defineDiagnosis(
  'ClusterUnattended',
  'No controller delivers to the cluster at present',
  'P6',
);

/** What a process knows of the connection to one cluster and of its cache. */
export interface ClusterState {
  readonly server: string;
  readonly connected: boolean;
  /** `v1.34.4`; empty if unknown. */
  readonly version: string;
  /** Why it is not connected. */
  readonly diagnosis?: Diagnosis;
  /** Why the rest may not hold any more: nobody delivers to the cluster at present. */
  readonly unattended?: Diagnosis;
  /** Supported `group/version` and `group/version/Kind`. */
  readonly apiVersions: readonly string[];
  readonly applications: number;
  readonly resources: number;
  readonly apis: number;
  /** RFC 3339; absent if never synced. */
  readonly lastSyncAt?: string;
  /** RFC 3339; when `connected` was found out. */
  readonly attemptedAt?: string;
}

interface Published extends KubeObject {
  data?: Record<string, string>;
}

const stateLabel = 'tiphys.dev/cluster-state';
const stateKey = 'state.json';
const shardKey = 'shard';
/** Labels that tell it from the settings: those who watch these look at every application when one changes. */
const labels = { 'app.kubernetes.io/managed-by': 'tiphys', [stateLabel]: 'true' };
/** Milliseconds between two looks at what is to be told. */
const lookInterval = 2_000;
/** Counts alone are told anew after this time at the earliest, as upstream does it. */
const countInterval = 10_000;
/** The time of the last event alone is told anew after this time. */
const timeInterval = 60_000;
/** A Lease whose record has not changed for so long by our clock is held by nobody any more. */
const leaseTimeout = 30_000;

/**
 * What all processes know of the clusters. Anyone who delivers to a cluster tells its state in a ConfigMap
 * (`tiphys-cluster-state-…`), one a cluster, which all others watch; it is written only when there is news.
 */
export class ClusterStates {
  readonly #parts: ClusterStatesParts;
  readonly #published: Informer<Published>;
  readonly #told = new Map<string, { readonly state: ClusterState; readonly at: number }>();
  readonly #leases = new Map<number, { readonly record: string; readonly since: number }>();

  constructor(parts: ClusterStatesParts) {
    this.#parts = parts;
    const { client, namespace, clock } = parts;
    this.#published = new Informer<Published>(client, {
      ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace },
      labelSelector: `${stateLabel}=true`,
      clock,
    });
  }

  /** Resolves when what others tell is known; goes on telling what is known here until the signal. */
  async start(signal: AbortSignal): Promise<void> {
    this.#published.start(signal);
    await this.#published.synced;
    void this.#tell(signal);
  }

  /** From here if this process delivers to the cluster, else as told by who does; undefined if nobody knows. */
  async of(server: string): Promise<ClusterState | undefined> {
    const { clusters, shards } = this.#parts;
    const handle = clusters.active(server);
    if (handle && shards.hold(server)) return this.#own(handle);
    const told = this.#published.get(this.#parts.namespace, nameOf(server))?.data;
    if (!told?.[stateKey]) return handle && this.#own(handle);
    const state = JSON.parse(told[stateKey]) as ClusterState;
    const unattended = await this.#unattended(server, Number(told[shardKey] ?? 0));
    return { ...state, applications: this.#parts.applications(server), ...(unattended ? { unattended } : {}) };
  }

  #own({ server, cache }: ClusterHandle, info: CacheInfo = cache.info()): ClusterState {
    const at = info.lastEventAt ? new Date(info.lastEventAt).toISOString() : undefined;
    return {
      server,
      connected: info.diagnosis === undefined,
      version: plainVersion(cache.serverVersion()),
      ...(info.diagnosis ? { diagnosis: info.diagnosis } : {}),
      apiVersions: cache.apiVersions(),
      applications: this.#parts.applications(server),
      resources: info.objects,
      apis: info.kinds,
      ...(at ? { lastSyncAt: at, attemptedAt: at } : {}),
    };
  }

  async #tell(signal: AbortSignal): Promise<void> {
    const { clock, clusters, shards, onError } = this.#parts;
    while (!signal.aborted) {
      for (const { server, secret } of clusters.list()) {
        const handle = clusters.active(server);
        if (!handle || !shards.hold(server)) continue;
        const info = handle.cache.info();
        if (!info.synced && !info.diagnosis) continue;
        try {
          await this.#publish(this.#own(handle, info), secret, signal);
        } catch (error) {
          if (!signal.aborted) onError(`state of cluster ${server}`, error);
        }
      }
      await pause(clock, lookInterval, signal);
    }
  }

  async #publish(state: ClusterState, secret: KubeObject | undefined, signal: AbortSignal): Promise<void> {
    const { client, namespace, clock, shards } = this.#parts;
    const name = nameOf(state.server);
    const told = this.#told.get(state.server);
    const there = this.#published.get(namespace, name) !== undefined;
    if (there && told && !isNews(told.state, state, clock.now() - told.at)) return;
    const object: Published = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name,
        namespace,
        labels,
        // it goes when the cluster is declared no more
        ...(secret
          ? {
              ownerReferences: [
                {
                  apiVersion: 'v1',
                  kind: 'Secret',
                  name: secret.metadata.name ?? '',
                  uid: secret.metadata.uid ?? '',
                },
              ],
            }
          : {}),
      },
      data: { [stateKey]: JSON.stringify(state), [shardKey]: String(shards.shardOf(state.server)) },
    };
    try {
      await (there ? client.update(object, { signal }) : client.create(object, { signal }));
    } catch (error) {
      // gone or come since the watch told: the next look decides anew
      if (!isNotFound(error) && !isAlreadyExists(error)) throw error;
      return;
    }
    this.#told.set(state.server, { state, at: clock.now() });
  }

  /** Why nobody looks after a shard; others' clocks are not trusted, so that a Lease counts until it was seen not to change. */
  async #unattended(server: string, shard: number): Promise<Diagnosis | undefined> {
    const { client, namespace, clock } = this.#parts;
    const name = shardLease(shard);
    let lease: KubeObject | undefined;
    try {
      lease = await client.find({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name });
    } catch (error) {
      return diagnosisOf(error);
    }
    const spec = lease?.spec as { holderIdentity?: string; renewTime?: string } | undefined;
    const record = JSON.stringify(spec ?? {});
    const seen = this.#leases.get(shard);
    if (seen?.record !== record) this.#leases.set(shard, { record, since: clock.now() });
    const stands = seen?.record === record && clock.now() - seen.since >= leaseTimeout;
    if (spec?.holderIdentity && !stands) return undefined;
    return diagnose(clusterUnattended, {
      message: `No controller delivers to ${server} at present; what is shown of it is what was known last`,
      place: { object: `Lease ${namespace}/${name}` },
      evidence: { shard, ...(spec?.renewTime ? { 'last seen': spec.renewTime } : {}) },
      remedies: [
        `Start a controller that takes shard ${shard}, or look why it does not run: see ARGOCD_CONTROLLER_REPLICAS and ARGOCD_CONTROLLER_SHARD`,
      ],
    });
  }
}

export interface ClusterStatesParts {
  /** Client of the cluster that holds the control plane. */
  readonly client: Client;
  readonly namespace: string;
  readonly clock: Clock;
  readonly clusters: Pick<ClusterRegistry, 'active' | 'list'>;
  readonly shards: Pick<ClusterShards, 'hold' | 'shardOf'>;
  /** How many applications have the cluster as their destination. */
  readonly applications: (server: string) => number;
  readonly onError: (key: string, error: unknown) => void;
}

function nameOf(server: string): string {
  return `tiphys-cluster-state-${createHash('sha256').update(server).digest('hex').slice(0, 16)}`;
}

/** What a user would act on at once, counts less often, times seldom. */
function isNews(before: ClusterState, after: ClusterState, age: number): boolean {
  const essence = ({ connected, version, diagnosis, apiVersions, apis }: ClusterState) => [
    connected,
    version,
    diagnosis?.code,
    diagnosis?.message,
    apiVersions,
    apis,
  ];
  if (!isDeepStrictEqual(essence(before), essence(after))) return true;
  if (before.resources !== after.resources || before.applications !== after.applications) return age >= countInterval;
  return before.lastSyncAt !== after.lastSyncAt && age >= timeInterval;
}
