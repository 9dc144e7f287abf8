export { History, type HistoryQuery } from './history.ts';
export { type NetChange, netChanges } from './net-changes.ts';
export { openHistory } from './open-history.ts';
export type { HistoryEntry, HistoryObject, HistoryPatch, HistoryRecord, RecordKind } from './record.ts';
