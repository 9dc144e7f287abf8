export { type ApiService, type AvailableCondition, isAvailable, locallyAvailable } from './api-service.ts';
export { builtinResource } from './builtin-resource.ts';
export { numberAt } from './cell-values.ts';
export { refuseImmortalNamespace } from './configuration.ts';
export { admitServiceAccount } from './pod-admission.ts';
export {
  claimOfVolume,
  dependsOnApi,
  isMirrorPod,
  MIRROR_POD,
  type PodReferences,
  podReferences,
  volumesOf,
} from './pod-references.ts';
export { POD_QUOTAS } from './quotas.ts';
export { validateSelectorTerm } from './selector-validation.ts';
export type { Container, PodObject, PodSpec, Probe, ServiceSpec } from './shapes.ts';
