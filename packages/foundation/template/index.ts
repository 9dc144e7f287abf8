export { chargeCopy, limitText } from './bounds/active-budget.ts';
export { Budget, type BudgetOptions, defaultLimits, LimitError, type Limits } from './bounds/budget.ts';
export { execute } from './exec/execute.ts';
export type { Executed, ExecuteOptions, MissingKey, TraceOptions } from './exec/execute-options.ts';
export { shortened, TemplateError, type TemplateErrorKind, type TemplateErrorPlace } from './failure/template-error.ts';
export { formatGeneral } from './fmt/format-float.ts';
export { sprintf } from './fmt/sprintf.ts';
export { builtinFunctions } from './functions/builtin.ts';
export { type ParseOptions, parse } from './parse/parser.ts';
export type { ParsedTemplate, Tree } from './parse/tree.ts';
export { freshRecorder } from './recorder/fresh-recorder.ts';
export { type Generation, generationKey, type Recorded, type Recorder } from './recorder/recorder.ts';
export { formatUrl, GoUrlError, hostName, parseUrl, resolveUrl } from './sprig/addresses/go-url.ts';
export { parseAddress } from './sprig/addresses/ip-address.ts';
export { compileRegex, RegexError } from './sprig/go-regex.ts';
export { indentJson } from './sprig/indent-json.ts';
export { lowerRune, upperRune } from './sprig/letters/rune-case.ts';
export { sprigFunctions } from './sprig/sprig-functions.ts';
export { formatTime } from './sprig/time/time-layout.ts';
export { parseTime } from './sprig/time/time-parse.ts';
export { durationType, LocationValue, locationType } from './sprig/time/time-types.ts';
export { TimeValue, timeType } from './sprig/time/time-value.ts';
export { type Zone, zoneOf } from './sprig/time/time-zone.ts';
export { compareVersions, formatVersion, readVersion, type Version } from './sprig/versions/version.ts';
export { readRange, satisfies } from './sprig/versions/version-range.ts';
export { byteLength, compareStrings, fromBytes, toBytes } from './text/bytes.ts';
export { parseFloat64, parseInt64 } from './text/parse-number.ts';
export { parsed } from './trace/rules/documents.ts';
export { executed, executedWithout, same } from './trace/rules/texts.ts';
export type { Because, Segment, TemplateLine, TracedText } from './trace/traced-text.ts';
export { Tracer } from './trace/tracer.ts';
export type { CallContext, CallSite } from './value/call-context.ts';
export { deepEqual } from './value/deep-equal.ts';
export {
  define,
  defineTyped,
  type FunctionBody,
  FunctionError,
  type FunctionMap,
  type FunctionSpec,
  withTraces,
} from './value/function-spec.ts';
export { JsonError, parseJson } from './value/json-decode.ts';
export { EncodeError, encodeJson, keyText } from './value/json-encode.ts';
export { TemplateSet } from './value/template-set.ts';
export type { TracedCall, TraceRule } from './value/trace/call.ts';
export type { CallTrace } from './value/trace/call-trace.ts';
export { Rope, type Traced, throughOf } from './value/trace/rope.ts';
export type { Slots } from './value/trace/slots.ts';
export type { Origin, OriginRole } from './value/trace/source.ts';
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
