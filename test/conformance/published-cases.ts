import type { Case, Step } from './run-case.ts';
import { get, merge, post, put, quiet } from './steps.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GROUP = 'published.example.com';
const kept = { 'x-kubernetes-preserve-unknown-fields': true };

function definition(plural: string, kind: string, scope: string, versions: object[]): Step {
  return post(DEFINITIONS, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: { group: GROUP, scope, names: { plural, kind }, versions },
  });
}

const version = (name: string, schema: object, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', ...schema } },
  ...more,
});

const spec = {
  type: 'object',
  required: ['color', 'free'],
  properties: {
    color: { type: 'string', default: 'red', enum: ['red', 'blue'], example: 'red' },
    replicas: { type: 'integer', format: 'int32', minimum: 0, nullable: true },
    free: { type: 'string', nullable: true, title: 'Free' },
    any: kept,
    open: { type: 'object', ...kept, properties: { a: { type: 'string' } } },
    list: { type: 'array', items: { type: 'object', nullable: true, properties: { k: { type: 'string' } } } },
    port: { 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] },
    template: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { spec: { type: 'object', properties: { x: { type: 'string' } } } },
    },
    manifest: { type: 'object', 'x-kubernetes-embedded-resource': true, ...kept },
    map: { type: 'object', additionalProperties: { type: 'string', nullable: true } },
    set: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    rule: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self != "x"', message: 'no' }] },
    one: {
      type: 'object',
      properties: { a: { type: 'string' } },
      oneOf: [{ required: ['a'] }],
      not: { required: ['b'] },
    },
  },
};
const things = `/apis/${GROUP}/v1/namespaces/{ns}/readings`;
const reading = (name: string, more: object) => ({
  apiVersion: `${GROUP}/v1`,
  kind: 'Reading',
  metadata: { name },
  ...more,
});
const readingSchema = (properties: object) => ({ type: 'object', properties });
const fields = {
  a: { type: 'string' },
  b: { type: 'string' },
  c: { type: 'object', properties: { d: { type: 'integer' } } },
};

/** What kube-apiserver publishes of definitions, and how it reads what was stored before they changed. */
export const publishedCases: readonly Case[] = [
  {
    name: 'published-definitions',
    steps: [
      ...quiet(
        definition('things', 'Thing', 'Namespaced', [
          version(
            'v1',
            {
              description: 'A thing.',
              required: ['spec'],
              properties: { spec, status: readingSchema({ replicas: { type: 'integer' } }) },
            },
            {
              subresources: {
                status: {},
                scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
              },
              selectableFields: [{ jsonPath: '.spec.color' }],
            },
          ),
          version('v2', kept),
        ]),
        definition('planets', 'Planet', 'Cluster', [version('v1', {})]),
      ),
      get(`/openapi/v3/apis/${GROUP}/v1`, {}, { until: 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta', quiet: true }),
      get(`/openapi/v3/apis/${GROUP}/v2`, {}, { until: 200 }),
      get(`/openapi/v3/apis/${GROUP}/v1`, {}, { until: 'com.example.published.v1.PlanetList' }),
    ],
  },
  {
    name: 'published-reads',
    steps: [
      ...quiet(definition('readings', 'Reading', 'Namespaced', [version('v1', { properties: fields })])),
      { ...post(things, reading('plain', {})), until: 201, quiet: true },
      post(things, reading('full', { a: 'own', c: { d: 1 } })),
      ...quiet({
        method: 'PATCH',
        path: `${DEFINITIONS}/readings.${GROUP}`,
        contentType: 'application/json-patch+json',
        body: [
          {
            op: 'replace',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties',
            value: {
              ...fields,
              a: { type: 'string', default: 'A' },
              c: { type: 'object', properties: { e: { type: 'integer', default: 5 } } },
            },
          },
        ],
      }),
      get(`${things}/plain`, {}, { until: '"a":"A"' }),
      get(`${things}/full`),
      get(things),
      merge(`${things}/plain`, { b: 'set' }),
      put(`${things}/full`, reading('full', { b: 'put' })),
      get(things, {}, { accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io' }),
    ],
  },
];
