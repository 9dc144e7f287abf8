import type { Case, Step } from './run-case.ts';
import { core, del, get, merge, post, quiet, TABLE } from './steps.ts';

const scalers = (version: string) => `/apis/autoscaling/${version}/namespaces/{ns}/horizontalpodautoscalers`;
const networking = '/apis/networking.k8s.io/v1';
const target = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 3 };
const memory = {
  type: 'Resource',
  resource: { name: 'memory', target: { type: 'Utilization', averageUtilization: 50 } },
};
const OLD = 'autoscaling.alpha.kubernetes.io/metrics';
const omit = ['managedFields'];
const scaler = (version: string, name: string, spec: object = {}, metadata: object = {}): Step =>
  post(scalers(version), { metadata: { name, ...metadata }, spec: { ...target, ...spec } }, { omit });

const services = ['/version', '/version/', '/.well-known/openid-configuration', '/openid/v1/jwks'];
const other = (method: string, path: string): Step => ({ method, path });

/** What a server tells of itself, and how objects look in versions that are not the stored one. */
export const serverCases: readonly Case[] = [
  {
    name: 'server-autoscalers-in-v1',
    steps: [
      scaler('v1', 'plain'),
      scaler('v2', 'newer'),
      scaler('v2', 'memory', { metrics: [memory] }),
      scaler('v1', 'told', { targetCPUUtilizationPercentage: 30 }),
      scaler(
        'v1',
        'annotated',
        {},
        {
          annotations: {
            [OLD]: JSON.stringify([{ type: 'Resource', resource: { name: 'memory', targetAverageUtilization: 30 } }]),
          },
        },
      ),
      scaler('v1', 'none', {}, { annotations: { [OLD]: '[]' } }),
      ...['plain', 'newer', 'memory', 'told', 'annotated', 'none'].flatMap((name) =>
        ['v1', 'v2'].map((version) => get(`${scalers(version)}/${name}`, {}, { omit })),
      ),
      merge(`${scalers('v1')}/newer`, { spec: { targetCPUUtilizationPercentage: null } }, { omit }),
      merge(`${scalers('v1')}/memory`, { spec: { targetCPUUtilizationPercentage: 70 } }, { omit }),
      get(`${scalers('v2')}/newer`, {}, { omit }),
      get(`${scalers('v2')}/memory`, {}, { omit }),
      merge(`${scalers('v2')}/told`, { spec: { metrics: [] } }, { omit }),
      get(`${scalers('v1')}/told`, {}, { omit }),
      get(scalers('v1'), {}, { accept: TABLE, omit: ['object'] }),
    ],
  },
  {
    name: 'server-future-versions',
    steps: [
      ...quiet(post(`${core}/configmaps`, { metadata: { name: 'a' } })),
      ...['99999999', 'abc', '-1', '0', '1', ''].map((resourceVersion) =>
        get(`${core}/configmaps/a`, { resourceVersion }, { omit: ['managedFields'] }),
      ),
      get(`${core}/configmaps/none`, { resourceVersion: '99999999' }),
      get(`${core}/events/none`, { resourceVersion: '99999999' }),
      get(`${core}/events`, { resourceVersion: '99999999' }),
      get(`${core}/configmaps`, { resourceVersion: '99999999' }),
    ],
  },
  {
    name: 'server-components',
    steps: [
      get('/api/v1/componentstatuses/etcd-0'),
      get('/api/v1/componentstatuses/etcd-0', {}, { accept: TABLE, omit: ['object', 'description'] }),
      get('/api/v1/componentstatuses/none'),
      get('/api/v1/componentstatuses', { fieldSelector: 'metadata.name=etcd-0' }),
      get('/api/v1/componentstatuses', { labelSelector: 'a=b' }),
      get('/api/v1/componentstatuses', { watch: 'true' }),
      post('/api/v1/componentstatuses', { metadata: { name: 'x' } }),
      del('/api/v1/componentstatuses/etcd-0'),
    ],
  },
  {
    name: 'server-web-services',
    steps: [
      ...services.flatMap((path) => [
        ...['application/yaml', 'text/plain', 'application/jwk-set+json;q=0.5', 'text/*,application/*'].map((accept) =>
          get(
            path,
            {},
            { accept, compareHeaders: ['content-type', 'cache-control'], omit: ['keys', 'issuer', 'jwks_uri'] },
          ),
        ),
        ...['POST', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'].map((method) => other(method, path)),
      ]),
      get('/version/x'),
      get('/openid/v1'),
      get('/openapi/v2/'),
      get('/openapi/v3/version', {}, { accept: 'application/yaml' }),
      get('/openapi'),
      get('/healthz/ping', {}, { compareHeaders: ['content-type', 'x-content-type-options'] }),
      get('/readyz/poststarthook/rbac/bootstrap-roles'),
      get('/readyz/poststarthook/none'),
      get('/readyz', { verbose: '' }),
      get('/livez', { verbose: '', exclude: 'autoregister-completion' }),
      get('/healthz', { verbose: '1' }),
      get('/apis', {}, { accept: 'text/plain' }),
      get('/apis/apps', {}, { accept: 'text/html' }),
      get('/apis/apps/v1', {}, { accept: 'text/html' }),
      get('/api', {}, { accept: 'text/html' }),
      ...['POST', 'HEAD', 'PUT'].map((method) => other(method, '/apis/apiregistration.k8s.io')),
      get('/index.html', {}, { omit: ['paths'], accept: 'text/html', compareHeaders: ['content-type'] }),
      get('/', {}, { omit: ['paths'] }),
    ],
  },
  {
    name: 'server-service-addresses',
    steps: [
      get(`${networking}/servicecidrs/kubernetes`, {}, { omit }),
      ...quiet({
        ...post(`${core}/services`, { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } }),
        save: { ip: 'spec.clusterIP' },
      }),
      get(`${networking}/ipaddresses/{ip}`, {}, { omit, until: 200 }),
      ...quiet(post(`${core}/services`, { metadata: { name: 'b' }, spec: { clusterIP: 'None' } })),
      ...quiet(del(`${core}/services/a`)),
      get(`${networking}/ipaddresses/{ip}`, {}, { until: 404 }),
    ],
  },
  {
    name: 'server-flow-schemas',
    steps: [
      post(
        '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
        {
          metadata: { name: '{ns}' },
          spec: { priorityLevelConfiguration: { name: '{ns}' }, matchingPrecedence: 900 },
        },
        { omit },
      ),
      { ...get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}', {}, { until: 'Dangling', omit }) },
      post(
        '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
        {
          metadata: { name: '{ns}' },
          spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
        },
        { omit },
      ),
      get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}', {}, { until: 'exists', omit }),
      merge(
        '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}',
        { spec: { priorityLevelConfiguration: { name: 'none' } } },
        { omit, quiet: true },
      ),
      get('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}', {}, { until: 'but there is no such', omit }),
      get(
        '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
        { fieldSelector: 'metadata.name={ns}' },
        { accept: TABLE, omit: ['object', 'columnDefinitions'] },
      ),
      get('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/{ns}', {}, { omit }),
      ...quiet(
        del('/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/{ns}'),
        del('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/{ns}'),
      ),
    ],
  },
];
