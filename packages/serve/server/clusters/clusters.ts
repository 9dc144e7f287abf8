import { names } from '@tiphys/api';
import type { Client } from '@tiphys/kubernetes';
import { Code, RpcError } from '../rpc/rpc-error.ts';
import { type ControlPlane, decodeSecret, type Secret } from '../settings/control-plane.ts';

/** A cluster as a Secret of the type `cluster` declares it, or the one that the control plane runs in. */
export interface Cluster {
  readonly server: string;
  readonly name: string;
  readonly project: string;
  readonly namespaces: readonly string[];
  readonly clusterResources: boolean;
  /** Argo CD's `ClusterConfig` JSON, with credentials. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly shard?: number;
  /** UID of the Secret; empty for the control plane's own. */
  readonly id: string;
  readonly secret?: Secret;
}

/** Clusters that applications may be deployed to. */
export class Clusters {
  readonly #plane: ControlPlane;

  constructor(plane: ControlPlane) {
    this.#plane = plane;
  }

  get client(): Client {
    return this.#plane.client;
  }

  /** All clusters; the control plane's own last, unless a Secret declares it or `cluster.inClusterEnabled` is false. */
  async list(): Promise<Cluster[]> {
    const [secrets, config] = await Promise.all([
      this.#plane.secretsOfType(names.secretTypes.cluster),
      this.#plane.configMap('argocd-cm'),
    ]);
    const own = config['cluster.inClusterEnabled'] !== 'false';
    const clusters = secrets
      .map(clusterOf)
      .filter((cluster) => own || cluster.server !== names.defaults.inClusterServer);
    if (own && !clusters.some((cluster) => cluster.server === names.defaults.inClusterServer)) clusters.push(inCluster);
    return clusters;
  }

  /** The cluster of a destination. Throws with Argo CD's words if it names none, two, or one that does not exist. */
  async resolve(destination: { server?: string | undefined; name?: string | undefined }): Promise<Cluster> {
    const { server = '', name = '' } = destination;
    if (name && server)
      throw new Error(`application destination can't have both name and server defined: ${name} ${server}`);
    const clusters = await this.list();
    if (server) {
      const url = server.replace(/(?<!\/)\/+$/, '');
      if (url === inCluster.server && !clusters.some((cluster) => cluster.server === url))
        throw new DestinationError(
          `error getting cluster by server "${server}": rpc error: code = NotFound desc = cluster "${url}" is disabled`,
        );
      const found = clusters.find((cluster) => cluster.server === url);
      if (!found)
        throw new DestinationError(
          `error getting cluster by server "${server}": rpc error: code = NotFound desc = cluster "${url}" ${url === names.defaults.inClusterServer ? 'is disabled' : 'not found'}`,
        );
      return found;
    }
    if (!name) throw new DestinationError('application destination is missing server or name');
    const found = clusters.filter((cluster) => cluster.name === name);
    if (found.length > 1)
      throw new DestinationError(
        `there are ${found.length} clusters with the same name: [${found.map((cluster) => cluster.server).join(' ')}]`,
      );
    if (!found[0]) throw new DestinationError(`there are no clusters with this name: ${name}`);
    return found[0];
  }

  /** The cluster with the URL or name; undefined if there is none. */
  async find(query: { server?: string | undefined; name?: string | undefined }): Promise<Cluster | undefined> {
    const url = query.server?.replace(/(?<!\/)\/+$/, '');
    return (await this.list()).find((cluster) => (url ? cluster.server === url : cluster.name === query.name));
  }
}

/** A destination that names no cluster. */
class DestinationError extends RpcError {
  constructor(message: string) {
    super(Code.InvalidArgument, message);
    this.name = 'DestinationError';
  }
}

export const inCluster: Cluster = {
  server: names.defaults.inClusterServer,
  name: names.defaults.inClusterName,
  project: '',
  namespaces: [],
  clusterResources: false,
  config: {},
  labels: {},
  annotations: {},
  id: '',
};

function clusterOf(secret: Secret): Cluster {
  const data = decodeSecret(secret);
  const { [names.labels.secretType]: _type, ...labels } = secret.metadata.labels ?? {};
  const {
    'kubectl.kubernetes.io/last-applied-configuration': _last,
    [names.annotations.managedBy]: _by,
    ...annotations
  } = secret.metadata.annotations ?? {};
  return {
    server: (data.server ?? '').replace(/(?<!\/)\/+$/, ''),
    name: data.name ?? '',
    project: data.project ?? '',
    namespaces: (data.namespaces ?? '')
      .split(',')
      .map((namespace) => namespace.trim())
      .filter(Boolean),
    clusterResources: data.clusterResources === 'true',
    config: parseConfig(data.config),
    labels,
    annotations,
    ...(data.shard ? { shard: Number(data.shard) } : {}),
    id: secret.metadata.uid ?? '',
    secret,
  };
}

/** A Secret with a broken config stays visible; connecting to it fails with the reason. */
function parseConfig(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}
