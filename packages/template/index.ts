export { Budget, type BudgetOptions, defaultLimits, LimitError, type Limits } from './bounds/budget.ts';
export type { CallContext, CallSite } from './exec/call-context.ts';
export { execute } from './exec/execute.ts';
export type { Executed, ExecuteOptions, MissingKey } from './exec/execute-options.ts';
export { sprintf } from './fmt/sprintf.ts';
export { builtinFunctions } from './functions/builtin.ts';
export {
  define,
  defineTyped,
  type FunctionBody,
  FunctionError,
  type FunctionMap,
  type FunctionSpec,
  type TraceRule,
} from './functions/function-spec.ts';
export { type ParseOptions, parse } from './parse/parser.ts';
export type { ParsedTemplate, Tree } from './parse/tree.ts';
export { freshRecorder } from './recorder/fresh-recorder.ts';
export { type Generation, generationKey, type Recorded, type Recorder } from './recorder/recorder.ts';
export { sprigFunctions } from './sprig/sprig-functions.ts';
export { satisfies } from './sprig/version-range.ts';
export { TemplateError, type TemplateErrorKind, type TemplateErrorPlace } from './template-error.ts';
export { TemplateSet } from './template-set.ts';
export type { Origin, Segment, Trace, Traced } from './trace/trace.ts';
export { JsonError, parseJson } from './value/json-decode.ts';
export { EncodeError, encodeJson, keyText } from './value/json-encode.ts';
export * from './value/type.ts';
export {
  elementsOf,
  entriesOf,
  GoComplex,
  GoError,
  GoFloat32,
  GoFunction,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  GoValue,
  goValue,
  int,
  integerOf,
  isNil,
  stringOf,
  typeOf,
  type Value,
  type ValueMap,
} from './value/value.ts';
