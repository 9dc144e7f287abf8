import type { Case, Step } from './run-case.ts';
import { get, TABLE } from './steps.ts';

const SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';

const apiService = (group: string, spec: object, name = `v1.${group}`) => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name },
  spec: { group, version: 'v1', groupPriorityMinimum: 100, versionPriority: 10, ...spec },
});
const attempt = (group: string, spec: object, name?: string): Step => ({
  method: 'POST',
  path: `${SERVICES}?dryRun=All`,
  body: apiService(group, spec, name),
});
const service = (name: string, spec: object): Step => ({
  method: 'POST',
  path: '/api/v1/namespaces/{ns}/services',
  body: { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec },
  quiet: true,
});
const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

const OWN = { labelSelector: 'kube-aggregator.kubernetes.io/automanaged=onstart' };
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const schema = { openAPIV3Schema: { type: 'object' } };
const definition = {
  metadata: { name: 'things.{ns}.io' },
  spec: {
    group: '{ns}.io',
    scope: 'Namespaced',
    names: { kind: 'Thing', plural: 'things' },
    versions: [
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v2', served: true, storage: false, schema },
      { name: 'v3', served: false, storage: false, schema },
    ],
  },
};

/** Which condition an APIService gets, and what its API answers meanwhile. */
const unavailable = (name: string, reason: string, steps: readonly Step[], spec: object = {}): Step[] => {
  const group = `${name}.aggregated.example.com`;
  return [
    ...steps,
    {
      method: 'POST',
      path: SERVICES,
      body: apiService(group, { service: { name, namespace: '{ns}', port: 443 }, ...spec }),
    },
    { method: 'GET', path: `${SERVICES}/v1.${group}`, until: `"${reason}"` },
    { method: 'GET', path: `/apis/${group}` },
    { method: 'GET', path: `/apis/${group}/v1` },
    { method: 'GET', path: `/apis/${group}/v1/things` },
    { method: 'POST', path: `/apis/${group}/v1/namespaces/default/things`, body: {} },
    { method: 'DELETE', path: `${SERVICES}/v1.${group}` },
    { method: 'GET', path: `/apis/${group}`, until: 404 },
  ];
};

/** APIServices that other servers stand behind, or should. */
export const aggregationCases: readonly Case[] = [
  {
    name: 'aggregation-invalid',
    steps: [
      attempt('a.example.com', { service: { name: 's', namespace: 'n' } }, 'wrong'),
      attempt('a.example.com', { service: { name: 's', namespace: 'n' }, version: 'V1' }),
      attempt('A_b', { service: { name: 's', namespace: 'n' } }),
      attempt('', { service: { name: 's', namespace: 'n' }, version: 'v2' }, 'v2.'),
      attempt('a.example.com', { service: {} }),
      attempt('a.example.com', { service: { name: 's', namespace: 'n', port: 70_000 } }),
      attempt('a.example.com', { groupPriorityMinimum: 0, versionPriority: 0 }),
      attempt('a.example.com', { groupPriorityMinimum: 20_001, versionPriority: 1001 }),
      attempt('a.example.com', { insecureSkipTLSVerify: true, caBundle: 'YQ==' }),
      attempt('a.example.com', {
        service: { name: 's', namespace: 'n' },
        insecureSkipTLSVerify: true,
        caBundle: 'YQ==',
      }),
      attempt('a.example.com', { service: { name: 's', namespace: 'n' } }),
      attempt('a.example.com', {}),
    ],
  },
  {
    name: 'aggregation-unavailable',
    steps: [
      ...unavailable('absent', 'ServiceNotFound', []),
      ...unavailable('other-port', 'ServicePortError', [service('other-port', { ports: [{ port: 80 }] })]),
      ...unavailable('no-slices', 'EndpointsNotFound', [
        service('no-slices', { ports: [{ port: 443, name: 'https' }] }),
      ]),
      ...unavailable('not-ready', 'MissingEndpoints', [
        service('not-ready', { ports: [{ port: 443, name: 'https' }] }),
        {
          method: 'POST',
          path: '/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices',
          body: {
            metadata: { name: 'not-ready', labels: { 'kubernetes.io/service-name': 'not-ready' } },
            addressType: 'IPv4',
            endpoints: [{ addresses: ['10.1.2.3'], conditions: { ready: false } }],
            ports: [{ name: 'https', port: 443 }],
          },
          quiet: true,
        },
      ]),
      ...unavailable(
        'refusing',
        'FailedDiscoveryCheck',
        [service('refusing', { type: 'ExternalName', externalName: '127.0.0.1' })],
        { service: { name: 'refusing', namespace: '{ns}', port: 1 } },
      ),
      { method: 'GET', path: '/apis', accept: AGGREGATED, quiet: true },
    ],
  },
  {
    name: 'aggregation-local',
    steps: [
      get(SERVICES, OWN, { omit: ['managedFields'] }),
      get(SERVICES, { ...OWN, includeObject: 'None' }, { accept: TABLE }),
      { method: 'POST', path: DEFINITIONS, body: definition, quiet: true },
      { method: 'GET', path: `${SERVICES}/v1.{ns}.io`, until: 200, omit: ['managedFields'] },
      { method: 'GET', path: `${SERVICES}/v2.{ns}.io`, until: 200, omit: ['managedFields'] },
      { method: 'GET', path: `${SERVICES}/v3.{ns}.io` },
      { method: 'DELETE', path: `${DEFINITIONS}/things.{ns}.io`, quiet: true },
      { method: 'GET', path: `${SERVICES}/v1.{ns}.io`, until: 404 },
    ],
  },
];
