export { CostMeter } from './cost/actual-cost.ts';
export type { SizeAt } from './cost/estimate-cost.ts';
export { compile, type Program } from './environment.ts';
export { CelCompileError, CelInstantiationError } from './language/ast.ts';
export {
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  formatType,
  INT,
  isAny,
  listOf,
  mapOf,
  opaque,
  optionalOf,
  STRING,
  TIMESTAMP,
  type Type,
} from './language/types.ts';
export { CelError, fromJson, KeyedList, keyText, type MapKey, Optional, type Value } from './language/values.ts';
export { type AccessAuthorizer, authorizerValue, resourceCheck } from './library/authorizer.ts';
export { formatAddress, readAddress } from './library/parse-address.ts';
export { parseDuration, parseTimestamp } from './library/time.ts';
export { COST_EXCEEDED } from './run/evaluator.ts';
