import type { Client } from '@tiphys/kubernetes';
import { WorkflowArchive } from './archive.ts';
import { OffloadedNodes } from './offloaded-nodes.ts';
import { openDatabase } from './open-database.ts';
import { makeArchiveTables } from './schema.ts';
import { type PersistenceSettings, persistenceSettings } from './settings.ts';

export interface PersistenceOptions {
  /** `persistence` of workflow-controller-configmap as it is there. */
  readonly persistence: Readonly<Record<string, unknown>> | undefined;
  /** SQLite's file where `persistence` is not set, or names no server; without it there is none then. */
  readonly file?: string;
  readonly instanceId: string;
  /** Only workflows of this namespace. */
  readonly managedNamespace?: string | undefined;
  readonly client: Client;
  /** Of the ConfigMap and its Secrets. */
  readonly namespace: string;
  /** Told of connections that break while nobody uses them. */
  readonly onError: (error: unknown) => void;
}

/** What is kept of workflows outside of the cluster. */
export interface Persistence {
  readonly settings: PersistenceSettings;
  readonly archive: WorkflowArchive;
  readonly nodes: OffloadedNodes;
  close(): Promise<void>;
}

/** Opens what `persistence` says, and makes the tables; undefined where nothing is to be kept. Throws a diagnosis. */
export async function openPersistence(options: PersistenceOptions): Promise<Persistence | undefined> {
  const { persistence, file, instanceId, managedNamespace } = options;
  if (!persistence && !file) return undefined;
  // on a laptop everything that ends is kept
  const settings = persistenceSettings(persistence ?? { archive: true });
  if (!settings.address && !file) return undefined;
  const database = await openDatabase({ ...options, settings, file: file ?? '' });
  try {
    if (!settings.skipMigration) await makeArchiveTables(database, settings.tableName);
  } catch (error) {
    await database.close();
    throw error;
  }
  const { clusterName, tableName } = settings;
  return {
    settings,
    archive: new WorkflowArchive(database, { clusterName, instanceId, managedNamespace }),
    nodes: new OffloadedNodes(database, { clusterName, table: tableName }),
    close: () => database.close(),
  };
}
