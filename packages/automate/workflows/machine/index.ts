export type { SharedLockAnswer, SharedLockRequest } from '../locks/locks.ts';
export {
  type Action,
  type ConfigMap,
  type Facts,
  type GCTask,
  type ImagePull,
  MissingFact,
  type Wanted,
} from '../operation/facts.ts';
export { collectArtifacts, isCollecting } from './artifact-gc.ts';
export { type Decision, operate } from './operate.ts';
