export { openPostgres, openSqlite, type SqlDatabase } from '@tiphys/sql';
export { type ArchivePage, WorkflowArchive } from './archive.ts';
export type { ArchiveFilter } from './archive-query.ts';
export { type Cursor, cursorOf, cursorText } from './cursor.ts';
export { type LabelRequirement, labelRequirements, meets } from './label-requirements.ts';
export { openMysql } from './mysql.ts';
export { OffloadedNodes } from './offloaded-nodes.ts';
export { openDatabase } from './open-database.ts';
export { openPersistence, type Persistence, type PersistenceOptions } from './persistence.ts';
export { makeArchiveTables, makeSyncTables } from './schema.ts';
export {
  type PersistenceSettings,
  persistenceSettings,
  type SynchronizationSettings,
  synchronizationSettings,
} from './settings.ts';
export { SyncLimits } from './sync-limits.ts';
export { type LockRequest, SyncLocks } from './sync-locks.ts';
