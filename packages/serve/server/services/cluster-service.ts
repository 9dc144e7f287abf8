import { isDeepStrictEqual } from 'node:util';
import { names, type services } from '@tiphys/api';
import { formatDiagnosis } from '@tiphys/diagnosis';
import { type KubeObject, timestamp } from '@tiphys/kubernetes';
import { type Cluster, inCluster } from '../clusters/clusters.ts';
import { rotateToken } from '../clusters/rotate-auth.ts';
import type { ServerContext } from '../context/server-context.ts';
import type { Call } from '../rpc/call.ts';
import { decodePart } from '../rpc/decode-part.ts';
import type { ServiceHandlers } from '../rpc/handlers.ts';
import { failedPrecondition, invalidArgument, permissionDenied } from '../rpc/rpc-error.ts';
import { encodeSecret } from '../settings/control-plane.ts';
import { clusterSecretName } from '../settings/secret-name.ts';

interface Query {
  server?: string | undefined;
  name?: string | undefined;
  id?: { type?: string | undefined; value?: string | undefined } | undefined;
}

/** A cluster in Argo CD's JSON as requests carry it. */
interface ClusterJson {
  server?: string | undefined;
  name?: string | undefined;
  config?: unknown;
  namespaces?: string[] | undefined;
  shard?: number | undefined;
  clusterResources?: boolean | undefined;
  project?: string | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
}

/** The version of a cluster (`v1.34.4`), and when it told it. */
interface Seen {
  readonly version: string;
  readonly at: string;
}

export function clusterService(context: ServerContext): ServiceHandlers<typeof services.cluster> {
  const { clusters, backend, plane } = context;

  /** A cluster that is not there and one that may not be used are the same to the caller. */
  const access = async (request: Query, call: Call, action: string): Promise<Cluster> => {
    const found = await clusters.find(queryOf(request));
    if (!found || !(await context.enforcer()).allows(call.identity, 'clusters', action, rbacObject(found)))
      throw permissionDenied();
    return found;
  };

  /** `v1.34.4`; the control plane's own cluster is known without an application there. Empty if it does not answer. */
  const ownVersion = async (): Promise<string> => {
    try {
      const { gitVersion } = await context.client.discovery.version();
      return `v${gitVersion.replace(/^v/, '').match(/^[\d.]+/)?.[0] ?? ''}`;
    } catch (error) {
      context.log('warn', 'the version of the cluster could not be read', { error: String(error) });
      return '';
    }
  };

  /** `seen` is what the cluster has just answered itself. */
  const answer = async (cluster: Cluster, seen?: Seen) => {
    const state = await backend.clusterState(cluster.server);
    const serverVersion =
      cluster.server === inCluster.server ? await ownVersion() : seen ? seen.version : (state?.version ?? '');
    const connected = seen !== undefined || (state ? state.connected : serverVersion !== '');
    const problem = seen ? undefined : (state?.unattended ?? state?.diagnosis);
    const connectionState = {
      status: state?.unattended && !seen ? 'Unknown' : connected ? 'Successful' : state ? 'Failed' : 'Unknown',
      message: problem
        ? formatDiagnosis(problem)
        : connected || state
          ? ''
          : 'Cluster has no applications and is not being monitored.',
      ...(seen || state?.attemptedAt ? { attemptedAt: seen?.at ?? state?.attemptedAt } : {}),
    };
    return {
      server: cluster.server,
      name: cluster.name,
      project: cluster.project,
      namespaces: [...cluster.namespaces],
      clusterResources: cluster.clusterResources,
      labels: { ...cluster.labels },
      annotations: { ...cluster.annotations },
      config: sanitizedConfig(cluster.config),
      connectionState,
      serverVersion,
      ...(cluster.shard === undefined ? {} : { shard: cluster.shard }),
      info: {
        connectionState,
        serverVersion,
        applicationsCount: state?.applications ?? 0,
        apiVersions: [...(state?.apiVersions ?? [])],
        cacheInfo: {
          resourcesCount: state?.resources ?? 0,
          apisCount: state?.apis ?? 0,
          ...(state?.lastSyncAt ? { lastCacheSyncTime: state.lastSyncAt } : {}),
        },
      },
    };
  };

  const store = async (json: ClusterJson, existing: Cluster | undefined, seen?: Seen) => {
    const data = encodeSecret(clusterData(json));
    const metadata: KubeObject['metadata'] = {
      ...(existing?.secret?.metadata ?? { name: clusterSecretName(json.server ?? ''), namespace: context.namespace }),
      labels: { ...json.labels, [names.labels.secretType]: names.secretTypes.cluster },
      annotations: {
        ...json.annotations,
        [names.annotations.managedBy]: existing?.secret
          ? (existing.secret.metadata.annotations?.[names.annotations.managedBy] ?? '')
          : names.managedByValue,
      },
    };
    if (metadata.annotations?.[names.annotations.managedBy] === '')
      delete metadata.annotations[names.annotations.managedBy];
    const secret: KubeObject = { ...(existing?.secret ?? {}), apiVersion: 'v1', kind: 'Secret', metadata, data };
    if (existing?.secret) await plane.updateSecret(secret);
    else await plane.createSecret(secret);
    return await answer((await clusters.find({ server: json.server })) as Cluster, seen);
  };

  /** The control plane's own cluster answers already, and its address need not resolve outside of it. */
  const test = async (server: string, config: unknown): Promise<Seen | undefined> => {
    if (server.replace(/(?<!\/)\/+$/, '') === inCluster.server) return undefined;
    const { version } = await backend.testCluster({ server, config: (config ?? {}) as Record<string, unknown> });
    return { version, at: new Date(context.clock.now()).toISOString() };
  };

  return {
    async list(request, call) {
      const enforcer = await context.enforcer();
      const query = queryOf(request);
      const items = (await clusters.list())
        .filter(
          (cluster) =>
            (!query.server || cluster.server === query.server) && (!query.name || cluster.name === query.name),
        )
        .filter((cluster) => enforcer.allows(call.identity, 'clusters', 'get', rbacObject(cluster)));
      return { items: await Promise.all(items.map((item) => answer(item))) };
    },

    get: async (request, call) => await answer(await access(request, call, 'get')),

    async create({ cluster, upsert = false }, call) {
      const json = cluster as ClusterJson | undefined;
      if (!json?.server || !URL.canParse(json.server))
        throw invalidArgument('a cluster needs the URL of its API server');
      (await context.enforcer()).enforce(
        call.identity,
        'clusters',
        'create',
        rbacObject({ server: json.server, project: json.project ?? '' }),
      );
      await assertServed(context, json.server);
      const seen = await test(json.server, json.config);
      const existing = (await clusters.list()).find(
        (candidate) => candidate.secret && candidate.server === json.server?.replace(/(?<!\/)\/+$/, ''),
      );
      if (!existing) return await store(json, undefined, seen);
      const before = clusterData({ ...existing, namespaces: [...existing.namespaces], labels: {}, annotations: {} });
      const after = clusterData(json);
      if (isDeepStrictEqual(normalizedData(before), normalizedData(after))) return await answer(existing, seen);
      if (!upsert)
        throw invalidArgument(
          `existing cluster spec is different; use upsert flag to force update; difference in keys "${Object.keys({
            ...before,
            ...after,
          })
            .filter((key) => before[key] !== after[key])
            .join(',')}"`,
        );
      (await context.enforcer()).enforce(call.identity, 'clusters', 'update', rbacObject(existing));
      return await store(json, existing, seen);
    },

    async update({ cluster, updatedFields = [], id }, call) {
      const json = (cluster ?? {}) as ClusterJson;
      // what is changed is what was looked up and checked, never another cluster that the body names (CVE-2023-23947)
      const existing = await access({ server: json.server, name: json.name, id }, call, 'update');
      const changed: ClusterJson =
        updatedFields.length === 0 ? { ...json, server: existing.server } : merged(existing, json, updatedFields);
      if ((changed.project ?? '') !== existing.project) {
        const allowed = (await context.enforcer()).allows(
          call.identity,
          'clusters',
          'update',
          rbacObject({ server: existing.server, project: changed.project ?? '' }),
        );
        if (!allowed) throw permissionDenied();
      }
      const seen = await test(existing.server, changed.config);
      return await store(changed, existing.secret ? existing : undefined, seen);
    },

    async delete(request, call) {
      const found = await access(request, call, 'delete');
      if (!found.secret)
        throw failedPrecondition(
          `cluster ${found.server} is the control plane's own and has no Secret; to hide it set cluster.inClusterEnabled to "false" in argocd-cm`,
        );
      const { secret } = found;
      const name = secret.metadata.name as string;
      if (secret.metadata.annotations?.[names.annotations.managedBy] === names.managedByValue)
        await plane.deleteSecret(name);
      else {
        const { [names.labels.secretType]: _type, ...labels } = secret.metadata.labels ?? {};
        await plane.updateSecret({ ...secret, metadata: { ...secret.metadata, labels } });
      }
      return {};
    },

    async rotateAuth(request, call) {
      const query = queryOf(request);
      const first = await access(request, call, 'update');
      const named = query.server ? [first] : (await clusters.list()).filter(({ name }) => name === first.name);
      const enforcer = await context.enforcer();
      for (const cluster of named)
        if (!enforcer.allows(call.identity, 'clusters', 'update', rbacObject(cluster))) throw permissionDenied();
      for (const cluster of named) {
        const token = cluster.config.bearerToken;
        if (typeof token !== 'string' || token === '' || !cluster.secret)
          throw invalidArgument(`Cluster '${cluster.server}' does not use bearer token authentication`);
        const { client } = await backend.cluster({ server: cluster.server });
        const rotated = await rotateToken(client, token, context.clock);
        const tls = (cluster.config.tlsClientConfig ?? {}) as Record<string, unknown>;
        const { certData: _cert, keyData: _key, ...tlsClientConfig } = tls;
        const config = { ...cluster.config, bearerToken: rotated.token, tlsClientConfig };
        await test(cluster.server, config);
        await store({ ...cluster, namespaces: [...cluster.namespaces], config } as ClusterJson, cluster);
        await rotated.retireOld((await backend.cluster({ server: cluster.server })).client);
      }
      return {};
    },

    async invalidateCache(request, call) {
      const found = await access(request, call, 'update');
      const refreshed = { [names.annotations.refresh]: timestamp(context.clock.now()) };
      // as Argo CD does it: the request needs a Secret to be on
      if (!found.secret)
        return await store(
          { ...found, namespaces: [...found.namespaces], labels: {}, annotations: refreshed },
          undefined,
        );
      await plane.client.patch(
        { apiVersion: 'v1', kind: 'Secret', namespace: context.namespace, name: found.secret.metadata.name as string },
        'merge',
        { metadata: { annotations: refreshed } },
      );
      return await answer(found);
    },
  };
}

async function assertServed({ plane }: ServerContext, server: string): Promise<void> {
  if (server !== inCluster.server) return;
  if (plane.configMap('argocd-cm')['cluster.inClusterEnabled'] === 'false')
    throw invalidArgument('cannot register cluster: in-cluster has been disabled');
}

/** `id` wins; its value may be percent-encoded. */
function queryOf({ server, name, id }: Query): { server?: string | undefined; name?: string | undefined } {
  if (!id?.value) return { server, name };
  if (id.type === 'name') return { name: id.value };
  if (id.type === 'name_escaped') return { name: decodePart(id.value) };
  return { server: decodePart(id.value) };
}

function rbacObject({ server, project }: { server: string; project: string }): string {
  return project ? `${project}/${server}` : server;
}

/** The data of a cluster's Secret. */
function clusterData(json: ClusterJson): Record<string, string> {
  return {
    server: (json.server ?? '').replace(/(?<!\/)\/+$/, ''),
    name: json.name || (json.server ?? ''),
    config: JSON.stringify(json.config ?? {}),
    ...(json.namespaces?.length ? { namespaces: json.namespaces.join(',') } : {}),
    ...(json.shard === undefined ? {} : { shard: String(json.shard) }),
    ...(json.clusterResources ? { clusterResources: 'true' } : {}),
    ...(json.project ? { project: json.project } : {}),
  };
}

function normalizedData(data: Record<string, string>): unknown {
  return { ...data, config: JSON.parse(data.config ?? '{}') };
}

function merged(existing: Cluster, json: ClusterJson, fields: readonly string[]): ClusterJson {
  const result: Record<string, unknown> = { ...existing };
  for (const field of [
    'name',
    'namespaces',
    'config',
    'shard',
    'clusterResources',
    'labels',
    'annotations',
    'project',
  ] as const)
    if (fields.includes(field)) result[field] = json[field];
  return result as ClusterJson;
}

/** What may be shown of a cluster's configuration: how it is reached, with no credentials. */
function sanitizedConfig(config: Readonly<Record<string, unknown>>) {
  const tls = (config.tlsClientConfig ?? {}) as { insecure?: boolean; serverName?: string };
  const aws = config.awsAuthConfig as { clusterName?: string; roleARN?: string; profile?: string } | undefined;
  return {
    tlsClientConfig: { insecure: tls.insecure ?? false, ...(tls.serverName ? { serverName: tls.serverName } : {}) },
    ...(aws ? { awsAuthConfig: aws } : {}),
  };
}
