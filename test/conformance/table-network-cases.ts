import type { Case } from './run-case.ts';
import { core } from './steps.ts';
import { clusterTable, type Made, named, table } from './table-steps.ts';

const port = (number: number, more: object = {}) => ({ port: number, name: `p${number}`, ...more });
const balancers = (...ingress: object[]) => ({ loadBalancer: { ingress } });
const serviceTables: Case = {
  name: 'tables-services',
  steps: [
    ...table(`${core}/services`, [
      named('headless', { spec: { clusterIP: 'None', selector: { b: '2', a: '1' } } }),
      named('outside', {
        spec: { ports: [port(80), port(53, { protocol: 'UDP' })], externalIPs: ['203.0.113.1', '203.0.113.2'] },
      }),
      named('on-nodes', { spec: { type: 'NodePort', ports: [port(80), port(53, { protocol: 'UDP' })] } }),
      named('pending', { spec: { type: 'LoadBalancer', ports: [port(80)] } }),
      named('balanced', {
        spec: { type: 'LoadBalancer', ports: [port(80)], allocateLoadBalancerNodePorts: false },
        status: balancers(
          { ip: '203.0.113.9' },
          { hostname: 'a.very.long.name.of.a.load.balancer.example.com' },
          { ip: '203.0.113.1', hostname: 'b' },
          { ip: '203.0.113.9' },
        ),
      }),
      named('both', {
        spec: { type: 'LoadBalancer', ports: [port(80)], externalIPs: ['203.0.113.3'] },
        status: balancers({ ip: '203.0.113.9' }),
      }),
      named('pending-outside', { spec: { type: 'LoadBalancer', ports: [port(80)], externalIPs: ['203.0.113.3'] } }),
      named('elsewhere', { spec: { type: 'ExternalName', externalName: 'example.com' } }),
      named('elsewhere-ports', {
        spec: { type: 'ExternalName', externalName: 'example.com', ports: [port(80)], externalIPs: ['203.0.113.3'] },
      }),
      named('sctp', { spec: { ports: [port(1, { protocol: 'SCTP' })] } }),
    ]),
    ...table(`${core}/endpoints`, [
      named('none'),
      named('waiting', { subsets: [{ notReadyAddresses: [{ ip: '10.0.0.1' }], ports: [port(80)] }] }),
      named('one', { subsets: [{ addresses: [{ ip: '10.0.0.1' }], ports: [port(80)] }] }),
      named('many', {
        subsets: [{ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [port(80), port(443)] }],
      }),
      named('no-ports', { subsets: [{ addresses: ['1', '2', '3', '4', '5'].map((n) => ({ ip: `10.0.0.${n}` })) }] }),
      named('six', {
        subsets: [{ addresses: [{ ip: 'fd00::1' }], ports: [port(80)] }, { addresses: [{ ip: 'fd00::2' }] }],
      }),
    ]),
    ...table('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', [
      named('none', { addressType: 'IPv4', endpoints: [] }),
      named('many', {
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.0.0.1', '10.0.0.2'] }, { addresses: ['10.0.0.3'] }, { addresses: ['10.0.0.4'] }],
        ports: [
          { name: 'a', port: 80 },
          { name: 'b', port: 81 },
          { name: 'c' },
          { name: 'd', port: 83 },
          { name: 'e', port: 84 },
        ],
      }),
      named('any', { addressType: 'IPv4', endpoints: [{ addresses: ['10.0.0.1'] }], ports: [{}] }),
      named('named', { addressType: 'FQDN', endpoints: [{ addresses: ['example.com'] }], ports: [{ name: 'web' }] }),
      named('six', { addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }], ports: [{ port: 1 }] }),
    ]),
  ],
};

const net = '/apis/networking.k8s.io/v1';
const backend = { service: { name: 's', port: { number: 80 } } };
const ingress = (name: string, hosts: readonly (string | undefined)[], more: object = {}, status?: object) =>
  named(name, {
    spec: {
      rules: hosts.map((host) => ({
        ...(host ? { host } : {}),
        http: { paths: [{ path: '/', pathType: 'Prefix', backend }] },
      })),
      ...more,
    },
    ...(status ? { status } : {}),
  });
const networkTables: Case = {
  name: 'tables-networking',
  steps: [
    ...table(`${net}/namespaces/{ns}/ingresses`, [
      ingress('default-backend', [], { defaultBackend: backend }),
      ingress('any', [undefined]),
      ingress(
        'one',
        ['a.example.com'],
        { ingressClassName: 'nginx', tls: [{ hosts: ['a.example.com'] }] },
        balancers({ ip: '203.0.113.1' }),
      ),
      ingress('three', ['a.example.com', 'b.example.com', 'c.example.com']),
      ingress('four', ['a.example.com', 'b.example.com', 'c.example.com', 'd.example.com']),
      ingress('three-and-any', ['a.example.com', 'b.example.com', 'c.example.com', undefined]),
      ingress('any-and-four', [undefined, 'a.example.com', 'b.example.com', 'c.example.com', 'd.example.com']),
      ingress(
        'addresses',
        ['a.example.com'],
        {},
        balancers({ hostname: 'z.example.com' }, { ip: '203.0.113.2' }, { ip: '203.0.113.1' }),
      ),
      {
        ...ingress('legacy', ['a.example.com']),
        metadata: { name: 'legacy', annotations: { 'kubernetes.io/ingress.class': 'old' } },
      } as Made,
    ]),
    ...clusterTable(`${net}/ingressclasses`, [
      named('{ns}-plain', { spec: { controller: 'example.com/c' } }),
      named('{ns}-core', { spec: { controller: 'example.com/c', parameters: { kind: 'ConfigMap', name: 'c' } } }),
      named('{ns}-empty', {
        spec: { controller: 'example.com/c', parameters: { apiGroup: '', kind: 'ConfigMap', name: 'c' } },
      }),
      named('{ns}-group', {
        spec: {
          controller: 'example.com/c',
          parameters: { apiGroup: 'example.com', kind: 'C', name: 'c', scope: 'Cluster' },
        },
      }),
    ]),
    ...table(`${net}/namespaces/{ns}/networkpolicies`, [
      named('all', { spec: { podSelector: {} } }),
      named('some', {
        spec: {
          podSelector: {
            matchLabels: { b: '1', a: '2' },
            matchExpressions: [
              { key: 'x', operator: 'In', values: ['2', '1'] },
              { key: 'y', operator: 'NotIn', values: ['1'] },
              { key: 'z', operator: 'Exists' },
              { key: 'c', operator: 'DoesNotExist' },
              { key: 'e', operator: 'In', values: ['one'] },
            ],
          },
        },
      }),
    ]),
    ...clusterTable(`${net}/ipaddresses`, [
      named('10.98.0.1', { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } }),
      named('10.98.0.2', { spec: { parentRef: { group: 'gateway.example.com', resource: 'gateways', name: 'g' } } }),
    ]),
    ...clusterTable(`${net}/servicecidrs`, [named('{ns}', { spec: { cidrs: ['10.99.0.0/24', 'fd99::/112'] } })]),
  ],
};

/** What `kubectl get -o wide` prints of what leads to pods. */
export const tableNetworkCases: readonly Case[] = [serviceTables, networkTables];
