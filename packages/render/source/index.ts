export { entryIdle, patchPathUnrooted, type WrittenField } from '@tiphys/kustomize';
export type { ChartProof } from './charts/chart-proof.ts';
export type { ChartDetails } from './charts/chart-source.ts';
export { Manifests, type ManifestsOptions } from './manifests.ts';
export type { SharedCache } from './outcomes/outcome-stores.ts';
export type { TreeFile } from './request/chart-source-tree.ts';
export type { DesiredObject, GeneratedField, Origin } from './request/desired-object.ts';
export { duplicateKeys, linkDangling, manifestInvalid, pluginSkipped, sourceEmpty } from './request/diagnoses.ts';
export type {
  FieldCondition,
  FieldOrigin,
  FieldValue,
  FilePlace,
  ValueGiver,
  WantedObject,
} from './request/field-origins.ts';
export { kustomizeVersions } from './request/kustomize-versions.ts';
export type {
  ClusterFacts,
  FoundAt,
  ReadPath,
  ReadSet,
  ReferencedSource,
  Rendered,
  RenderRequest,
  SourceType,
} from './request/rendered.ts';
export type { SourceDetails } from './request/source-details.ts';
export type { SourceLimits } from './request/source-limits.ts';
export type { RenderLoad, RenderShares } from './turns/render-shares.ts';
