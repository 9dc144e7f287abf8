export type { ChartDetails } from './chart-source.ts';
export type { TreeFile } from './chart-source-tree.ts';
export type { DesiredObject, GeneratedField, Origin } from './desired-object.ts';
export { duplicateKeys, linkDangling, manifestInvalid, pluginSkipped } from './diagnoses.ts';
export { kustomizeVersions } from './kustomizations/kustomize-versions.ts';
export { Manifests, type ManifestsOptions } from './manifests.ts';
export type { SharedCache } from './outcomes/outcome-stores.ts';
export type {
  ClusterFacts,
  FoundAt,
  ReadPath,
  ReadSet,
  ReferencedSource,
  Rendered,
  RenderRequest,
  SourceType,
} from './rendered.ts';
export type { SourceDetails } from './source-details.ts';
export type { SourceLimits } from './source-limits.ts';
export type { RenderLoad, RenderShares } from './turns/render-shares.ts';
