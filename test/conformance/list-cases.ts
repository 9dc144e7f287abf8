import type { Case, Step } from './run-case.ts';
import { apps, core, del, get, merge, PARTIAL_LIST, post, quiet, TABLE, together } from './steps.ts';

const maps = `${core}/secrets`;
const map = (name: string, labels: object = {}): Step =>
  post(maps, { metadata: { name, labels }, data: { a: 'Yg==' } });
const FUTURE = '99999999';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const versions = { none: undefined, zero: '0', exact: '{first}', text: 'abc', negative: '-1', future: FUTURE };
const matches = { none: undefined, exact: 'Exact', older: 'NotOlderThan', empty: '', wrong: 'Sometimes' };

function given(values: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Every version with every match, without and with a limit. */
const combinations = [undefined, '2'].flatMap((limit) =>
  Object.values(versions).flatMap((resourceVersion) =>
    Object.values(matches).map((resourceVersionMatch) =>
      get(maps, given({ resourceVersion, resourceVersionMatch, limit })),
    ),
  ),
);

/** Lists: pages, versions, selectors and shapes. */
export const listCases: readonly Case[] = [
  {
    name: 'list-versions',
    steps: [
      ...quiet({ ...map('a'), save: { first: 'metadata.resourceVersion' } }, map('b'), map('c')),
      together(...combinations),
    ],
  },
  {
    name: 'list-pages',
    steps: [
      ...quiet(map('c'), map('a', { n: '1' }), map('d', { n: '1' }), map('b'), map('e', { n: '2' })),
      get(maps, { limit: '2' }, { save: { next: 'metadata.continue', at: 'metadata.resourceVersion' } }),
      ...quiet(map('bb'), del(`${maps}/d`), merge(`${maps}/e`, { data: { later: 'eA==' } })),
      get(maps, { limit: '2', continue: '{next}' }, { save: { last: 'metadata.continue' } }),
      get(maps, { limit: '2', continue: '{last}' }),
      get(maps, { continue: '{next}' }),
      get(maps, { continue: '{next}', resourceVersion: '0' }),
      get(maps, { continue: '{next}', resourceVersion: '{at}' }),
      get(maps, { continue: '{next}', resourceVersion: '0', resourceVersionMatch: 'Exact' }),
      get(maps, { continue: '{next}', resourceVersionMatch: 'NotOlderThan' }),
      get(maps, { limit: '0' }),
      get(maps, { limit: '-1' }),
      get(maps, { limit: 'many' }),
      get(maps, { limit: '1.5' }),
      get(maps, { limit: '' }),
      get(maps, { limit: '5' }),
      get(maps, { limit: '4' }),
      get(maps, { limit: '1', labelSelector: 'n' }, { save: { labelled: 'metadata.continue' } }),
      get(maps, { limit: '1', labelSelector: 'n', continue: '{labelled}' }),
      get(maps, { limit: '1', fieldSelector: 'metadata.name=b' }),
      get(maps, { limit: '1', fieldSelector: 'metadata.name!=b' }),
      get(maps, { limit: '1', labelSelector: 'none' }),
      get(maps, { limit: '2' }, { accept: TABLE }),
      get(maps, { limit: '2' }, { accept: PARTIAL_LIST }),
      get(maps, { limit: '9' }, { accept: TABLE }),
      get(maps, { limit: '9' }, { accept: PARTIAL_LIST }),
    ],
  },
  {
    name: 'list-tokens',
    steps: [
      ...quiet(map('a'), map('b'), map('c')),
      get(maps, { limit: '1', continue: 'x' }),
      get(maps, { limit: '1', continue: '%%%' }),
      get(maps, { limit: '1', continue: Buffer.from('{}').toString('base64url') }),
      get(maps, {
        limit: '1',
        continue: Buffer.from('{"v":"meta.k8s.io/v2","rv":1,"start":"a"}').toString('base64url'),
      }),
      get(maps, {
        limit: '1',
        continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":0,"start":"a"}').toString('base64url'),
      }),
      get(maps, {
        limit: '1',
        continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":""}').toString('base64url'),
      }),
      get(maps, {
        limit: '1',
        continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"a\\u0000"}').toString('base64url'),
      }),
      get(maps, {
        limit: '1',
        continue: Buffer.from('{"v":"meta.k8s.io/v1","rv":-1,"start":"../x"}').toString('base64url'),
      }),
    ],
  },
  {
    name: 'list-shapes',
    steps: [
      get(maps),
      get(maps, {}, { accept: TABLE }),
      get(maps, {}, { accept: PARTIAL_LIST }),
      get('/api/v1/namespaces/nowhere/secrets'),
      ...[
        'bindings',
        'events',
        'endpoints',
        'limitranges',
        'persistentvolumeclaims',
        'pods',
        'podtemplates',
        'replicationcontrollers',
        'resourcequotas',
        'secrets',
        'services',
      ].map((plural) => get(`${core}/${plural}`)),
      ...['deployments', 'daemonsets', 'replicasets', 'statefulsets', 'controllerrevisions'].map((plural) =>
        get(`${apps}/${plural}`),
      ),
      ...[
        'batch/v1/cronjobs',
        'batch/v1/jobs',
        'autoscaling/v1/horizontalpodautoscalers',
        'autoscaling/v2/horizontalpodautoscalers',
        'networking.k8s.io/v1/ingresses',
        'networking.k8s.io/v1/networkpolicies',
        'policy/v1/poddisruptionbudgets',
        'rbac.authorization.k8s.io/v1/roles',
        'rbac.authorization.k8s.io/v1/rolebindings',
        'coordination.k8s.io/v1/leases',
        'discovery.k8s.io/v1/endpointslices',
        'events.k8s.io/v1/events',
        'storage.k8s.io/v1/csistoragecapacities',
      ].map((path) => get(`/apis/${path.replace(/\/([^/]+)$/, '/namespaces/{ns}/$1')}`)),
      ...[
        'storage.k8s.io/v1/volumeattachments',
        'storage.k8s.io/v1/csidrivers',
        'storage.k8s.io/v1/csinodes',
        'storage.k8s.io/v1/storageclasses',
        'certificates.k8s.io/v1/certificatesigningrequests',
        'node.k8s.io/v1/runtimeclasses',
        'networking.k8s.io/v1/ingressclasses',
        'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
        'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
      ].map((path) => get(`/apis/${path}`, { labelSelector: 'none-has-this' })),
      ...['persistentvolumes', 'nodes'].map((plural) => get(`/api/v1/${plural}`, { labelSelector: 'none-has-this' })),
      get(crds, { labelSelector: 'none-has-this' }),
      get('/apis/apiregistration.k8s.io/v1/apiservices', { labelSelector: 'none-has-this' }),
    ],
  },
  {
    name: 'list-order',
    steps: [
      ...quiet(
        ...['b', 'a-b', 'a.b', 'a', 'ab', 'a0', 'b-a', '0'].map((name) => map(name, { order: '{ns}' })),
        post('/api/v1/namespaces', { metadata: { name: '{ns}-2' } }),
        post('/api/v1/namespaces', { metadata: { name: '{ns}.2' } }),
        ...['z', 'a'].map((name) =>
          post('/api/v1/namespaces/{ns}-2/secrets', { metadata: { name, labels: { order: '{ns}' } } }),
        ),
      ),
      get('/api/v1/secrets', { labelSelector: 'order={ns}' }, { accept: PARTIAL_LIST }),
      get('/api/v1/secrets', { labelSelector: 'order={ns}', limit: '3' }, { accept: PARTIAL_LIST }),
      get('/api/v1/secrets', { fieldSelector: 'metadata.namespace={ns}-2' }, { accept: PARTIAL_LIST }),
      get('/api/v1/secrets', { fieldSelector: 'metadata.name=z,metadata.namespace={ns}-2' }, { accept: PARTIAL_LIST }),
      get(maps, { fieldSelector: 'metadata.namespace={ns}-2' }, { accept: PARTIAL_LIST }),
    ],
  },
];
