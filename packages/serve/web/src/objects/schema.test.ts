import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkedSchema, placeAt, type Schema, schemaAt, schemaMistakes } from './schema.ts';

const text: Schema = { type: 'string' };
const source: Schema = {
  type: 'object',
  required: ['repoURL'],
  properties: { repoURL: text, path: text, helm: { type: 'object', properties: { skipCrds: { type: 'boolean' } } } },
};
const root: Schema = {
  type: 'object',
  required: ['metadata', 'spec'],
  properties: {
    kind: text,
    metadata: { type: 'object' },
    spec: {
      type: 'object',
      properties: {
        project: text,
        sources: { type: 'array', items: source },
        source,
        count: { type: 'integer' },
        policy: { type: 'string', enum: ['Always', 'Never'] },
        labels: { type: 'object', additionalProperties: text },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { known: text } },
        port: { 'x-kubernetes-int-or-string': true },
      },
    },
  },
};

const told = (yaml: string) =>
  schemaMistakes(yaml, root).map(({ from, to, message }) => `${yaml.slice(from, to).trim()}: ${message}`);

test('linkedSchema() puts schemas in the places of their names, also in one that contains itself', () => {
  const root = 'io.x.v1.Tree';
  const definitions = {
    [root]: {
      type: 'object',
      properties: {
        metadata: { allOf: [{ $ref: '#/components/schemas/Meta' }], description: 'of the object' },
        children: { type: 'array', items: { $ref: `#/components/schemas/${root}` } },
        port: { format: 'int-or-string', type: 'string' },
      },
    },
    Meta: { type: 'object', description: 'in general', properties: { name: { type: 'string' } } },
  };
  const schema = linkedSchema({ root, definitions });
  assert.equal(schemaAt(schema, ['metadata'])?.description, 'of the object');
  assert.deepEqual(Object.keys(schemaAt(schema, ['children', 'children', 'metadata'])?.properties ?? {}), ['name']);
  assert.deepEqual(
    schemaMistakes('port: 80\nchildren:\n  - children:\n      - metadata:\n          named: x\n', schema).map(
      ({ message }) => message,
    ),
    ['There is no field named'],
  );
  assert.deepEqual(linkedSchema({ root: 'none', definitions }), {});
});

test('schemaMistakes() names fields that are not there, wrong types and what is missing, where they are', () => {
  assert.deepEqual(
    told(`kind: Application
metadata: {name: a, anything: 1}
spec:
  project: 7
  projects: x
  sources:
  - repoURL: https://git/a
    helm: {skipCrds: "yes"}
  - path: b
  count: 1.5
  policy: Sometimes
  labels: {a: b, c: 1}
  any: {other: 1}
  port: http
`),
    [
      '7: This must be text',
      'projects: There is no field projects',
      '"yes": This must be true or false',
      'path: b: repoURL must be given',
      '1.5: This must be a whole number',
      'Sometimes: This must be one of Always, Never',
      '1: This must be text',
    ],
  );
  assert.deepEqual(told('spec:\n  project: default\n  count: 2\n  source:\n'), []);
  assert.deepEqual(told('spec: [broken'), []);
});

test('placeAt() finds the keys above, through lists at either indentation', () => {
  const at = (yaml: string) => placeAt(yaml, yaml.length);
  assert.deepEqual(at('spec:\n  pro'), { path: ['spec'], field: undefined, written: 'pro' });
  assert.deepEqual(at('spec:\n  project: x\n  sources:\n  - repoURL: a\n    pa').path, ['spec', 'sources']);
  assert.deepEqual(at('spec:\n  sources:\n    - repoURL: a\n      helm:\n        skip').path, [
    'spec',
    'sources',
    'helm',
  ]);
  assert.deepEqual(at('spec:\n  sources:\n  - repoURL: a\n  - re').path, ['spec', 'sources']);
  assert.deepEqual(at('spec:\n  sources:\n  - repoURL: a\n  pol').path, ['spec']);
  assert.deepEqual(at('metadata:\n  name: a\nspec:\n  policy: Al'), { path: ['spec'], field: 'policy', written: 'Al' });
  assert.deepEqual(Object.keys(schemaAt(root, ['spec', 'sources'])?.properties ?? {}), ['repoURL', 'path', 'helm']);
  assert.equal(schemaAt(root, ['spec', 'labels', 'x'])?.type, 'string');
});
