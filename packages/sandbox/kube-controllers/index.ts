export type { SigningAuthority } from './certificates/certificate-signers.ts';
export { conditionOf, withoutCondition } from './machinery/conditions.ts';
export { Controller, type ControllerContext, keyFor, splitKey } from './machinery/controller.ts';
export { ObjectStore } from './machinery/object-store.ts';
export { ObjectStores } from './machinery/object-stores.ts';
export { isPodTerminal } from './machinery/pods.ts';
export { semanticallyEqual } from './machinery/semantically-equal.ts';
export { SeriesRecorder } from './machinery/series-recorder.ts';
export type {
  Condition,
  Container,
  ContainerState,
  ContainerStatus,
  Node,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  PodStatus,
  Probe,
  Taint,
} from './machinery/workload-model.ts';
export { toleratesTaint } from './node-lifecycle/tolerations.ts';
export type { ServiceAccountTokens } from './service-account/service-account-tokens-controller.ts';
export { type ControllersOptions, startControllers } from './start-controllers.ts';
