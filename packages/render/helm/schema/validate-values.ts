import { JsonError, type Value, type ValueMap } from '@tiphys/template';
import type { Chart } from '../chart/chart.ts';
import { tableOf } from '../chart/value-tables.ts';
import { valuesRefused } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import type { Warn } from '../problems/log.ts';
import type { ValueOrigins } from '../values/value-origins.ts';
import { evaluate } from './evaluate.ts';
import { readJson } from './json.ts';
import { RemoteSchemaMissing, type RemoteSchemas } from './remote-schemas.ts';
import type { Schema } from './schema.ts';
import { compileSchema, type LoadDocument } from './schema-compiler.ts';
import { SchemaFault } from './schema-document.ts';
import { formatErrors, leavesOf, type SchemaError } from './schema-error.ts';

/** A schema larger or deeper than this is refused before it is compiled. */
const maxSchemaSize = 4 * 1024 * 1024;
const maxSchemaDepth = 500;

export interface ValidateOptions {
  readonly warn?: Warn;
  /** If given, an address that is not in it is a `RemoteSchemaMissing`; else it is refused: a render fetches nothing. */
  readonly remoteSchemas?: RemoteSchemas;
  /** Where values were given; asked only when some are refused. */
  readonly origins?: () => ValueOrigins;
}

interface Refused {
  readonly chart: string;
  readonly error: SchemaError;
  /** Of the value, from the root chart on. */
  readonly path: readonly string[];
  readonly value: Value;
}

/** What keeps values from being compared with a schema at all. */
interface Obstacle {
  readonly message: string;
  readonly remedy: string;
  /** Of the schema that cannot be read. */
  readonly file: string;
}

interface Findings {
  words: string;
  readonly errors: Refused[];
  readonly obstacles: Obstacle[];
  /** Name of the chart that holds the others. */
  readonly root: string;
}

/** Throws a `HelmError` unless the values fit the schemas of a chart and of its subcharts. */
export function validateValues(chart: Chart, values: ValueMap, options: ValidateOptions = {}): void {
  const findings: Findings = { words: '', errors: [], obstacles: [], root: chart.name };
  collect(chart, values, findings, options, []);
  if (findings.words === '') return;
  const first = findings.errors[0];
  const [obstacle] = findings.obstacles;
  const origins = first && options.origins?.();
  const givenAt = ({ path }: Refused) => origins?.at(path)[0];
  const at = first && givenAt(first);
  throw new HelmError(
    valuesRefused,
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${findings.words}`,
    {
      message: first ? explain(first.chart, first.error) : (obstacle?.message ?? findings.words.trim()),
      place: first
        ? {
            ...(at ? { file: at.source, ...(at.line > 0 ? { line: at.line } : {}) } : {}),
            field: fieldOf(first.error) || '(root)',
          }
        : { file: obstacle?.file ?? 'values.schema.json' },
      evidence: findings.errors.slice(0, 20).map((refused) => {
        const origin = givenAt(refused);
        const place = origin ? ` in ${origin.source}${origin.line > 0 ? `:${origin.line}` : ''}` : '';
        return {
          name: `${refused.chart}: ${fieldOf(refused.error) || '(root)'}`,
          value: `${refused.error.words}; given: ${shown(refused)}${place}`,
        };
      }),
      remedies: [
        first
          ? `Correct ${fieldOf(first.error) || 'the values'}: ${first.error.words}`
          : (obstacle?.remedy ?? 'Correct the schema of the chart'),
      ],
    },
  );
}

/** Names of values that may hold what nobody else may see. */
const secretive = /pass|secret|token|key|credential|auth/i;

/** The value as it was given, shortened; of what may be secret only its kind. */
function shown({ path, value }: Refused): string {
  if (value === undefined) return 'nothing';
  if (path.some((step) => secretive.test(step))) return `${goTypeOf(value)} (not shown)`;
  if (value instanceof Map || Array.isArray(value)) return `a ${value instanceof Map ? 'table' : 'list'}`;
  return JSON.stringify(typeof value === 'bigint' ? Number(value) : value)?.slice(0, 100) ?? String(value);
}

function valueAt(values: ValueMap, path: readonly string[]): Value {
  let value: Value = values;
  for (const step of path) {
    if (value instanceof Map) value = (value as ValueMap).get(step);
    else if (Array.isArray(value)) value = value[Number(step)];
    else return undefined;
  }
  return value;
}

function collect(
  chart: Chart,
  values: ValueMap,
  into: Findings,
  options: ValidateOptions,
  parents: readonly string[],
): void {
  if (chart.schema) {
    const result = check(chart.schema, values, options);
    if (typeof result === 'string') {
      into.words += `${chart.name}:\n${result}`;
      const file = [into.root, ...parents].join('/charts/').concat('/values.schema.json');
      into.obstacles.push({
        message: `The schema of ${chart.name} cannot be used: ${result.trim()}`,
        file,
        remedy: `Correct ${file}: it must be JSON, and a schema by its own metaschema`,
      });
    } else if (result.length > 0) {
      into.words += `${chart.name}:\n${formatErrors(result)}\n`;
      into.errors.push(
        ...leavesOf(result).map((error) => ({
          chart: chart.name,
          error,
          path: [...parents, ...error.path],
          value: valueAt(values, error.path),
        })),
      );
    }
  }
  for (const subchart of chart.dependencies) {
    const value = values.get(subchart.name);
    if (value === undefined || value === null) continue;
    const table = tableOf(value);
    if (table) collect(subchart, table, into, options, [...parents, subchart.name]);
    else into.words += `${subchart.name}:\ninvalid type for values: expected object (map), got ${goTypeOf(value)}\n`;
  }
}

function goTypeOf(value: Value): string {
  if (Array.isArray(value)) return '[]interface {}';
  return typeof value === 'number'
    ? 'float64'
    : typeof value === 'boolean'
      ? 'bool'
      : typeof value === 'bigint'
        ? 'int64'
        : 'string';
}

const compiled = new WeakMap<Uint8Array, Schema>();
const root = 'file:///values.schema.json';

/** Findings, or the words of what is wrong with the schema itself. */
function check(bytes: Uint8Array, values: ValueMap, options: ValidateOptions): readonly SchemaError[] | string {
  try {
    let schema = compiled.get(bytes);
    if (!schema) {
      const remote: string[] = [];
      schema = compile(bytes, options, remote);
      // What was told or fetched belongs to one render.
      if (remote.length === 0) compiled.set(bytes, schema);
    }
    return evaluate(schema, jsonOf(values));
  } catch (error) {
    if (error instanceof SchemaFault || error instanceof JsonError) return error.message;
    if (error instanceof RangeError && error.message.includes('call stack'))
      return 'the schema refers to other schemas, or nests them, too deeply\n';
    throw error;
  }
}

function compile(bytes: Uint8Array, options: ValidateOptions, remote: string[]): Schema {
  if (bytes.length > maxSchemaSize) throw new SchemaFault(`the schema is larger than ${maxSchemaSize} bytes`);
  const document = readJson(Buffer.from(bytes).toString('utf8'));
  checkDepth(document, 0);
  const load = loader(options);
  return compileSchema(root, document, (url) => {
    remote.push(url);
    return load(url);
  });
}

function loader({ remoteSchemas, warn }: ValidateOptions): LoadDocument {
  return (url) => {
    const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(url)?.[1] ?? '';
    if (scheme === 'urn') {
      warn?.('unresolved URN reference ignored; using permissive schema', { attributes: { urn: url } });
      return true;
    }
    if (scheme === 'file') throw failing(url, `open ${url.slice('file://'.length)}: no such file or directory`);
    if (scheme !== 'http' && scheme !== 'https') throw failing(url, `no URLLoader registered for "${url}"`);
    const text = remoteSchemas?.get(url);
    if (text === undefined && remoteSchemas) throw new RemoteSchemaMissing(url);
    if (text === undefined)
      throw failing(url, 'a render fetches nothing; copy what the $ref names into the schema of the chart');
    if (text instanceof Error) throw failing(url, text.message);
    const document = remoteDocument(url, text);
    checkDepth(document, 0);
    return document;
  };
}

function remoteDocument(url: string, text: string): Value {
  try {
    return readJson(text);
  } catch (error) {
    if (error instanceof JsonError) throw failing(url, error.message);
    throw error;
  }
}

function failing(url: string, why: string): SchemaFault {
  return new SchemaFault(`failing loading "${url}": ${why}`);
}

function checkDepth(schema: Value, depth: number): void {
  if (depth > maxSchemaDepth) throw new SchemaFault(`the schema is nested deeper than ${maxSchemaDepth}`);
  const inner = schema instanceof Map ? schema.values() : Array.isArray(schema) ? schema : [];
  for (const value of inner) checkDepth(value as Value, depth + 1);
}

function jsonOf(value: Value): Value {
  if (Array.isArray(value)) return value.map(jsonOf);
  const table = tableOf(value);
  return table ? new Map([...table].map(([key, item]) => [key, jsonOf(item)])) : value;
}

function fieldOf(error: SchemaError): string {
  return error.path.join('.');
}

function explain(chart: string, error: SchemaError): string {
  return `The schema of ${chart} refuses ${fieldOf(error) || 'its values'}: ${error.words}`;
}
