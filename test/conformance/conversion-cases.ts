import type { Case, Step } from './run-case.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const schema = (properties: object) => ({
  openAPIV3Schema: {
    type: 'object',
    properties: {
      spec: { type: 'object', properties },
      status: { type: 'object', properties: { seen: { type: 'string' } } },
    },
  },
});
const V1 = { host: { type: 'string' }, port: { type: 'integer' }, weight: { type: 'integer', default: 7 } };
const V2 = { address: { type: 'string' }, weight: { type: 'integer', default: 8 } };
const columns = [{ name: 'Weight', type: 'integer', jsonPath: '.spec.weight' }];

function definition(group: string, conversion: object, storage = 'v1'): object {
  const version = (name: string, properties: object) => ({
    name,
    served: true,
    storage: name === storage,
    schema: schema(properties),
    subresources: { status: {} },
    additionalPrinterColumns: columns,
  });
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `endpoints.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural: 'endpoints', kind: 'Endpoint' },
      versions: [version('v1', V1), version('v2', V2)],
      conversion,
    },
  };
}

const webhook = (path: string, more: object = {}) => ({
  strategy: 'Webhook',
  webhook: { clientConfig: { url: `{webhook}${path}`, caBundle: '{ca}', ...more }, conversionReviewVersions: ['v1'] },
});
const merge = (path: string, body: object): Step => ({
  method: 'PATCH',
  path,
  body,
  contentType: 'application/merge-patch+json',
});
const established = (group: string): Step => ({
  method: 'GET',
  path: `${DEFINITIONS}/endpoints.${group}`,
  until: '"type":"Established","status":"True"',
  quiet: true,
});
const at = (group: string, version: string, name = '') =>
  `/apis/${group}/${version}/namespaces/{ns}/endpoints${name && `/${name}`}`;
const endpoint = (group: string, version: string, name: string, spec: object, metadata: object = {}) => ({
  apiVersion: `${group}/${version}`,
  kind: 'Endpoint',
  metadata: { name, ...metadata },
  spec,
});

/** The group of a fault: every one has its definition, so that nothing is remembered. */
const faulty = (fault: string): Case => {
  const group = `${fault}.conversion.example.com`;
  return {
    name: `conversion-${fault}`,
    steps: [
      { method: 'POST', path: DEFINITIONS, body: definition(group, webhook(`/convert-${fault}`)), quiet: true },
      established(group),
      {
        method: 'POST',
        path: at(group, 'v1'),
        body: endpoint(group, 'v1', 'kept', { host: 'h', port: 1 }),
        until: 201,
      },
      { method: 'GET', path: at(group, 'v1', 'kept') },
      { method: 'GET', path: at(group, 'v2', 'kept') },
      {
        method: 'POST',
        path: at(group, 'v2'),
        body: endpoint(group, 'v2', 'new', { address: 'h:2' }, { labels: { a: 'b' } }),
      },
      // What the real server does with the managed fields of an object that does not fit its schema is not copied.
      ...(fault === 'unknown-field' ? [] : [merge(at(group, 'v2', 'kept'), { spec: { weight: 9 } })]),
      { method: 'DELETE', path: at(group, 'v1', 'kept') },
    ],
  };
};

const GROUP = 'conversion.example.com';
const NONE = 'none.conversion.example.com';

/** CustomResourceDefinitions whose versions are converted, by a webhook or by name alone. */
export const conversionCases: readonly Case[] = [
  {
    name: 'conversion-by-webhook',
    steps: [
      { method: 'POST', path: DEFINITIONS, body: definition(GROUP, webhook('/convert')) },
      established(GROUP),
      { method: 'POST', path: at(GROUP, 'v1'), body: endpoint(GROUP, 'v1', 'one', { host: 'h', port: 1 }), until: 201 },
      { method: 'GET', path: at(GROUP, 'v2', 'one') },
      { method: 'POST', path: at(GROUP, 'v2'), body: endpoint(GROUP, 'v2', 'two', { address: 'g:2' }) },
      { method: 'GET', path: at(GROUP, 'v1', 'two') },
      { method: 'GET', path: at(GROUP, 'v2') },
      { method: 'GET', path: at(GROUP, 'v1') },
      { method: 'GET', path: `${at(GROUP, 'v2')}?limit=1` },
      { method: 'GET', path: at(GROUP, 'v2'), accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
      {
        method: 'GET',
        path: at(GROUP, 'v2'),
        accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
      },
      { method: 'GET', path: `${at(GROUP, 'v2')}?watch=true&timeoutSeconds=1` },
      merge(at(GROUP, 'v2', 'one'), { spec: { address: 'changed:3' } }),
      { method: 'GET', path: at(GROUP, 'v1', 'one') },
      merge(`${at(GROUP, 'v2', 'one')}/status`, { status: { seen: 'yes' } }),
      {
        method: 'PATCH',
        path: `${at(GROUP, 'v1', 'applied')}?fieldManager=first`,
        contentType: 'application/apply-patch+yaml',
        body: endpoint(GROUP, 'v1', 'applied', { host: 'h', port: 1 }),
      },
      {
        method: 'PATCH',
        path: `${at(GROUP, 'v2', 'applied')}?fieldManager=second`,
        contentType: 'application/apply-patch+yaml',
        body: endpoint(GROUP, 'v2', 'applied', { weight: 5 }),
      },
      {
        method: 'PATCH',
        path: `${at(GROUP, 'v2', 'applied')}?fieldManager=first`,
        contentType: 'application/apply-patch+yaml',
        body: endpoint(GROUP, 'v2', 'applied', { address: 'new:2' }),
      },
      merge(`${DEFINITIONS}/endpoints.${GROUP}`, definition(GROUP, webhook('/convert'), 'v2')),
      { method: 'GET', path: at(GROUP, 'v2', 'two') },
      merge(at(GROUP, 'v1', 'two'), { spec: { port: 22 } }),
      { method: 'GET', path: `${DEFINITIONS}/endpoints.${GROUP}`, until: '"storedVersions":["v1","v2"]' },
      { method: 'DELETE', path: at(GROUP, 'v2', 'one') },
      { method: 'DELETE', path: at(GROUP, 'v1') },
    ],
  },
  {
    name: 'conversion-by-name',
    steps: [
      { method: 'POST', path: DEFINITIONS, body: definition(NONE, { strategy: 'None' }) },
      established(NONE),
      { method: 'POST', path: at(NONE, 'v1'), body: endpoint(NONE, 'v1', 'one', { host: 'h', port: 1 }), until: 201 },
      { method: 'GET', path: at(NONE, 'v2', 'one') },
      { method: 'POST', path: at(NONE, 'v2'), body: endpoint(NONE, 'v2', 'two', { address: 'g:2' }) },
      { method: 'GET', path: at(NONE, 'v1', 'two') },
      { method: 'GET', path: at(NONE, 'v2') },
    ],
  },
  ...[
    'no-response',
    'wrong-uid',
    'wrong-kind',
    'failed',
    'failed-silently',
    'empty',
    'unconverted',
    'other-kind',
    'other-name',
    'no-metadata',
    'bad-label',
    'number-label',
    'relabel',
    'unknown-field',
  ].map(faulty),
  {
    name: 'conversion-unreachable',
    steps: [
      ['untrusted', webhook('/convert', { caBundle: '{other}' })],
      ['broken', webhook('/broken')],
      ['gone', webhook('/nowhere')],
      [
        'service',
        {
          strategy: 'Webhook',
          webhook: {
            clientConfig: { service: { name: 'none', namespace: '{ns}', path: '/convert' }, caBundle: '{ca}' },
            conversionReviewVersions: ['v1beta1', 'v1'],
          },
        },
      ],
    ].flatMap(([name, conversion]): Step[] => {
      const group = `${String(name)}.unreachable.example.com`;
      return [
        { method: 'POST', path: DEFINITIONS, body: definition(group, conversion as object), quiet: true },
        established(group),
        {
          method: 'POST',
          path: at(group, 'v1'),
          body: endpoint(group, 'v1', 'kept', { host: 'h', port: 1 }),
          until: 201,
        },
        { method: 'GET', path: at(group, 'v2', 'kept') },
        { method: 'POST', path: at(group, 'v2'), body: endpoint(group, 'v2', 'new', { address: 'h:2' }) },
      ];
    }),
  },
];
