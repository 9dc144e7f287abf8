import { type Diagnosis, explainDiagnosis } from '@tiphys/diagnosis';
import type { Client, Clock } from '@tiphys/kubernetes';
import type { Log } from '@tiphys/server';
import { makeSyncTables, openDatabase, openPersistence, SyncLimits } from '@tiphys/workflow-database';
import { deletePropagationOf, packingOf } from '@tiphys/workflows';
import { followSettings } from './common/follow-settings.ts';
import type { ServerParts } from './common/server-parts.ts';
import { type FlowSettings, readSettings } from './common/settings.ts';

export interface PartsOptions {
  /** With the rights of the server. */
  readonly client: Client;
  /** Of workflow-controller-configmap. */
  readonly namespace: string;
  readonly managedNamespace?: string | undefined;
  /** SQLite's file where the ConfigMap names no database; without it there is no archive then. */
  readonly archiveFile?: string | undefined;
  /** Where artifacts go if the ConfigMap does not say it, as for the controller; asked when it is needed. */
  readonly usualRepository?: (() => object | undefined) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Reads the settings and opens the databases that they name. Throws a diagnosis for settings that can not be served. */
export async function openParts(options: PartsOptions): Promise<ServerParts & { close(): Promise<void> }> {
  const { client, clock, log, namespace, env, managedNamespace, version } = options;
  // closed again where anything that follows fails
  await using opened = new AsyncDisposableStack();
  const settings = await readSettings(client, namespace);
  const onError = (error: unknown) => log('error', 'the database of workflows', { error: String(error) });
  const database = { client, namespace, onError };
  const persistence = await openPersistence({
    ...database,
    persistence: settings.persistence,
    instanceId: settings.instanceId,
    managedNamespace,
    ...(options.archiveFile ? { file: options.archiveFile } : {}),
  });
  if (persistence) opened.defer(() => persistence.close());
  const { synchronization } = settings;
  const sync = synchronization?.address
    ? await openDatabase({ ...database, settings: synchronization, file: '' })
    : undefined;
  if (sync) opened.defer(() => sync.close());
  if (sync && synchronization && !synchronization.skipMigration) await makeSyncTables(sync, synchronization.tables);
  const problems: Diagnosis[] = [];
  const [packing, deletePropagation] = [packingOf(env, problems), deletePropagationOf(env, problems)];
  for (const problem of problems) log('warn', explainDiagnosis(problem));
  const followed = followSettings({ client, namespace, clock, log, first: settings });
  const current = (): FlowSettings => {
    const now = followed.settings();
    const usual = Object.keys(now.artifactRepository).length > 0 ? undefined : options.usualRepository?.();
    return usual ? { ...now, artifactRepository: usual as FlowSettings['artifactRepository'] } : now;
  };
  opened.defer(() => followed.close());
  const closing = opened.move();
  return {
    own: client,
    namespace,
    managedNamespace,
    get settings() {
      return current();
    },
    archive: persistence?.archive,
    nodes: persistence?.nodes,
    limits: sync && synchronization?.enableApi ? new SyncLimits(sync, synchronization.tables) : undefined,
    packing,
    deletePropagation,
    clock,
    log,
    version,
    env,
    async close() {
      await closing.disposeAsync();
    },
  };
}
