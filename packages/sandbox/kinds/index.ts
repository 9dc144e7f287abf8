export {
  type ApiService,
  type AvailableCondition,
  isAvailable,
  locallyAvailable,
} from './apiregistration/api-service.ts';
export { builtinResource } from './builtin-resource.ts';
export { refuseImmortalNamespace } from './core/namespace.ts';
export { POD_QUOTAS } from './core/quotas.ts';
export { admitServiceAccount } from './pod/pod-admission.ts';
export {
  claimOfVolume,
  dependsOnApi,
  isMirrorPod,
  MIRROR_POD,
  type PodReferences,
  podReferences,
  volumesOf,
} from './pod/pod-references.ts';
export { numberAt } from './shared/cell-values.ts';
export { validateSelectorTerm } from './shared/selector-validation.ts';
export type { Container, PodObject, PodSpec, Probe, ServiceSpec } from './shared/shapes.ts';
