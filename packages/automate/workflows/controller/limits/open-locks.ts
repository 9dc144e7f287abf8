import { pause } from '@tiphys/kubernetes';
import {
  makeSyncTables,
  openDatabase,
  SyncLimits,
  SyncLocks,
  synchronizationSettings,
} from '@tiphys/workflow-database';
import type { KeptOptions } from '../persistence/open-persistence.ts';
import type { LockStore } from './shared-locks.ts';

/** The database of locks, until it is closed. */
interface OpenLocks {
  readonly store: LockStore;
  /** Tells other controllers that this one lives, again and again, until the signal. */
  live(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Opens the database that `synchronization` of the ConfigMap names now; undefined if none. Throws a diagnosis if it does not answer. */
export async function openLocks(options: KeptOptions): Promise<OpenLocks | undefined> {
  const { client, clock, namespace, onError } = options;
  const { synchronization } = options.settings;
  const settings = synchronization && synchronizationSettings(synchronization);
  if (!settings?.address) return undefined;
  const report = (error: unknown) => onError('the database of locks', error);
  const database = await openDatabase({ settings, client, namespace, file: '', onError: report });
  const { tables, inactiveAfter, heartbeat, pollInterval } = settings;
  const locks = new SyncLocks(database, {
    tables,
    controller: settings.controllerName || 'workflow-controller',
    inactiveAfter,
  });
  try {
    if (!settings.skipMigration) await makeSyncTables(database, tables);
    await locks.beat(clock.now());
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    store: { locks, limits: new SyncLimits(database, tables), pollInterval },
    async live(signal) {
      while (!signal.aborted) {
        await pause(clock, heartbeat, signal);
        if (signal.aborted) return;
        try {
          await locks.beat(clock.now());
        } catch (error) {
          if (!signal.aborted) report(error);
        }
      }
    },
    close: () => database.close(),
  };
}
