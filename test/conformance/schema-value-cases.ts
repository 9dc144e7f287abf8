import type { Case } from './run-case.ts';
import { del, merge, post, put, quiet } from './steps.ts';

/*
 * Values and defaults against the schemas of definitions: kube-openapi's rules, with what is odd about them.
 */

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** A definition of Things whose spec has these properties. */
const defining = (properties: object, more: object = {}, version: object = {}) => ({
  metadata: { name: 'things.{ns}.example.com' },
  spec: {
    group: '{ns}.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', singular: 'thing', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } }, ...more } },
        ...version,
      },
    ],
  },
});

/** A definition with one wrong thing. */
const tried = (property: object, version: object = {}) =>
  post(`${definitions}?dryRun=All`, defining({ a: property }, {}, version));

const things = '/apis/{ns}.example.com/v1/namespaces/{ns}/things';
const thing = (spec: object, meta: object = {}) => ({
  apiVersion: '{ns}.example.com/v1',
  kind: 'Thing',
  metadata: { name: 'a', ...meta },
  spec,
});
const made = (spec: object, meta: object = {}) => post(`${things}?dryRun=All`, thing(spec, meta));
const fieldsOf = (spec: object) => ({
  method: 'PATCH',
  path: `${things}/a?fieldManager=one&force=true`,
  body: thing(spec),
  contentType: 'application/apply-patch+yaml',
});

/** Makes the definition, waits for it, and takes it away at the end. */
const thingsCase = (name: string, definition: object, steps: Case['steps']): Case => ({
  name,
  steps: [
    ...quiet(post(definitions, definition), { method: 'GET', path: things, until: 200 }),
    ...steps,
    ...quiet(del(`${definitions}/things.{ns}.example.com`)),
  ],
});

export const schemaValueCases: readonly Case[] = [
  {
    name: 'schema-defaults',
    steps: [
      tried({ type: 'array', items: { type: 'string', enum: [] }, default: [1] }),
      tried({ type: 'array', items: { type: 'array', items: { type: 'number' } }, default: ['x'] }),
      tried({ type: 'array', items: { type: 'string', format: 'date' }, default: [{}] }),
      tried({ type: 'string', format: 'email', default: true }),
      tried({ type: 'string', format: 'int64', default: 1 }),
      tried({ type: 'object', additionalProperties: { type: 'string', format: 'int32' }, default: { a: 1 } }),
      tried({ 'x-kubernetes-int-or-string': true, nullable: true, default: true }),
      tried({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }], default: true }),
      tried({ type: 'array', items: { type: 'object', additionalProperties: false }, default: [{ name: 'a' }] }),
      tried({
        type: 'string',
        default: 'a',
        'x-kubernetes-validations': [{ rule: 'type(self) == int || type(self) == string' }],
      }),
      tried({
        type: 'string',
        format: 'byte',
        default: [null],
        'x-kubernetes-validations': [{ rule: 'self.size() < 10', message: 'must fit' }],
      }),
      tried({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' }, default: ['a', 'a'] }),
      tried({ type: 'string', maxLength: 0, minLength: 3, pattern: 'x', default: 'ab' }),
    ],
  },
  {
    name: 'schema-no-words',
    steps: [
      tried(
        { 'x-kubernetes-preserve-unknown-fields': true, $ref: '#/x' },
        { selectableFields: [{ jsonPath: 'spec.a' }] },
      ),
      tried({ type: 'string', $schema: 'x' }),
      tried({ type: 'array', items: [{ type: 'string' }] }),
      tried({ type: 'array', items: { type: 'object', properties: {} } }),
      tried({ type: 'object', additionalProperties: { type: 'object', properties: {}, bogus: 1 } }),
      post(
        `${definitions}?dryRun=All&fieldValidation=Strict`,
        defining({ a: { type: 'object', additionalProperties: { type: 'string', bogus: 1 } } }),
      ),
    ],
  },
  thingsCase(
    'schema-values',
    defining({
      text: { type: 'string', maxLength: 3, minLength: 2, pattern: '^a' },
      number: { type: 'integer', minimum: 1.5, maximum: 9.9, multipleOf: 2.5 },
      enum: { type: 'string', nullable: true, enum: ['a', 'b'] },
      either: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
      closed: { type: 'object', additionalProperties: false },
      open: { type: 'object', additionalProperties: true },
      name: { type: 'string', format: 'k8s-short-name' },
      card: { type: 'string', format: 'creditcard' },
      time: { type: 'string', format: 'date-time' },
      one: {
        type: 'object',
        properties: { x: { type: 'integer' } },
        oneOf: [{ required: ['x'] }, { required: ['y'] }],
      },
      inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    }),
    [
      made({ text: 'bbbb' }),
      made({ text: 'b' }),
      made({ text: 'bb' }),
      made({ number: 1 }),
      made({ number: 0 }),
      made({ number: 11 }),
      made({ enum: null }),
      made({ either: true }),
      made({ either: null }),
      made({ closed: { a: { b: 1 } }, open: { a: { b: 1 }, c: [{ d: 1 }], e: 1 } }),
      // one by one: kube-apiserver tells of several in the order of a Go map
      made({ name: 'A' }),
      made({ card: '1234' }),
      made({ time: '2026-01-01 00:00:00Z' }),
      made({ name: 'a', card: '4111 1111 1111 1111', time: '2026-01-01T00:00:00Z' }),
      made({ inner: { apiVersion: 'a/b/c', kind: 'A' } }),
      made({ inner: { apiVersion: 'v1', kind: 'A b' } }),
      made({ inner: { apiVersion: 'v1', kind: 'A', metadata: { name: 'a/b', namespace: 'A', labels: { a: 'é' } } } }),
      made({ inner: { apiVersion: '', kind: 'A' } }),
      made({ inner: { apiVersion: 'v1', kind: '' } }),
      made({ text: 'aa' }, { finalizers: ['a.b', 'plain', 'A b'] }),
    ],
  ),
  thingsCase(
    'schema-lists',
    defining({
      set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      map: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['k', 'l'],
        items: {
          type: 'object',
          required: ['k', 'l'],
          properties: { k: { type: 'string' }, l: { type: 'string' }, v: { type: 'integer', maximum: 5 } },
        },
      },
    }),
    [
      made({ set: ['a', 'a', 'b', 'a'] }),
      made({
        map: [
          { k: 'a', l: 'a' },
          { k: 'a', l: 'b' },
          { k: 'a', l: 'a', v: 1 },
        ],
      }),
      made({ map: [{ k: 'a', l: 'a', v: 9 }] }),
    ],
  ),
  thingsCase(
    'schema-ratcheting',
    defining({ a: { type: 'array', items: { type: 'string' } }, b: { type: 'object' } }),
    [
      ...quiet(post(things, thing({ a: ['x', 'xyz', 'x'] }))),
      ...quiet(
        merge(`${definitions}/things.{ns}.example.com`, {
          spec: {
            versions: [
              {
                name: 'v1',
                served: true,
                storage: true,
                schema: {
                  openAPIV3Schema: {
                    type: 'object',
                    properties: {
                      spec: {
                        type: 'object',
                        properties: {
                          a: {
                            type: 'array',
                            'x-kubernetes-list-type': 'set',
                            items: { type: 'string', maxLength: 2 },
                          },
                          b: { type: 'object', properties: { c: { type: 'integer' } } },
                        },
                      },
                    },
                  },
                },
              },
            ],
          },
        }),
        { ...made({ a: ['123'] }, { name: 'b' }), until: 422 },
      ),
      merge(`${things}/a`, { metadata: { labels: { a: 'b' } } }),
      merge(`${things}/a`, { spec: { b: { c: 1 } } }),
      merge(`${things}/a`, { spec: { a: ['x', 'xyz', 'x', 'y'] } }),
      merge(`${things}/a`, { spec: { a: ['x', 'x', 'y'] } }),
      merge(`${things}/a`, { spec: { a: ['x'] } }),
      merge(`${things}/a`, { spec: { a: ['x', 'x'] } }),
    ],
  ),
  thingsCase('schema-applied', defining({ a: { type: 'object', maxProperties: 1 }, b: { type: 'integer' } }), [
    fieldsOf({ a: { x: 1 } }),
    fieldsOf({ a: { x: 1 } }),
    { ...fieldsOf({ a: { y: 1 } }), path: `${things}/a?fieldManager=one&dryRun=All` },
    fieldsOf({ a: { x: 1, y: 1 } }),
    fieldsOf({ b: 1 }),
    {
      method: 'PATCH',
      path: `${things}/c?fieldManager=one`,
      body: thing({}, { name: 'c', creationTimestamp: 0, deletionGracePeriodSeconds: 3 }),
      contentType: 'application/apply-patch+yaml',
    },
  ]),
  thingsCase(
    'schema-status',
    defining(
      { replicas: { type: 'integer' } },
      {},
      {
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { replicas: { type: 'integer' } } },
              status: {
                type: 'object',
                'x-kubernetes-validations': [{ rule: 'has(self.a)' }],
                properties: {
                  a: { type: 'string' },
                  replicas: { type: 'integer' },
                  list: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                },
              },
            },
          },
        },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
      },
    ),
    [
      ...quiet(post(things, thing({ replicas: 1 }))),
      merge(`${things}/a/status`, { status: { replicas: -1 } }),
      merge(`${things}/a/status`, { status: { replicas: 1 } }),
      merge(`${things}/a/status`, { status: { a: 1 } }),
      merge(`${things}/a/status`, { status: { a: 'x', list: ['a', 'a'] } }),
      put(`${things}/a/scale`, {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'a' },
        spec: { replicas: -1 },
      }),
    ],
  ),
];
