import { type ApplicationDestination, names } from '@tiphys/api';
import { defineDiagnosis, failure, nearestName, type Remedy } from '@tiphys/diagnosis';
import { type CacheSettings, ClusterCache } from '@tiphys/engine';
import {
  type Client,
  type Clock,
  type ClusterConfig,
  connect,
  type Informer,
  type KubeObject,
  type RequestRecord,
} from '@tiphys/kubernetes';
import { commaList } from '../settings/comma-list.ts';
import type { HealthSettings } from '../settings/health-settings.ts';
import { clusterConfigOf, secretText } from './cluster-secret.ts';

const clusterNotFound = defineDiagnosis(
  'ClusterNotFound',
  'The destination names a cluster that is not registered',
  'C17',
);
const destinationInvalid = defineDiagnosis('DestinationInvalid', 'spec.destination does not name exactly one cluster');

/** Address under which the cluster that holds the control plane is always registered. */
export const inClusterServer = 'https://kubernetes.default.svc';
const inClusterName = 'in-cluster';

/** A registered cluster with its connection and its cache of live objects. */
export interface ClusterHandle {
  readonly server: string;
  readonly name: string;
  /** Project that the cluster is scoped to; empty for none. */
  readonly project: string;
  readonly client: Client;
  readonly cache: ClusterCache;
  /** Namespaced mode: nothing else of the cluster is managed. Empty for all of it. */
  readonly namespaces: readonly string[];
  /** Whether cluster-scoped objects are managed in namespaced mode. */
  readonly clusterResources: boolean;
  /** Names of all Secrets that register the address, where there are several: the one that is used comes first. */
  readonly declaredBy?: readonly string[];
}

/** What is declared of a cluster; the control plane's own needs no Secret. */
interface RegisteredCluster {
  readonly server: string;
  readonly name: string;
  readonly project: string;
  readonly secret?: KubeObject;
}

interface Registered extends ClusterHandle {
  /** Changes when the Secret changes: the connection is made anew then. */
  readonly version: string;
  readonly abort: AbortController;
}

export interface ClusterRegistryOptions {
  /** Client of the cluster that holds the control plane. */
  readonly control: Client;
  /** Cluster Secrets of the control-plane namespace. */
  readonly secrets: Informer<KubeObject>;
  /** What caches watch, with a text that changes when it does: the caches are made anew then. */
  readonly settings: () => { readonly value: CacheSettings; readonly id: string };
  readonly inClusterEnabled: () => boolean;
  /** Health checks of the settings. */
  readonly health: HealthSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Programs that clusters may get their credentials from, besides the usual; none if absent. */
  readonly execProviders?: readonly string[];
  /** Called once for each cache that is started. */
  readonly onCache: (handle: ClusterHandle) => void;
  /** Called for each request to a cluster other than the control plane's. */
  readonly onRequest?: (request: RequestRecord) => void;
}

/** The clusters that applications may be delivered to: the control plane's own and those of cluster Secrets. */
export class ClusterRegistry {
  readonly #options: ClusterRegistryOptions;
  /** By server; of a server that several Secrets have, those beyond the first by server and name of the Secret. */
  readonly #handles = new Map<string, Registered>();
  #declared: readonly RegisteredCluster[] | undefined;

  get execProviders(): readonly string[] {
    return this.#options.execProviders ?? [];
  }

  constructor(options: ClusterRegistryOptions) {
    this.#options = options;
    options.secrets.subscribe(({ object, old }) => {
      this.#declared = undefined;
      for (const secret of old ? [object, old] : [object]) this.#drop(serverOf(secret));
    });
  }

  /**
   * The cluster of a destination; its cache is started on first use.
   * Throws a diagnosis with the registered names if there is none. Upstream rule: server or name, not both.
   */
  resolve(destination: ApplicationDestination): ClusterHandle {
    const { server, name } = destination;
    if (server && name) {
      throw failure(destinationInvalid, {
        message: `application destination can't have both name and server defined: ${name} ${server}`,
        place: { field: 'spec.destination' },
        remedies: ['Remove spec.destination.name or spec.destination.server'],
      });
    }
    if (!server && !name) {
      throw failure(destinationInvalid, {
        message: 'Destination server missing from app spec',
        place: { field: 'spec.destination' },
        remedies: [{ text: 'Name a cluster', paste: `spec:\n  destination:\n    server: ${inClusterServer}` }],
      });
    }
    return this.#handle(server ? trimSlash(server) : this.#serverNamed(name as string), destination);
  }

  /** All registered clusters as server and name, the oldest Secret first; connects to none. */
  list(): readonly RegisteredCluster[] {
    const declared = this.#declaredOnes();
    if (!this.#options.inClusterEnabled()) return declared.filter(({ server }) => server !== inClusterServer);
    if (declared.some(({ server }) => server === inClusterServer)) return declared;
    return [{ server: inClusterServer, name: inClusterName, project: '' }, ...declared];
  }

  /** Those of Secrets; read once for all passes until a Secret changes. */
  #declaredOnes(): readonly RegisteredCluster[] {
    this.#declared ??= [...this.#options.secrets.list()].sort(byAge).map((secret) => ({
      server: serverOf(secret),
      name: secretText(secret, 'name') || serverOf(secret),
      project: secretText(secret, 'project'),
      secret,
    }));
    return this.#declared;
  }

  /** Address of a destination's cluster, without connecting to it; empty if there is none such. */
  serverOf({ server, name }: ApplicationDestination): string {
    if (server) return trimSlash(server);
    const matches = this.list().filter((cluster) => cluster.name === name);
    return matches.length === 1 ? (matches[0]?.server ?? '') : '';
  }

  /** The handle of a server that is in use already. */
  active(server: string): ClusterHandle | undefined {
    return this.#handles.get(trimSlash(server));
  }

  #serverNamed(name: string): string {
    const matches = this.list().filter((cluster) => cluster.name === name);
    if (matches.length === 1) return (matches[0] as { server: string }).server;
    const several = matches.length > 1;
    throw failure(several ? destinationInvalid : clusterNotFound, {
      message: several
        ? `there are ${matches.length} clusters with the name "${name}": ${matches.map((match) => match.server).join(' ')}`
        : `there are no clusters with this name: ${name}`,
      place: { field: 'spec.destination.name' },
      evidence: { registered: this.#registeredNames() },
      remedies: [several ? 'Use spec.destination.server' : this.#meant(name)],
    });
  }

  /** The name that was meant, where one differs by a slip, or by a blank at its end. */
  #meant(name: string): string | Remedy {
    const names = this.list().map((cluster) => cluster.name);
    const near = names.find((each) => each === name.trim()) ?? nearestName(name, names);
    if (near === undefined) return 'Register the cluster with `argocd cluster add`, or correct the name';
    return { text: `Write ${near}, which is registered`, paste: `spec:\n  destination:\n    name: ${near}` };
  }

  #handle(server: string, destination: ApplicationDestination): ClusterHandle {
    const same = this.list().filter((cluster) => cluster.server === server);
    // who names a cluster means the credential that is registered by that name
    const entry = same.find(({ name }) => name === destination.name) ?? same[0];
    if (!entry && server === inClusterServer) {
      throw failure(clusterNotFound, {
        message: `error getting cluster by server "${server}": cluster "${server}" is disabled`,
        place: { object: 'ConfigMap argocd-cm', field: 'data["cluster.inClusterEnabled"]' },
        remedies: ['Name another cluster, or remove the setting'],
      });
    }
    if (!entry) {
      throw failure(clusterNotFound, {
        message: `error getting cluster by server "${server}": the cluster is not registered`,
        place: { field: destination.name ? 'spec.destination.name' : 'spec.destination.server' },
        evidence: { registered: this.#registeredNames() },
        remedies: ['Register the cluster with `argocd cluster add`, or correct the address'],
      });
    }
    const version = `${entry.secret?.metadata.resourceVersion ?? ''} ${this.#options.settings().id}`;
    const key = entry === same[0] ? server : keyOf(server, entry.secret);
    const known = this.#handles.get(key);
    if (known && known.version === version) return known;
    this.#end(key);
    const others = same.filter((each) => each !== entry);
    const declaredBy = others.length === 0 ? [] : [entry, ...others].map(({ secret }) => secret?.metadata.name ?? '');
    return this.#connect(entry, { key, version, declaredBy });
  }

  #connect(
    entry: RegisteredCluster,
    { key, version, declaredBy }: { key: string; version: string; declaredBy: readonly string[] },
  ): ClusterHandle {
    const { control, clock, signal, settings, health, onCache, onRequest } = this.#options;
    const caller = { component: 'controller', purpose: 'cluster cache' };
    // A Secret for the own cluster names it or scopes it; its address is only known inside.
    const own = entry.server === inClusterServer;
    const config: ClusterConfig | undefined =
      own || !entry.secret ? undefined : clusterConfigOf(entry.secret, this.execProviders);
    const client = config
      ? connect(config, { caller, clock, ...(onRequest ? { onRequest } : {}) })
      : control.as(caller);
    const abort = new AbortController();
    const scope = scopeOf(entry.secret);
    const cache = new ClusterCache(client, {
      settings: { ...settings().value, ...scope },
      clock,
      health,
    });
    const handle: Registered = {
      server: entry.server,
      name: entry.name,
      project: entry.project,
      client,
      cache,
      namespaces: scope.namespaces ?? [],
      clusterResources: scope.clusterResources ?? true,
      ...(declaredBy.length > 0 ? { declaredBy } : {}),
      version,
      abort,
    };
    this.#handles.set(key, handle);
    health.follow(cache, abort.signal);
    cache.start(AbortSignal.any([signal, abort.signal]));
    onCache(handle);
    return handle;
  }

  /** A Secret has come, gone or changed: which of several is the first may be another now. */
  #drop(server: string): void {
    for (const [key, handle] of [...this.#handles]) if (handle.server === server) this.#end(key);
  }

  #end(key: string): void {
    this.#handles.get(key)?.abort.abort();
    this.#handles.delete(key);
  }

  #registeredNames(): string {
    return this.list()
      .map(({ name, server }) => (name === server ? server : `${name} (${server})`))
      .join(', ');
  }
}

/** Namespaced mode: a Secret with `namespaces` has only those watched, and cluster-scoped kinds only if it says so. */
function scopeOf(secret: KubeObject | undefined): Pick<CacheSettings, 'namespaces' | 'clusterResources'> {
  const namespaces = secret ? commaList(secretText(secret, 'namespaces')) : [];
  if (!secret || namespaces.length === 0) return {};
  return { namespaces, clusterResources: secretText(secret, 'clusterResources') === 'true' };
}

function serverOf(secret: KubeObject): string {
  return trimSlash(secretText(secret, 'server'));
}

function keyOf(server: string, secret: KubeObject | undefined): string {
  return `${server} ${secret?.metadata.name ?? ''}`;
}

function byAge(a: KubeObject, b: KubeObject): number {
  return ageOf(a) < ageOf(b) ? -1 : 1;
}

const ageOf = ({ metadata: { creationTimestamp = '', name = '' } }: KubeObject) => `${creationTimestamp} ${name}`;

function trimSlash(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

/** Label selector of cluster Secrets. */
export const clusterSecretSelector = `${names.labels.secretType}=cluster`;
