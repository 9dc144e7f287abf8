import { builtinSchema, type OpenApiSchema } from '@tiphys/kubernetes';
import type { Step } from '../conformance/run-case.ts';
import type { Choices } from './choices.ts';
import type { FuzzKind } from './kinds.ts';
import { isMap, type Json, oddValue, textFor } from './values.ts';
import { writeOf } from './writes.ts';

/*
 * Definitions of custom resources that nobody has thought of: structural schemas with everything that there is in them,
 * right or slightly wrong, and what is then written by them.
 */

export type Schema = { [key: string]: Json };

const FIELDS = ['a', 'b', 'c', 'name', 'x-y', 'in', 'd_e', '9'];

/** Rules by the type of what they look at: right ones first, then slow and wrong ones. */
const RULES: Readonly<Record<string, readonly string[]>> = {
  string: [
    'self.size() < 10',
    'self == oldSelf',
    "self.matches('^[a-z]*$')",
    "self.startsWith('a') || self.contains('b')",
    "self in ['a', 'b', 'web']",
    'self.split(",").all(x, x.size() > 0)',
    'self.lowerAscii() == self',
    'self.find("[0-9]+") == ""',
    'self.replace("a", "bb").size() < 100',
    'self.split("").all(x, self.split("").exists_one(y, x == y))',
    'self > 1',
  ],
  integer: ['self > 0', 'self >= oldSelf', 'self in [1, 2, 3]', 'self % 2 == 0', '10 / self > 1', 'self.size() > 1'],
  number: ['self > 0.5', 'self <= 1.0', 'self == oldSelf', 'self > 0', 'int(self) == 1'],
  boolean: ['self', '!self || oldSelf', 'self == true', 'self ? 1 : 2'],
  array: [
    'self.size() < 3',
    'self.all(x, x == x)',
    'self.exists(x, self.all(y, x == y))',
    'self.map(x, [x]).size() > 0',
    'self == oldSelf || self.size() > oldSelf.size()',
    'self.all(x, self.filter(y, x == y).size() == 1)',
    'self.all(x, self.all(y, self.all(z, x == y || y == z)))',
    'self.all(i, v, i < 2 || v == v)',
    'self.exists(x, x.name == "a")',
    'self.isSorted()',
    'self + self == self',
    'self[0] == self[0]',
  ],
  map: [
    'self.size() < 3',
    'self.all(k, k.size() < 4)',
    'self.all(k, self[k] == self[k])',
    'self.all(k, v, k != "x" || v == v)',
    'self.exists_one(k, k == "app")',
    'self == oldSelf',
    '"app" in self',
    'self.map(k, self[k]).size() > 0',
    'self.app == "web"',
  ],
  object: [
    'has(self.a)',
    '!has(self.b) || has(self.a)',
    'self.a == oldSelf.a',
    'has(self.a) == has(oldSelf.a)',
    'self.?a.hasValue()',
    'size(self.name) < 4',
    'self.x__dash__y == "a"',
    'self.__in__ == "a"',
    'self == oldSelf',
    'self.b.all(x, x == x)',
    'self.metadata.name == "a"',
    'self.bogus == 1',
  ],
  any: [
    'true',
    'self == self',
    'type(self) == int || type(self) == string',
    'false',
    '1',
    "'a'",
    'self +',
    '',
    ' ',
    'self.a\n==1',
  ],
};
const MESSAGES = [
  '"bad"',
  '"is " + string(self)',
  '"is " + self',
  'string(self.a)',
  '1',
  'self +',
  '"\\n"',
  ' ',
  'self.bogus',
];
const FIELD_PATHS = ['.a', '.b', '.name', '.a.b', 'a', '', ' ', '.x-y', "['x-y']", '.a[0]', '.bogus', '\n'];

/** A schema: mostly right. */
export function schemaFor(choices: Choices, depth: number): Schema {
  const kind = choices.pick([
    'string',
    'integer',
    'object',
    'array',
    'map',
    'string',
    'boolean',
    'number',
    'int-or-string',
    'free',
    'embedded',
    'half',
  ]);
  const schema = (depth <= 0 && !['integer', 'boolean', 'number'].includes(kind) ? SHAPES.string : SHAPES[kind])?.(
    choices,
    depth,
  ) as Schema;
  if (choices.chance(12)) schema.nullable = true;
  if (choices.chance(18)) schema.default = defaultFor(choices, schema);
  if (choices.chance(22)) schema['x-kubernetes-validations'] = rulesFor(choices, schema);
  if (choices.chance(4)) Object.assign(schema, junctor(choices));
  if (choices.chance(4)) Object.assign(schema, choices.pick<Schema>(MISTAKES));
  return schema;
}

const SHAPES: Readonly<Record<string, (choices: Choices, depth: number) => Schema>> = {
  string: (choices) => ({
    type: 'string',
    ...(choices.chance(30) ? { maxLength: choices.pick([5, 0, 100, -1]) } : {}),
    ...(choices.chance(10) ? { minLength: choices.pick([1, 3]) } : {}),
    ...(choices.chance(10) ? { pattern: choices.pick(['^[a-z]*$', 'a', '^a{2,1}$', '(']) } : {}),
    ...(choices.chance(12) ? { enum: choices.pick([['a', 'b'], ['web'], [1, 'a'], []]) } : {}),
    ...(choices.chance(12)
      ? { format: choices.pick(['date-time', 'byte', 'duration', 'date', 'uuid', 'ipv4', 'email', 'int32', 'bogus']) }
      : {}),
  }),
  integer: (choices) => ({
    type: 'integer',
    ...(choices.chance(25) ? { minimum: choices.pick([0, 1, -5, 1.5]) } : {}),
    ...(choices.chance(20)
      ? { maximum: choices.pick([10, 0, 100]), ...(choices.chance(30) ? { exclusiveMaximum: true } : {}) }
      : {}),
    ...(choices.chance(10) ? { multipleOf: choices.pick([2, 0.5, 0, -1]) } : {}),
    ...(choices.chance(10) ? { format: choices.pick(['int32', 'int64', 'float']) } : {}),
    ...(choices.chance(8) ? { enum: [1, 2, 80] } : {}),
  }),
  number: (choices) => ({ type: 'number', ...(choices.chance(25) ? { minimum: choices.pick([0, 0.5]) } : {}) }),
  boolean: () => ({ type: 'boolean' }),
  array(choices, depth) {
    const items = schemaFor(choices, depth - 1);
    const listType = choices.chance(45) ? choices.pick(['atomic', 'set', 'map', 'odd']) : undefined;
    const keys = choices.pick<Json>([['name'], ['a'], ['name', 'a'], [], ['name', 'name']]);
    if (listType === 'map' && choices.chance(85)) {
      items.type = 'object';
      const properties = isMap(items.properties) ? items.properties : {};
      items.properties = { ...properties, name: { type: 'string' }, a: { type: 'string', default: 'x' } };
      items.required = ['name'];
      delete items.additionalProperties;
    }
    return {
      type: 'array',
      items,
      ...(choices.chance(35) ? { maxItems: choices.pick([3, 10, 0, 1000]) } : {}),
      ...(choices.chance(8) ? { minItems: 1 } : {}),
      ...(choices.chance(3) ? { uniqueItems: true } : {}),
      ...(listType ? { 'x-kubernetes-list-type': listType } : {}),
      ...(listType === 'map' || choices.chance(2) ? { 'x-kubernetes-list-map-keys': keys } : {}),
    };
  },
  map: (choices, depth) => ({
    type: 'object',
    additionalProperties: choices.chance(8) ? choices.pick([true, false]) : schemaFor(choices, depth - 1),
    ...(choices.chance(30) ? { maxProperties: choices.pick([3, 10, 0]) } : {}),
    ...(choices.chance(15) ? { 'x-kubernetes-map-type': choices.pick(['atomic', 'granular', 'odd']) } : {}),
  }),
  object(choices, depth) {
    const names = Array.from({ length: choices.pick([2, 1, 3, 0]) }, () => choices.pick(FIELDS));
    const properties = Object.fromEntries(names.map((name) => [name, schemaFor(choices, depth - 1)]));
    return {
      type: 'object',
      properties,
      ...(choices.chance(30) ? { required: [choices.pick([...names, ...names, 'a'])] } : {}),
      ...(choices.chance(8) ? { 'x-kubernetes-map-type': choices.pick(['atomic', 'granular']) } : {}),
      ...(choices.chance(5) ? { maxProperties: 2 } : {}),
    };
  },
  'int-or-string': (choices) => ({
    'x-kubernetes-int-or-string': true,
    ...(choices.chance(20) ? { anyOf: [{ type: 'integer' }, { type: 'string' }] } : {}),
    ...(choices.chance(15) ? { maxLength: 3 } : {}),
    ...(choices.chance(5) ? { type: 'string' } : {}),
  }),
  free: (choices) => ({
    ...(choices.chance(60) ? { type: 'object' } : {}),
    'x-kubernetes-preserve-unknown-fields': !choices.chance(5),
  }),
  half: (choices, depth) => ({ ...SHAPES.object?.(choices, depth), 'x-kubernetes-preserve-unknown-fields': true }),
  embedded: (choices, depth) => ({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    ...(choices.chance(70) ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    ...(choices.chance(40) ? { properties: { spec: schemaFor(choices, depth - 1) } } : {}),
  }),
};

const MISTAKES: readonly Schema[] = [
  { type: 'null' },
  { type: 'text' },
  { $ref: '#/x' },
  { properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } },
  { 'x-kubernetes-int-or-string': true },
  { 'x-kubernetes-preserve-unknown-fields': true },
  { required: ['zz'] },
  { title: 'x', description: 'y', example: { a: 1 }, externalDocs: { url: 'a' } },
  { definitions: { a: {} } },
  { exclusiveMinimum: true },
];

function junctor(choices: Choices): Schema {
  const part = () =>
    choices.pick<Json>([
      { required: ['a'] },
      { minLength: 2 },
      { properties: { a: { maxLength: 2 } } },
      { type: 'string' },
      { pattern: '^a' },
      { maximum: 3 },
      { properties: { zz: { minimum: 1 } } },
    ]);
  const name = choices.pick(['allOf', 'anyOf', 'oneOf', 'not']);
  return { [name]: name === 'not' ? part() : [part(), part()] };
}

function rulesFor(choices: Choices, schema: Schema): Json[] {
  const type = schema['x-kubernetes-int-or-string'] ? 'any' : schema.additionalProperties ? 'map' : String(schema.type);
  return Array.from({ length: choices.pick([1, 1, 2]) }, () => {
    const pool = choices.chance(10) ? (RULES.any ?? []) : (RULES[type] ?? RULES.any ?? []);
    return {
      rule: choices.pick(pool),
      ...(choices.chance(30) ? { message: choices.pick(['must fit', ' ', 'a\nb', '']) } : {}),
      ...(choices.chance(25) ? { messageExpression: choices.pick(MESSAGES) } : {}),
      ...(choices.chance(15)
        ? { reason: choices.pick(['FieldValueForbidden', 'FieldValueRequired', 'FieldValueDuplicate', 'Odd']) }
        : {}),
      ...(choices.chance(15) ? { fieldPath: choices.pick(FIELD_PATHS) } : {}),
      ...(choices.chance(10) ? { optionalOldSelf: choices.pick([true, false]) } : {}),
    };
  });
}

/** A value that the schema may have by default: it mostly fits. */
function defaultFor(choices: Choices, schema: Schema): Json {
  if (choices.chance(15)) return oddValue(choices);
  if (schema['x-kubernetes-int-or-string']) return choices.pick<Json>([1, '50%']);
  switch (schema.type) {
    case 'string':
      return Array.isArray(schema.enum) && schema.enum.length ? (schema.enum[0] as Json) : textFor(choices, 'default');
    case 'integer':
      return choices.pick([1, 2, 5, 80]);
    case 'number':
      return choices.pick([1, 0.5]);
    case 'boolean':
      return true;
    case 'array':
      return choices.pick<Json>([[], ['a'], [1], [{ name: 'a' }]]);
    default:
      return choices.pick<Json>([{}, { a: 'b' }, { a: 1 }, { name: 'x' }]);
  }
}

/** A definition in a group of the run's own. */
export function definitionFor(choices: Choices): Schema {
  const spec = SHAPES.object?.(choices, 3) as Schema;
  if (choices.chance(25)) spec['x-kubernetes-validations'] = rulesFor(choices, spec);
  const root: Schema = {
    type: 'object',
    properties: { spec, ...(choices.chance(60) ? { status: schemaFor(choices, 1) } : {}) },
    ...(choices.chance(10) ? { 'x-kubernetes-validations': rulesFor(choices, { type: 'object' }) } : {}),
    ...(choices.chance(6) ? { required: ['spec'] } : {}),
    ...(choices.chance(3) ? choices.pick<Schema>(MISTAKES) : {}),
  };
  const version = (name: string, storage: boolean): Schema => ({
    name,
    served: true,
    storage,
    schema: { openAPIV3Schema: root },
    ...(choices.chance(50) ? { subresources: subresourcesFor(choices) } : {}),
    ...(choices.chance(20) ? { additionalPrinterColumns: columnsFor(choices) } : {}),
    ...(choices.chance(15)
      ? {
          selectableFields: [
            { jsonPath: choices.pick(['.spec.a', '.spec.name', '.spec.b', 'spec.a', '.spec.a[0]', '.x']) },
          ],
        }
      : {}),
  });
  const versions = choices.chance(20) ? [version('v1', true), version('v2', choices.chance(8))] : [version('v1', true)];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'things.{ns}.fuzz.example.com' },
    spec: {
      group: '{ns}.fuzz.example.com',
      scope: 'Namespaced',
      names: { plural: 'things', singular: 'thing', kind: 'Thing' },
      versions,
      ...(choices.chance(3) ? { preserveUnknownFields: true } : {}),
    },
  };
}

function subresourcesFor(choices: Choices): Schema {
  return {
    ...(choices.chance(70) ? { status: {} } : {}),
    ...(choices.chance(20)
      ? {
          scale: {
            specReplicasPath: choices.pick(['.spec.a', '.spec.replicas', 'spec.a', '.status.a', '']),
            statusReplicasPath: choices.pick(['.status.a', '.spec.a', '']),
            ...(choices.chance(30) ? { labelSelectorPath: choices.pick(['.status.b', '.spec.b', 'x']) } : {}),
          },
        }
      : {}),
  };
}

function columnsFor(choices: Choices): Json {
  return [
    {
      name: choices.pick(['A', '', 'Age']),
      type: choices.pick(['string', 'integer', 'date', 'boolean', 'number', 'odd']),
      jsonPath: choices.pick([
        '.spec.a',
        '.metadata.creationTimestamp',
        '.spec.b[0]',
        'spec.a',
        '.spec[',
        '.spec.c.name',
      ]),
      ...(choices.chance(15) ? { format: choices.pick(['int32', 'date', 'odd']) } : {}),
      ...(choices.chance(15) ? { priority: choices.pick([1, -1]) } : {}),
    },
  ];
}

const PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const metadata = builtinSchema({ group: '', version: 'v1', kind: 'ConfigMap' })?.properties?.metadata ?? {};

/** A definition, and then writes of what it defines. */
export function definitionSteps(about: Choices): (choices: Choices) => Step {
  const definition = definitionFor(about);
  const { versions } = definition.spec as {
    versions: { schema: { openAPIV3Schema: OpenApiSchema }; subresources?: object }[];
  };
  const [version] = versions;
  const schema = version?.schema.openAPIV3Schema ?? {};
  const text = { type: 'string' } as const;
  const kind: FuzzKind = {
    kind: 'Thing',
    apiVersion: '{ns}.fuzz.example.com/v1',
    path: '/apis/{ns}.fuzz.example.com/v1/namespaces/{ns}/things',
    base: { spec: {} },
    schema: { ...schema, properties: { ...schema.properties, metadata, apiVersion: text, kind: text } },
    subresources: Object.keys(version?.subresources ?? {}) as ('status' | 'scale')[],
    custom: true,
  };
  let made = false;
  return (choices) => {
    if (made) return writeOf(choices, kind);
    made = true;
    return { method: 'POST', path: PATH, body: definition };
  };
}
