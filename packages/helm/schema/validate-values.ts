import type { Value, ValueMap } from '@tiphys/template';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvDraft04 from 'ajv-draft-04';
import ajvFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import type { Chart } from '../chart/chart.ts';
import { valuesRefused } from '../diagnoses.ts';
import { HelmError } from '../helm-error.ts';
import { tableOf } from '../values/value-tables.ts';
import { schemaWords } from './schema-words.ts';

/** A schema larger or deeper than this is refused before it is compiled. */
const maxSchemaSize = 4 * 1024 * 1024;
const maxSchemaDepth = 500;

/** Regular expressions of schemas run in linear time. */

const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // Ajv tells compiled patterns apart by their text.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => `/${pattern}/` };
  },
  { code: 're2js' },
);

const options = {
  allErrors: true,
  strict: false,
  validateSchema: false,
  verbose: true,
  logger: false as const,
  code: { regExp: linear },
};
const compiled = new WeakMap<Uint8Array, ValidateFunction>();

/** Throws a `HelmError` unless the values fit the schemas of a chart and of its subcharts. */
export function validateValues(chart: Chart, values: ValueMap): void {
  const findings: { words: string; errors: { chart: string; error: ErrorObject }[] } = { words: '', errors: [] };
  collect(chart, values, findings);
  if (findings.words === '') return;
  const first = findings.errors[0];
  throw new HelmError(
    valuesRefused,
    `values don't meet the specifications of the schema(s) in the following chart(s):\n${findings.words}`,
    {
      message: first ? explain(first.chart, first.error) : findings.words.trim(),
      ...(first ? { place: { field: fieldOf(first.error) } } : {}),
      evidence: findings.errors.slice(0, 20).map(({ chart: name, error }) => ({
        name: `${name}: ${fieldOf(error) || '(root)'}`,
        value: explain(name, error),
      })),
      remedies: [
        first
          ? `Correct ${fieldOf(first.error) || 'the values'}: ${wanted(first.error)}`
          : 'Correct the schema of the chart',
      ],
    },
  );
}

function collect(
  chart: Chart,
  values: ValueMap,
  into: { words: string; errors: { chart: string; error: ErrorObject }[] },
): void {
  if (chart.schema) {
    const data = jsonOf(values);
    const result = check(chart.schema, data);
    if (typeof result === 'string') into.words += `${chart.name}:\n${result}`;
    else if (result.length > 0) {
      into.words += `${chart.name}:\n${schemaWords(result, data)}\n`;
      into.errors.push(...result.map((error) => ({ chart: chart.name, error })));
    }
  }
  for (const subchart of chart.dependencies) {
    const value = values.get(subchart.name);
    if (value === undefined || value === null) continue;
    const table = tableOf(value);
    if (table) collect(subchart, table, into);
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

/** Errors, or the words of what is wrong with the schema itself. */
function check(schema: Uint8Array, data: unknown): ErrorObject[] | string {
  let validate = compiled.get(schema);
  if (!validate) {
    try {
      validate = compile(schema);
    } catch (error) {
      return `"file:///values.schema.json#" is not valid against metaschema: ${(error as Error).message}\n`;
    }
    compiled.set(schema, validate);
  }
  return validate(data) ? [] : (validate.errors ?? []);
}

function compile(bytes: Uint8Array): ValidateFunction {
  if (bytes.length > maxSchemaSize) throw new Error(`the schema is larger than ${maxSchemaSize} bytes`);
  const schema = JSON.parse(Buffer.from(bytes).toString('utf8')) as unknown;
  checkSchema(schema, 0);
  if (typeof schema === 'boolean') return new Ajv(options).compile(schema);
  const { $schema = '', ...rest } = schema as { $schema?: string };
  // The identifier of a schema has no meaning here and must not be fetched.
  const body = rest as Record<string, unknown>;
  if (/draft-04/.test($schema)) return withFormats(new ajvDraft04.default(options)).compile(body);
  if (/draft-0[67]/.test($schema)) return withFormats(new Ajv(options)).compile(body);
  if (/2019-09/.test($schema)) return new Ajv2019({ ...options, validateFormats: false }).compile(body);
  return new Ajv2020({ ...options, validateFormats: false }).compile(body);
}

function withFormats<T extends Ajv>(ajv: T): T {
  ajvFormats.default(ajv);
  return ajv;
}

function checkSchema(schema: unknown, depth: number): void {
  if (depth > maxSchemaDepth) throw new Error(`the schema is nested deeper than ${maxSchemaDepth}`);
  if (typeof schema !== 'object' || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (
      key === '$ref' &&
      typeof value === 'string' &&
      /^[a-z][a-z0-9+.-]*:/i.test(value) &&
      !/json-schema\.org/.test(value)
    ) {
      throw new Error(`$ref ${value} leads out of the chart; copy what it names into the schema`);
    }
    checkSchema(value, depth + 1);
  }
}

function jsonOf(value: Value): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(jsonOf);
  const table = tableOf(value);
  if (!table) return value;
  return Object.fromEntries([...table].map(([key, item]) => [key, jsonOf(item)]));
}

function fieldOf(error: ErrorObject): string {
  return error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function wanted(error: ErrorObject): string {
  return error.message ?? 'it does not fit the schema';
}

function explain(chart: string, error: ErrorObject): string {
  const given = typeof error.data === 'object' ? '' : `, but is ${JSON.stringify(error.data)}`;
  return `${chart} wants that ${fieldOf(error) || 'its values'} ${wanted(error)}${given}`;
}
