import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import { Code, invalidArgument, notFound, permissionDenied, RpcError } from '@tiphys/server';
import type { SyncLimits } from '@tiphys/workflow-database';
import { type FlowCall, mayDo } from '../common/caller.ts';
import type { ServerParts } from '../common/server-parts.ts';

/** Of `type` in the requests. */
const database = 1;

interface LimitRequest {
  readonly type?: number;
  readonly namespace: string;
  readonly cmName?: string;
  readonly key: string;
  readonly limit?: number;
}

type ConfigMap = KubeObject & { data?: Record<string, string> };

/** `sync.SyncService`: limits of semaphores, in ConfigMaps or in the database. */
export function syncService(parts: ServerParts) {
  const of = ({ type }: LimitRequest) => (type === database ? databaseLimits(parts) : configMapLimits);
  return {
    async createSyncLimit(request: LimitRequest, call: FlowCall) {
      if (!((request.limit ?? 0) > 0)) throw invalidArgument('limit must be greater than zero');
      await of(request).create(request, call);
      return request;
    },
    async getSyncLimit(request: LimitRequest, call: FlowCall) {
      return { ...request, limit: await of(request).get(request, call) };
    },
    async updateSyncLimit(request: LimitRequest, call: FlowCall) {
      if (!((request.limit ?? 0) > 0)) throw invalidArgument('limit must be greater than zero');
      await of(request).update(request, call);
      return request;
    },
    async deleteSyncLimit(request: LimitRequest, call: FlowCall) {
      await of(request).delete(request, call);
      return {};
    },
  };
}

interface Limits {
  create(request: LimitRequest, call: FlowCall): Promise<void>;
  get(request: LimitRequest, call: FlowCall): Promise<number>;
  update(request: LimitRequest, call: FlowCall): Promise<void>;
  delete(request: LimitRequest, call: FlowCall): Promise<void>;
}

const configMapLimits: Limits = {
  async create(request, call) {
    const found = await read(request, call, 'create');
    if (!found) {
      const { namespace, cmName = '', key, limit } = request;
      const metadata = { name: cmName, namespace };
      const data = { [key]: String(limit) };
      await call.client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }, { signal: call.signal });
      return;
    }
    if (Object.hasOwn(found.data ?? {}, request.key))
      throw new RpcError(Code.AlreadyExists, 'sync limit cannot be created as it already exists');
    await write(found, { ...found.data, [request.key]: String(request.limit) }, call);
  },
  async get(request, call) {
    const found = await read(request, call, 'get');
    const value = found && Object.hasOwn(found.data ?? {}, request.key) ? found.data?.[request.key] : undefined;
    if (!found) throw notFound(`ConfigMap '${request.cmName}' does not exist. Please create it first.`);
    if (value === undefined)
      throw notFound(`key ${request.key} not found in configmap ${request.namespace}/${request.cmName}`);
    const limit = Number(value);
    if (!Number.isInteger(limit))
      throw invalidArgument(
        `invalid limit format for key ${request.key} in configmap ${request.namespace}/${request.cmName}`,
      );
    return limit;
  },
  async update(request, call) {
    const found = await read(request, call, 'update');
    if (!found) throw notFound(`ConfigMap '${request.cmName}' does not exist. Please create it first.`);
    if (!Object.hasOwn(found.data ?? {}, request.key)) throw notFound('please create a semaphore limit first');
    await write(found, { ...found.data, [request.key]: String(request.limit) }, call);
  },
  async delete(request, call) {
    const found = await read(request, call, 'update');
    if (!found || !Object.hasOwn(found.data ?? {}, request.key)) return;
    const { [request.key]: _, ...data } = found.data ?? {};
    await write(found, data, call);
  },
};

async function read({ namespace, cmName }: LimitRequest, call: FlowCall, verb: string): Promise<ConfigMap | undefined> {
  if (!cmName) throw invalidArgument('the name of a ConfigMap is missing');
  if (!(await mayDo(call, verb, { namespace, group: '', resource: 'configmaps' })))
    throw permissionDenied(`Permission denied, you are not allowed to ${verb} configmaps in namespace "${namespace}".`);
  try {
    return await call.client.get<ConfigMap>(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: cmName },
      { signal: call.signal },
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** As an update, as upstream does it: the roles that its users have allow no patch. */
async function write(found: ConfigMap, data: Record<string, string>, call: FlowCall): Promise<void> {
  await call.client.update({ ...found, apiVersion: 'v1', kind: 'ConfigMap', data } as ConfigMap, {
    signal: call.signal,
  });
}

function databaseLimits({ limits }: ServerParts): Limits {
  const allowed = async (verb: string, { namespace }: LimitRequest, call: FlowCall): Promise<SyncLimits> => {
    if (!limits)
      throw invalidArgument(
        'database sync limits are not served: set synchronization with enableAPI: true in workflow-controller-configmap',
      );
    // the database has no rights of its own: anyone who may do so with workflows may do so here
    if (!(await mayDo(call, verb, { namespace })))
      throw permissionDenied(
        `Permission denied, you are not allowed to ${verb} database sync limit in namespace "${namespace}".`,
      );
    return limits;
  };
  const nameOf = ({ namespace, key }: LimitRequest) => `${namespace}/${key}`;
  const missing = ({ namespace }: LimitRequest) =>
    notFound(`Database sync limit not found in namespace "${namespace}".`);
  return {
    async create(request, call) {
      const found = await allowed('create', request, call);
      if (!(await found.create(nameOf(request), request.limit ?? 0)))
        throw new RpcError(
          Code.AlreadyExists,
          `Database sync limit already exists in namespace "${request.namespace}".`,
        );
    },
    async get(request, call) {
      const limit = await (await allowed('get', request, call)).get(nameOf(request));
      if (limit === undefined) throw missing(request);
      return limit;
    },
    async update(request, call) {
      const found = await allowed('update', request, call);
      if (!(await found.update(nameOf(request), request.limit ?? 0))) throw missing(request);
    },
    async delete(request, call) {
      await (await allowed('delete', request, call)).delete(nameOf(request));
    },
  };
}
