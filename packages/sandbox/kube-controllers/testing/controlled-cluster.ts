import { type Client, type Clock, connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startControllers } from '../start-controllers.ts';

export interface ControlledCluster {
  client: Client;
  /** Creates the object in the namespace `default` unless it names one. */
  create<T extends KubeObject>(object: T): Promise<T>;
  list<T extends KubeObject>(apiVersion: string, kind: string): Promise<T[]>;
  /** Waits for an event about an object of the kind that reads `Warning Reason: message` as wanted. */
  event(kind: string, wanted: string): Promise<void>;
  /** Reconciles that failed. */
  errors: string[];
  close(): Promise<void>;
}

/** For tests: a sandbox with the controllers, without nodes; anyone who needs running pods plays the kubelet. */
export async function startControlledCluster(clock?: Clock): Promise<ControlledCluster> {
  const stop = new AbortController();
  const sandbox = await startSandbox(withoutDefaults(clock ? { clock } : {}));
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'test' } });
  const errors: string[] = [];
  const onError = (name: string, key: string, error: unknown) => errors.push(`${name} ${key}: ${error}`);
  await startControllers(client, { signal: stop.signal, onError, ...(clock ? { clock } : {}) });
  const list = async <T extends KubeObject>(apiVersion: string, kind: string): Promise<T[]> =>
    (await client.list<T>({ apiVersion, kind })).items;
  return {
    client,
    errors,
    list,
    create: (object) => client.create({ ...object, metadata: { namespace: 'default', ...object.metadata } }),
    event: (kind, wanted) => untilEvent(client, kind, wanted),
    close: async () => {
      stop.abort();
      await client.close();
      await sandbox.close();
    },
  };
}

/** Whatever the sandbox starts by itself would do the work twice. */
function withoutDefaults<T extends object>(options: T): T {
  return { ...options, controllers: false, nodes: 0 };
}

interface Event extends KubeObject {
  involvedObject: { kind: string };
  type: string;
  reason: string;
  message: string;
}

async function untilEvent(client: Client, kind: string, wanted: string): Promise<void> {
  const told: string[] = [];
  const isIt = ({ involvedObject, type, reason, message }: Event) => {
    if (involvedObject?.kind === kind) told.push(`${type} ${reason}: ${message}`);
    return told.at(-1) === wanted;
  };
  const ref = { apiVersion: 'v1', kind: 'Event' };
  const { items, metadata } = await client.list<Event>(ref);
  if (items.some(isIt)) return;
  const signal = AbortSignal.timeout(120_000);
  try {
    const options = { resourceVersion: metadata.resourceVersion ?? '', signal };
    for await (const { type, object } of client.watch<Event>(ref, options))
      if (type !== 'BOOKMARK' && isIt(object)) return;
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(`No event ${JSON.stringify(wanted)} about a ${kind}; there are ${JSON.stringify(told, null, 1)}`);
}
