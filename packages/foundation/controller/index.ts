export { timestamp } from '@tiphys/kubernetes';
export { type DefinitionText, ensureDefinitions } from './definitions.ts';
export { type Announcement, EventRecorder, type EventRecorderOptions } from './event-recorder.ts';
export type { FamilyOptions, Runtime } from './family.ts';
export { copyJson, deepEqual, mergePatch } from './json.ts';
export { LeaseShards, type LeaseShardsOptions, type Permit, shardOfKey } from './lease-shards.ts';
export { ControllerMeasures } from './measures.ts';
export { MemoryCluster } from './memory-cluster.ts';
export { keyOf, ObjectStore, type ObjectStoreOptions, type ObjectView, splitKey } from './object-store.ts';
export { QueueMeasures, type QueueNames } from './queue-measures.ts';
export {
  type Pass,
  Reconciler,
  type ReconcilerOptions,
  type Requeue,
  type StatusOf,
  type Step,
  type StepOutcome,
} from './reconciler.ts';
export { dataOf, settingsReader } from './settings.ts';
