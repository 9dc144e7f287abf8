export type { Authorizer, GrantedRule } from './access/authorizer.ts';
export { type AccessAttributes, covers, type PolicyRule } from './access/policy-rule.ts';
export { ISSUER, isLegacy, LEGACY_ISSUER, type LegacyClaims, type TokenClaims, TokenSigner } from './access/tokens.ts';
export { nodeOfUser, type User } from './access/user.ts';
export { after } from './after.ts';
export { type ClientConfig, validateClientConfig } from './client-config.ts';
export { ConversionNeeded, converting } from './conversion-needed.ts';
export type { Definition, DefinitionVersion, Schema } from './definition.ts';
export type { DeleteOptions } from './delete-options.ts';
export { FieldErrors } from './errors/field-errors.ts';
export { demandedValue, type FieldTerm, fieldQuery, fieldTermsIn, nameDemanded } from './errors/field-query.ts';
export {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  forbidden,
  MODIFIED,
  methodNotAllowed,
  noSuchResource,
  notFound,
  type Status,
  StatusError,
  unsupported,
} from './errors/status.ts';
export { applyFields, fieldManagerOf } from './field-tracking.ts';
export { follow } from './follow.ts';
export type { JobLimits } from './job-limits.ts';
export { generateName } from './names/generate-name.ts';
export { formatSelector, goSelector } from './names/label-selector.ts';
export { isDns1035Label, isDnsLabel, isDnsSubdomain, isPathSegment } from './names/names.ts';
export {
  isBareFinalizer,
  labelValueProblems,
  qualifiedNameProblems,
  validateAnnotations,
  validateLabels,
  validateManager,
  validateMeta,
  validateMetaUpdate,
  validateTemplateMeta,
} from './object-meta.ts';
export { parseInt64 } from './parse-int64.ts';
export { type AggregatedVersion, compareVersions, Registry } from './registry.ts';
export { jsonIn, type Resource, readsAsStored, type ScalePaths, type Subresource, storeKey } from './resource.ts';
export { type BuiltinResource, builtin, builtinEntries, type TableColumn } from './schema/builtin.ts';
export { DecodeError, jsonType, roundTrip } from './schema/decode.ts';
export { decodeProtobuf, ProtobufError } from './schema/protobuf.ts';
export type { ServerContext } from './server-context.ts';
export type { Strategy, WriteContext } from './strategy.ts';
export { timestamp } from './timestamp.ts';
