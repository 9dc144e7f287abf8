import {
  define,
  EncodeError,
  encodeJson,
  FunctionError,
  type FunctionMap,
  goValue,
  integerOf,
  sprigFunctions,
  type Value,
} from '@tiphys/template';
import { parseYaml, printYaml, YamlError } from '@tiphys/yaml';
import { normalizeName, slugify } from '../params/names.ts';
import { isRecord } from '../params/params.ts';

/** What a template must not learn of the process. */
const withheld = new Set(['env', 'expandenv', 'getHostByName']);

/** The functions of templates of ApplicationSets besides Go's own: Sprig's and upstream's. */
export const templateFunctions: FunctionMap = new Map([
  ...[...sprigFunctions].filter(([name]) => !withheld.has(name)),
  ['normalize', define('string', ([text]) => normalizeName(text as string))],
  ['slugify', define('...any', (args) => slug(args))],
  ['toYaml', define('any', ([value]) => toYaml(value as Value))],
  ['fromYaml', define('string', ([text]) => fromYaml(text as string, 'map[string]interface {}'))],
  ['fromYamlArray', define('string', ([text]) => fromYaml(text as string, '[]interface {}'))],
]);

function slug(args: readonly Value[]): string {
  const text = args.at(-1) ?? '';
  const [first, second] = args.slice(0, -1);
  if (typeof text !== 'string') throw new FunctionError('slugify wants a text as its last argument');
  const maxLength = first === undefined ? undefined : integerOf(first);
  if (first !== undefined && maxLength === undefined)
    throw new FunctionError('slugify wants an integer as its first argument of several');
  if (second !== undefined && typeof second !== 'boolean')
    throw new FunctionError('slugify wants true or false as its second argument of three');
  return slugify(text, {
    ...(maxLength === undefined ? {} : { maxLength: Number(maxLength) }),
    ...(second === undefined ? {} : { smart: second }),
  });
}

function toYaml(value: Value): string {
  try {
    return printYaml(parseYaml(encodeJson(value))).replace(/\n$/, '');
  } catch (error) {
    if (error instanceof EncodeError || error instanceof YamlError) throw new FunctionError(error.message);
    throw error;
  }
}

function fromYaml(text: string, wanted: 'map[string]interface {}' | '[]interface {}'): Value {
  const isMap = wanted.startsWith('map');
  try {
    const value = parseYaml(text);
    if (value === null) return isMap ? new Map() : [];
    if (isMap ? isRecord(value) : Array.isArray(value)) return goValue(value);
    const found = Array.isArray(value) ? 'array' : isRecord(value) ? 'object' : typeof value;
    throw new FunctionError(
      `error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type ${wanted}`,
    );
  } catch (error) {
    if (error instanceof YamlError) throw new FunctionError(`error converting YAML to JSON: ${error.goMessage}`);
    throw error;
  }
}
