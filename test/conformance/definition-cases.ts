import type { Case, Step } from './run-case.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'odd.example.com';

function definition(more: { spec?: object; version?: object; metadata?: object; schema?: object } = {}): object {
  const { spec = {}, version = {}, metadata = {}, schema = { type: 'object' } } = more;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `odds.${GROUP}`, ...metadata },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'odds', kind: 'Odd' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
      ...spec,
    },
  };
}

const attempt = (body: object): Step => ({ method: 'POST', path: `${DEFINITIONS}?dryRun=All`, body });
/** A schema with one property, told by itself. */
const property = (schema: object, more: object = {}): object =>
  definition({ schema: { type: 'object', properties: { a: schema }, ...more } });
const other = (more: object) => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object' } },
  ...more,
});

const DEFINITIONS_ODD: readonly object[] = [
  definition({ metadata: { name: 'wrong' } }),
  definition({ spec: { group: 'nodot' } }),
  definition({ spec: { group: 'Bad_Group.com' } }),
  definition({ spec: { group: '' } }),
  definition({ spec: { scope: 'Galaxy' } }),
  definition({ spec: { scope: '' } }),
  definition({ spec: { names: { plural: 'Odds', kind: 'Odd' } } }),
  definition({ spec: { names: { plural: 'odds', kind: 'odd_kind', listKind: 'x y', singular: 'A' } } }),
  definition({ spec: { names: { plural: 'odds', kind: 'Odd', listKind: 'Odd' } } }),
  definition({ spec: { names: { plural: 'odds', kind: 'Odd', shortNames: ['A b', 'ok'], categories: ['X'] } } }),
  definition({ spec: { names: { plural: 'odds', kind: '' } } }),
  definition({ spec: { versions: [] } }),
  definition({ spec: { versions: [other({ storage: false })] } }),
  definition({ spec: { versions: [other({}), other({ name: 'v2' })] } }),
  definition({ spec: { versions: [other({}), other({ storage: false })] } }),
  definition({ version: { name: 'V1' } }),
  definition({ version: { schema: undefined } }),
  definition({ version: { schema: {} } }),
  definition({ version: { deprecationWarning: 'old' } }),
  definition({ version: { deprecated: true, deprecationWarning: '' } }),
  definition({ spec: { preserveUnknownFields: true } }),
  definition({ spec: { conversion: { strategy: 'Magic' } } }),
  definition({ spec: { conversion: { strategy: 'Webhook' } } }),
  definition({
    spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: [] } } },
  }),
  definition({
    spec: {
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { url: 'http://x' }, conversionReviewVersions: ['v3'] },
      },
    },
  }),
  definition({
    spec: {
      conversion: {
        strategy: 'None',
        webhook: { clientConfig: { url: 'https://x' }, conversionReviewVersions: ['v1'] },
      },
    },
  }),
  definition({ spec: { group: 'odd.k8s.io' }, metadata: { name: 'odds.odd.k8s.io' } }),
  definition({
    spec: { group: 'odd.k8s.io' },
    metadata: { name: 'odds.odd.k8s.io', annotations: { 'api-approved.kubernetes.io': 'maybe' } },
  }),
  definition({
    spec: { group: 'odd.k8s.io' },
    metadata: { name: 'odds.odd.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, test' } },
  }),
  definition({ version: { subresources: { scale: { specReplicasPath: 'spec.x', statusReplicasPath: '.spec.y' } } } }),
  definition({
    version: {
      subresources: {
        scale: { specReplicasPath: '.spec.x', statusReplicasPath: '.status.y', labelSelectorPath: '.meta.z' },
      },
    },
  }),
  definition({ version: { subresources: { scale: {} } } }),
  definition({ version: { additionalPrinterColumns: [{ name: '', type: 'string', jsonPath: '.a' }] } }),
  definition({ version: { additionalPrinterColumns: [{ name: 'a', type: 'nope', jsonPath: 'a', format: 'nope' }] } }),
  definition({ version: { additionalPrinterColumns: [{ name: 'a', type: 'string', jsonPath: '' }] } }),
  definition({ version: { selectableFields: [{ jsonPath: '.spec.nope' }] } }),
  definition({
    schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } } },
    },
    version: {
      selectableFields: [
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec.a' },
        { jsonPath: '.spec.b' },
        { jsonPath: '.metadata.name' },
        { jsonPath: "['spec'].a" },
        { jsonPath: '' },
      ],
    },
  }),
];

const SCHEMAS_ODD: readonly object[] = [
  definition({ schema: { type: 'string' } }),
  definition({ schema: {} }),
  definition({ schema: { type: 'object', additionalProperties: { type: 'string' } } }),
  definition({ schema: { type: 'object', nullable: true } }),
  definition({ schema: { type: 'object', default: {} } }),
  definition({
    schema: { type: 'object', anyOf: [{ required: ['a'] }], properties: { a: { type: 'string' } } },
    version: { subresources: { status: {} } },
  }),
  property({}),
  property({ type: 'nope' }),
  property({ type: 'null' }),
  property({ type: 'array' }),
  property({ type: 'array', items: {} }),
  property({ type: 'array', items: [{ type: 'string' }] }),
  property({ type: 'array', uniqueItems: true, items: { type: 'string' } }),
  property({ type: 'object', properties: { b: { type: 'string' } }, additionalProperties: { type: 'string' } }),
  property({ type: 'object', additionalProperties: {} }),
  property({ type: 'string', pattern: '(' }),
  property({ type: 'string', 'x-kubernetes-int-or-string': true }),
  property({ 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true }),
  property({ 'x-kubernetes-preserve-unknown-fields': false, type: 'object' }),
  property({ type: 'string', 'x-kubernetes-list-type': 'set' }),
  property({ type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'nope' }),
  property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'set' }),
  property({
    type: 'array',
    items: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    'x-kubernetes-list-type': 'set',
  }),
  property({ type: 'array', items: { type: 'string', nullable: true }, 'x-kubernetes-list-type': 'set' }),
  property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' }),
  property({
    type: 'array',
    items: { type: 'string' },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }),
  property({
    type: 'array',
    items: { type: 'object', properties: { k: { type: 'string' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }),
  property({
    type: 'array',
    items: { type: 'object', required: ['k'], properties: { k: { type: 'object' } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k', 'k', 'z'],
  }),
  property({
    type: 'array',
    items: { type: 'object', required: ['k'], properties: { k: { type: 'string', nullable: true } } },
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['k'],
  }),
  property({ type: 'array', items: { type: 'object' }, 'x-kubernetes-list-map-keys': ['k'] }),
  property({ type: 'string', 'x-kubernetes-map-type': 'atomic' }),
  property({ type: 'object', 'x-kubernetes-map-type': 'nope' }),
  property({ type: 'string', 'x-kubernetes-embedded-resource': true }),
  property({ type: 'object', 'x-kubernetes-embedded-resource': true }),
  property({
    type: 'object',
    'x-kubernetes-embedded-resource': true,
    'x-kubernetes-preserve-unknown-fields': true,
    additionalProperties: { type: 'string' },
  }),
  property({ type: 'string' }, { anyOf: [{ properties: { b: { pattern: 'x' } } }] }),
  property({ type: 'string' }, { anyOf: [{ properties: { a: { type: 'string' } } }] }),
  property({ type: 'string', not: { nullable: true, description: 'x', title: 'y', default: 'z' } }),
  property({ type: 'string', oneOf: [{ 'x-kubernetes-validations': [{ rule: 'true' }] }] }),
  definition({
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
    },
  }),
  definition({
    schema: {
      type: 'object',
      properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } },
    },
  }),
  definition({ schema: { type: 'object', properties: { kind: { type: 'integer' } } } }),
  property({ type: 'string', default: 1 }),
  property({ type: 'string', default: 'abc', maxLength: 2 }),
  property({ type: 'object', default: { x: 1 }, properties: { y: { type: 'integer' } } }),
  property({ type: 'string', default: null }),
  property({ type: 'string', enum: ['a'], default: 'b' }),
  property({ type: 'integer', default: 5, 'x-kubernetes-validations': [{ rule: 'self > 6' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: '' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true', message: ' ' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true\n&& true' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true', message: 'a\nb' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true', reason: 'Nope' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true', messageExpression: '1' }] }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true', messageExpression: 'nope' }] }),
  property({
    type: 'object',
    properties: { b: { type: 'string' } },
    'x-kubernetes-validations': [{ rule: 'true', fieldPath: '.nope' }],
  }),
  property({ type: 'integer', 'x-kubernetes-validations': [{ rule: 'true', optionalOldSelf: true }] }),
  property({
    type: 'array',
    maxItems: 3,
    items: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] },
  }),
  property({
    type: 'object',
    'x-kubernetes-map-type': 'atomic',
    properties: { b: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } },
  }),
  property({ type: 'string', format: 'nope' }),
  property({ type: 'string', enum: [] }),
];

const valid = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 4, pattern: '^[a-z]*$' },
        kind: { type: 'string', enum: ['a', 'b'] },
        number: { type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 5 },
        int32: { type: 'integer', format: 'int32' },
        int64: { type: 'integer', format: 'int64', multipleOf: 3 },
        flag: { type: 'boolean' },
        maybe: { type: 'string', nullable: true },
        defaulted: { type: 'string', nullable: true, default: 'd' },
        list: { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        map: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['k', 'p'],
          items: {
            type: 'object',
            required: ['k'],
            properties: { k: { type: 'string' }, p: { type: 'string', default: 'TCP' } },
          },
        },
        table: { type: 'object', maxProperties: 2, minProperties: 1, additionalProperties: { type: 'integer' } },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'integer' } },
        },
        any: { 'x-kubernetes-preserve-unknown-fields': true },
        port: { 'x-kubernetes-int-or-string': true },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        one: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
        },
        some: {
          type: 'object',
          properties: { a: { type: 'integer' }, b: { type: 'integer' } },
          anyOf: [{ required: ['a'] }, { required: ['b'] }],
        },
        no: { type: 'string', not: { enum: ['bad'] } },
        every: { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 4 }] },
        date: { type: 'string', format: 'date-time' },
        uri: { type: 'string', format: 'uri' },
        email: { type: 'string', format: 'email' },
        uuid: { type: 'string', format: 'uuid' },
        ip: { type: 'string', format: 'ipv4' },
        bytes: { type: 'string', format: 'byte' },
        duration: { type: 'string', format: 'duration' },
        nested: {
          type: 'object',
          required: ['x'],
          properties: { x: { type: 'object', default: {}, properties: { y: { type: 'integer', default: 7 } } } },
        },
      },
    },
  },
};

const instances = `/apis/${GROUP}/v1/namespaces/{ns}/odds`;
const write = (spec: unknown, query = '?dryRun=All'): Step => ({
  method: 'POST',
  path: `${instances}${query}`,
  body: { apiVersion: `${GROUP}/v1`, kind: 'Odd', metadata: { name: 'one' }, spec },
});

const VALUES: readonly unknown[] = [
  { text: 'a' },
  { text: 'abcdef' },
  { text: 'AB' },
  { text: 1 },
  { text: null },
  { kind: 'c' },
  { number: 1 },
  { number: 6 },
  { number: 1.3 },
  { number: '2' },
  { int32: 3000000000 },
  { int32: 1.5 },
  { int64: 9007199254740991 },
  { flag: 'true' },
  { maybe: null },
  { defaulted: null },
  { list: [] },
  { list: ['a', 'b', 'c'] },
  { list: [1, 'a'] },
  { list: {} },
  { list: [null] },
  { set: ['a', 'b', 'a'] },
  { map: [{ k: 'a' }, { k: 'a', p: 'TCP' }] },
  { map: [{ p: 'x' }] },
  { table: {} },
  { table: { a: 1, b: 2, c: 3 } },
  { table: { a: 'x' } },
  { free: { known: 'x', other: { deep: 1 } } },
  { any: [1, { a: 2 }] },
  { port: 1.5 },
  { port: true },
  { port: 'http' },
  { embedded: { kind: 'ConfigMap' } },
  {
    embedded: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'Bad Name', nope: 1, labels: { 'a b': 'c' } },
      x: 1,
    },
  },
  { one: {} },
  { one: { a: 1, b: 2 } },
  { some: {} },
  { no: 'bad' },
  { every: 5 },
  { date: 'yesterday' },
  { date: '2024-01-01T00:00:00Z' },
  { uri: 'not a uri' },
  { email: 'nobody' },
  { uuid: 'x' },
  { ip: '300.1.1.1' },
  { bytes: '***' },
  { duration: 'long' },
  { nested: {} },
  { nested: { x: {} } },
  { unknown: 1, nested: { x: { z: 1 } } },
  'text',
  [],
  null,
  1,
];

export const definitionCases: readonly Case[] = [
  { name: 'definitions-odd', steps: DEFINITIONS_ODD.map(attempt) },
  { name: 'definitions-schemas', steps: SCHEMAS_ODD.map(attempt) },
  {
    name: 'definitions-values',
    steps: [
      {
        method: 'POST',
        path: DEFINITIONS,
        body: definition({ schema: valid, version: { subresources: { status: {} } } }),
        quiet: true,
      },
      { method: 'GET', path: instances, until: 200, quiet: true },
      ...VALUES.map((value) => write(value)),
      write({ unknown: 1, nested: { x: { z: 1 } } }, '?dryRun=All&fieldValidation=Strict'),
      write({ unknown: 1 }, '?dryRun=All&fieldValidation=Warn'),
    ],
  },
];
