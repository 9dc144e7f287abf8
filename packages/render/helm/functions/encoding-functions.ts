import {
  define,
  EncodeError,
  encodeJson,
  FunctionError,
  type FunctionMap,
  type FunctionSpec,
  GoMap,
  GoSlice,
  JsonError,
  mapOfAny,
  parsed,
  parseJson,
  sliceOfAny,
  sprigFunctions,
  type TraceRule,
  type Value,
  type ValueMap,
  withTraces,
} from '@tiphys/template';
import { YamlError } from '@tiphys/yaml';
import { jsonTypeOf, readYaml } from '../chart/load-values.ts';
import { PrintTrace } from './print-trace.ts';
import { decodeToml, TomlError } from './toml-decode.ts';
import { encodeToml, TomlEncodeError } from './toml-encode.ts';
import { encodeYaml, encodeYamlPretty } from './yaml-encode.ts';

function trimNewline(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text;
}

/** What Helm gives where encoding fails: nothing, or the failure itself. */
function encoded(encode: () => string, onError: (error: EncodeError) => string): string {
  try {
    return encode();
  } catch (error) {
    if (error instanceof EncodeError) return onError(error);
    throw error;
  }
}

const empty = (): string => '';
const yamlFailure = (error: EncodeError): never => {
  throw new FunctionError(
    error.message.startsWith('json: ') ? `error marshaling into JSON: ${error.message}` : error.message,
  );
};
const jsonFailure = (error: EncodeError): never => {
  throw new FunctionError(error.message);
};

function fromYaml(text: string, wanted: 'map' | 'list'): Value {
  const failed = (message: string): Value => (wanted === 'map' ? new Map([['Error', message]]) : [message]);
  try {
    return shaped(readYaml(text), wanted, (message) =>
      failed(`error unmarshaling JSON: while decoding JSON: ${message}`),
    );
  } catch (error) {
    if (error instanceof YamlError) return failed(`error converting YAML to JSON: ${error.goMessage}`);
    throw error;
  }
}

function fromJson(text: string, wanted: 'map' | 'list'): Value {
  const failed = (message: string): Value => (wanted === 'map' ? new Map([['Error', message]]) : [message]);
  let refused: string | undefined;
  // Go goes on after a number that it can not hold: what it has read so far stays beside the error.
  const number = (digits: string): Value => {
    const value = Number(digits);
    if (Number.isFinite(value)) return value;
    refused ??= `json: cannot unmarshal number ${digits} into Go value of type float64`;
    return null;
  };
  try {
    const { value } = parseJson(text, { number });
    // JSON's null leaves Go with a nil map or slice, YAML's with an empty one.
    if (value === null && refused === undefined)
      return wanted === 'map' ? new GoMap(mapOfAny, new Map(), true) : new GoSlice(sliceOfAny, [], true);
    const result = shaped(value, wanted, failed);
    if (refused === undefined) return result;
    return wanted === 'map' && value instanceof Map
      ? new Map([...(value as ValueMap), ['Error', refused]])
      : failed(refused);
  } catch (error) {
    if (error instanceof JsonError) return failed(error.message);
    throw error;
  }
}

function shaped(value: Value, wanted: 'map' | 'list', failed: (message: string) => Value): Value {
  if (value === null) return wanted === 'map' ? new Map() : [];
  if (wanted === 'map' ? value instanceof Map : Array.isArray(value)) return value;
  const goType = wanted === 'map' ? 'map[string]interface {}' : '[]interface {}';
  return failed(`json: cannot unmarshal ${jsonTypeOf(value)} into Go value of type ${goType}`);
}

function toToml(value: Value, observer?: PrintTrace): string {
  try {
    return encodeToml(value, observer);
  } catch (error) {
    if (error instanceof TomlEncodeError) return error.message;
    throw error;
  }
}

function mustToToml(value: Value, observer?: PrintTrace): string {
  try {
    return encodeToml(value, observer);
  } catch (error) {
    if (error instanceof TomlEncodeError) throw new FunctionError(error.message);
    throw error;
  }
}

function fromToml(text: string): ValueMap {
  try {
    return decodeToml(text);
  } catch (error) {
    if (error instanceof TomlError) return new Map([['Error', error.message]]);
    throw error;
  }
}

type Print = (value: Value, observer?: PrintTrace) => string;

/** A function that prints a document of a value. */
function printing(name: string, print: Print): [string, FunctionSpec] {
  const spec = define('any', ([value], { trace }) => {
    if (!trace) return print(value);
    const landed = new PrintTrace(trace.slots, name, value, trace.argument(0));
    const text = print(value, landed);
    trace.result(landed.result(text.length));
    return text;
  });
  return [name, spec];
}

/** YAML without the line break at its end. */
const yaml =
  (encode: Print, onError: (error: EncodeError) => string): Print =>
  (value, observer) =>
    encoded(() => trimNewline(encode(value, observer)), onError);

const functions: FunctionMap = new Map([
  printing('toYaml', yaml(encodeYaml, empty)),
  printing('mustToYaml', yaml(encodeYaml, yamlFailure)),
  printing('toYamlPretty', yaml(encodeYamlPretty, empty)),
  ['fromYaml', define('string', ([text]) => fromYaml(text as string, 'map'))],
  ['fromYamlArray', define('string', ([text]) => fromYaml(text as string, 'list'))],
  ['toJson', define('any', ([value]) => encoded(() => encodeJson(value), empty))],
  ['mustToJson', define('any', ([value]) => encoded(() => encodeJson(value), jsonFailure))],
  ['fromJson', define('string', ([text]) => fromJson(text as string, 'map'))],
  ['fromJsonArray', define('string', ([text]) => fromJson(text as string, 'list'))],
  printing('toToml', toToml),
  printing('mustToToml', mustToToml),
  ['fromToml', define('string', ([text]) => fromToml(text as string))],
]);

const json = sprigFunctions.get('toJson')?.trace as TraceRule;

/** Helm's functions between values and text. */
export const encodingFunctions: FunctionMap = withTraces(functions, {
  fromYaml: parsed,
  fromYamlArray: parsed,
  fromJson: parsed,
  fromJsonArray: parsed,
  toJson: json,
  mustToJson: json,
});
