export { connect } from './connect/api-client.ts';
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isServerTimeout,
  isTooManyRequests,
  isUnauthorized,
  reasonOfCode,
} from './connect/api-error.ts';
export type { ConnectOptions, RequestRecord } from './connect/api-sender.ts';
export type * from './connect/client.ts';
export { type Clock, elapsed, pause, systemClock } from './connect/clock.ts';
export type { AggregatedList, AggregatedResource } from './connect/cluster-discovery.ts';
export { authorizationOf } from './connect/credentials.ts';
export {
  formatKubeconfig,
  inClusterConfig,
  type KubeconfigOptions,
  kubeconfigContexts,
  loadKubeconfig,
} from './connect/kubeconfig.ts';
export { type LineBounds, readLines } from './connect/read-lines.ts';
export { webhookDenial, webhookFailure } from './connect/refusal/webhook-refusal.ts';
export { requestFacts } from './connect/request/request-facts.ts';
export { parseWarnings } from './connect/request/request-headers.ts';
export { resourcePath } from './connect/request/request-path.ts';
export { userAgent } from './connect/request/user-agent.ts';
export { retryAfterEvidence } from './connect/status-error.ts';
export type * from './generated/index.ts';
export { type Ending, endingOf } from './kubelet/exit-codes.ts';
export { type Meaning, pullMeaning, sandboxMeaning, startRemedies, volumeMeaning } from './kubelet/kubelet-words.ts';
export { ageOf, humanDuration } from './object/age.ts';
export { goText } from './object/go-value.ts';
export {
  type LabelSelector,
  requirementMatches,
  type SelectorRequirement,
  selectorMatches,
  selectorQuery,
} from './object/label-selector.ts';
export { microTime } from './object/micro-time.ts';
export * from './object/object.ts';
export {
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  isWhole,
  parseQuantity,
  type Quantity,
  quantityValue,
  wholeThousandths,
} from './object/quantity.ts';
export { shareManagedFields } from './object/share-managed-fields.ts';
export { timestamp } from './object/timestamp.ts';
export { youngestFirst } from './object/youngest-first.ts';
export { applyMergePatch, createMergePatch, threeWayMergePatch } from './patch/json-merge-patch.ts';
export { applyJsonPatch } from './patch/json-patch.ts';
export { PatchError } from './patch/patch-error.ts';
export { threeWayStrategicPatch, twoWayStrategicPatch } from './patch/strategic-diff.ts';
export { combineStrategicPatches, strategicMerge } from './patch/strategic-merge.ts';
export {
  type BuiltinDiscovery,
  builtinDiscovery,
  builtinModels,
  builtinName,
  builtinResources,
  builtinSchema,
  builtinType,
  openapiV2,
  openapiV2Protobuf,
  openapiV3,
  openapiV3Document,
  openapiV3Paths,
} from './schema/builtin.ts';
export {
  deducedType,
  type FieldType,
  type ListType,
  type MapType,
  ObjectType,
  type ScalarType,
  TypeModels,
  untypedType,
} from './schema/object-type.ts';
export { type OpenApiSchema, refName } from './schema/openapi-schema.ts';
export { type StructuralSchema, type UnknownField, unknownField, unknownFields } from './schema/unknown-field.ts';
export { type Comparison, compareObjects, isSame } from './smd/compare.ts';
export { ApplyError, FieldManager, type FieldManagerOptions } from './smd/field-manager.ts';
export { describePath, FieldSet, type FieldsV1 } from './smd/field-set.ts';
export { fieldsOf } from './smd/fields-of.ts';
export { decodeManaged, encodeManaged, type Managed, managerId } from './smd/managed-fields.ts';
export { mergeObjects } from './smd/merge.ts';
export {
  canonicalElement,
  describeElement,
  elementKeys,
  fieldElement,
  keyElement,
  type PathElement,
  valueElement,
} from './smd/path-element.ts';
export { removeFields } from './smd/remove.ts';
export { isFields, itemElement, sameValue, TypedValueError } from './smd/typed-value.ts';
export { validateObject } from './smd/validate.ts';
export { zeroObject } from './smd/zero-object.ts';
export { Informer, type InformerChange, type InformerOptions, type InformerState } from './watch/informer.ts';
export { LeaderLease, type LeaderLeaseOptions } from './watch/leader-lease.ts';
export { type QueueObserver, type RunOptions, WorkQueue, type WorkQueueOptions } from './watch/work-queue.ts';
