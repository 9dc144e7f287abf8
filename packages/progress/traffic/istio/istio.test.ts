import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IstioRouting } from '../model/types.ts';
import { routedObject, routedRollout, routingBench } from '../testing/index.ts';
import { releasedRule } from './destination-rule.ts';
import { IstioRouter } from './istio-router.ts';
import { type VirtualServiceSpec, virtualServiceKey } from './virtual-service.ts';

const api = 'networking.istio.io/v1alpha3';
const to = (host: string, weight?: number, subset?: string) => ({
  destination: { host, ...(subset ? { subset } : {}) },
  ...(weight === undefined ? {} : { weight }),
});
const divided = (name?: string) => ({ ...(name ? { name } : {}), route: [to('stable', 100), to('canary', 0)] });

function istio(spec: VirtualServiceSpec, routing: IstioRouting = { virtualService: { name: 'vs' } }, canary = {}) {
  const service = routedObject(api, 'VirtualService', 'vs', spec);
  const rollout = routedRollout({ istio: routing, managedRoutes: [{ name: 'header' }, { name: 'mirror' }] }, canary);
  const rule = routedObject(api, 'DestinationRule', 'rule', {
    host: 'web',
    subsets: [
      { name: 'canary', labels: { app: 'web' }, trafficPolicy: { tls: {} } },
      { name: 'stable', labels: { app: 'web' } },
    ],
  });
  const bench = routingBench(rollout, [service, rule]);
  return { ...bench, rule, router: new IstioRouter(bench.context), now: () => bench.spec<VirtualServiceSpec>(service) };
}

const weightTables: readonly {
  name: string;
  spec: VirtualServiceSpec;
  routing?: IstioRouting;
  additional?: { serviceName: string; weight: number }[];
  expected: VirtualServiceSpec;
}[] = [
  {
    name: 'the only HTTP route needs no name',
    spec: { http: [divided()] },
    expected: { http: [{ route: [to('stable', 80), to('canary', 20)] }] },
  },
  {
    name: 'named routes alone change',
    spec: { http: [divided('a'), divided('b')] },
    routing: { virtualService: { name: 'vs', routes: ['b'] } },
    expected: { http: [divided('a'), { name: 'b', route: [to('stable', 80), to('canary', 20)] }] },
  },
  {
    name: 'hosts in full and TLS and TCP routes by what they match',
    spec: {
      tls: [
        { match: [{ port: 443, sniHosts: ['a.io'] }], route: [to('stable.shop.svc', 100), to('canary.shop.svc', 0)] },
      ],
      tcp: [{ match: [{ port: 9 }], route: [to('stable', 100), to('canary', 0)] }],
    },
    routing: {
      virtualService: { name: 'vs', tlsRoutes: [{ port: 443, sniHosts: ['a.io'] }], tcpRoutes: [{ port: 9 }] },
    },
    expected: {
      tls: [
        { match: [{ port: 443, sniHosts: ['a.io'] }], route: [to('stable.shop.svc', 80), to('canary.shop.svc', 20)] },
      ],
      tcp: [{ match: [{ port: 9 }], route: [to('stable', 80), to('canary', 20)] }],
    },
  },
  {
    name: 'subsets of one host',
    spec: { http: [{ route: [to('web', 100, 'stable'), to('web', 0, 'canary')] }] },
    routing: {
      virtualService: { name: 'vs' },
      destinationRule: { name: 'rule', canarySubsetName: 'canary', stableSubsetName: 'stable' },
    },
    expected: { http: [{ route: [to('web', 80, 'stable'), to('web', 20, 'canary')] }] },
  },
  {
    name: 'experiments come in order, and what an ended one left goes',
    spec: { http: [{ route: [to('stable', 70), to('canary', 20), to('old', 10)] }] },
    additional: [
      { serviceName: 'z', weight: 5 },
      { serviceName: 'b', weight: 10 },
    ],
    expected: { http: [{ route: [to('stable', 65), to('canary', 20), to('b', 10), to('z', 5)] }] },
  },
  {
    name: 'a mirror route of ours follows the weights',
    spec: { http: [{ ...divided('mirror'), mirror: { host: 'canary' } }, divided('main')] },
    routing: { virtualService: { name: 'vs', routes: ['main'] } },
    expected: {
      http: [
        { name: 'mirror', route: [to('stable', 80), to('canary', 20)], mirror: { host: 'canary' } },
        { name: 'main', route: [to('stable', 80), to('canary', 20)] },
      ],
    },
  },
];

for (const { name, spec, routing, additional = [], expected } of weightTables)
  test(`setWeight: ${name}`, async () => {
    const bench = istio(spec, routing);
    await bench.router.setWeight(20, additional);
    assert.deepEqual(bench.now(), expected);
    assert.deepEqual(bench.events, ["Updated VirtualService: VirtualService `vs` set to desiredWeight '20'"]);
    await bench.router.setWeight(20, additional);
    assert.equal(bench.events.length, 1);
    assert.equal(bench.cluster.requests.filter((request) => request.startsWith('update')).length, 1);
  });

const refusals: readonly [VirtualServiceSpec, IstioRouting, RegExp][] = [
  [
    { http: [divided('a')] },
    { virtualService: { name: 'vs', routes: ['x'] } },
    /HTTP Route 'x' is not found in the defined Virtual Service\./,
  ],
  [
    { http: [{ route: [to('stable', 100)] }] },
    { virtualService: { name: 'vs' } },
    /Canary Service 'canary' not found in route/,
  ],
  [
    { http: [divided(), divided()] },
    { virtualService: { name: 'vs' } },
    /it must have exactly one route when omitting .*\.routes/,
  ],
  [{ http: [] }, { virtualService: { name: 'none' } }, /NotFound|not found/],
];

for (const [spec, routing, message] of refusals)
  test(`setWeight refuses: ${message.source}`, async () => {
    await assert.rejects(istio(spec, routing).router.setWeight(20), message);
  });

test('header and mirror routes stand before others in the order of managedRoutes, and go again', async () => {
  const bench = istio({
    http: [
      {
        name: 'main',
        route: [{ ...to('stable', 100), destination: { host: 'stable', port: { number: 80 } } }, to('canary', 0)],
      },
    ],
  });
  await bench.router.setMirrorRoute({
    name: 'mirror',
    match: [{ path: { prefix: '/' }, method: { exact: 'GET' } }],
    percentage: 30,
  });
  await bench.router.setHeaderRoute({
    name: 'header',
    match: [{ headerName: 'agent', headerValue: { exact: 'Chrome' } }],
  });
  const [header, mirror, main] = bench.now().http ?? [];
  assert.deepEqual(header, {
    name: 'header',
    match: [{ headers: { agent: { exact: 'Chrome' } } }],
    route: [{ weight: 100, destination: { host: 'canary', port: { number: 80 } } }],
  });
  assert.deepEqual(mirror?.mirror, { host: 'canary', port: { number: 80 } });
  assert.deepEqual(mirror?.mirrorPercentage, { value: 30 });
  assert.deepEqual(mirror?.match, [{ method: { exact: 'GET' }, uri: { prefix: '/' } }]);
  assert.equal(main?.name, 'main');
  await bench.router.removeManagedRoutes();
  assert.deepEqual(
    bench.now().http?.map(({ name }) => name),
    ['main'],
  );
  await bench.router.setHeaderRoute({ name: 'header', match: [{ headerName: 'a', headerValue: { regex: '.*' } }] });
  await bench.router.setHeaderRoute({ name: 'header' });
  assert.deepEqual(
    bench.now().http?.map(({ name }) => name),
    ['main'],
  );
});

const subsets: IstioRouting = {
  virtualService: { name: 'vs' },
  destinationRule: { name: 'rule', canarySubsetName: 'canary', stableSubsetName: 'stable' },
};

test('subsets select the hashes, keep what else they say, and are released', async () => {
  const bench = istio({ http: [divided()] }, subsets);
  await bench.router.updateHash('c1', 's1', [{ serviceName: 'exp', weight: 5, podTemplateHash: 'e1' }]);
  const stored = bench.cluster.object(bench.rule as never);
  assert.equal(stored?.metadata.annotations?.['argo-rollouts.argoproj.io/managed-by-rollouts'], 'web');
  assert.deepEqual(stored?.spec, {
    host: 'web',
    subsets: [
      { name: 'canary', labels: { app: 'web', 'rollouts-pod-template-hash': 'c1' }, trafficPolicy: { tls: {} } },
      { name: 'stable', labels: { app: 'web', 'rollouts-pod-template-hash': 's1' } },
      { name: 'exp', labels: { 'rollouts-pod-template-hash': 'e1' } },
    ],
  });
  assert.ok(stored);
  const released = releasedRule(stored);
  assert.deepEqual(released.metadata.annotations, {});
  assert.deepEqual((released.spec as { subsets: { labels: unknown }[] }).subsets[0]?.labels, { app: 'web' });
});

test('subsets wait for the pods that they would select when no Service does', async () => {
  const replicaSets = [
    {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'web-c1', labels: { 'rollouts-pod-template-hash': 'c1' } },
      spec: { replicas: 2 },
      status: { availableReplicas: 1 },
    },
  ];
  const none = { stableService: undefined, canaryService: undefined };
  const bench = istio({ http: [divided()] }, subsets, none);
  const waiting = new IstioRouter({ ...bench.context, replicaSets });
  await assert.rejects(
    waiting.updateHash('c1', 's1'),
    /delaying destination rule switch: ReplicaSet web-c1 not fully available/,
  );
  await new IstioRouter({ ...bench.context, replicaSets, returnsToStable: true }).updateHash('c1', 's1');
});

test('a VirtualService may be of another namespace', () => {
  assert.deepEqual(virtualServiceKey('vs', 'shop'), { namespace: 'shop', name: 'vs' });
  assert.deepEqual(virtualServiceKey('my.vs.mesh', 'shop'), { namespace: 'mesh', name: 'my.vs' });
  assert.deepEqual(virtualServiceKey('vs.mesh.cluster.local', 'shop'), { namespace: 'mesh', name: 'vs' });
});
