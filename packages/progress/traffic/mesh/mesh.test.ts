import assert from 'node:assert/strict';
import { test } from 'node:test';
import { routedObject, routedRollout, routingBench } from '../testing/index.ts';
import { ambassadorRouter } from './ambassador.ts';
import { apisixRouter } from './apisix.ts';
import { appMeshRouter } from './app-mesh.ts';
import { smiRouter, trafficSplit } from './smi.ts';
import { traefikRouter } from './traefik.ts';

test('SMI: a TrafficSplit is made, then changed, and is ours alone', async () => {
  const rollout = routedRollout({ smi: {} });
  const bench = routingBench(rollout, []);
  const router = smiRouter(bench.context);
  await router.setWeight(10, [{ serviceName: 'exp', weight: 20 }]);
  await router.setWeight(30);
  const [split] = bench.cluster.objects('TrafficSplit');
  assert.equal(split?.apiVersion, 'split.smi-spec.io/v1alpha1');
  assert.deepEqual(split?.spec, {
    service: 'stable',
    backends: [
      { service: 'canary', weight: '30' },
      { service: 'stable', weight: '70' },
    ],
  });
  assert.deepEqual(bench.events, ['TrafficSplitCreated: TrafficSplit `web` created']);
  bench.cluster.put({ ...(split as NonNullable<typeof split>), metadata: { name: 'web', namespace: 'shop' } });
  await assert.rejects(router.setWeight(40), /Rollout does not own TrafficSplit `web`/);
  const later = trafficSplit(rollout, { version: 'v1alpha3', weight: 1, additional: [] });
  assert.deepEqual((later.spec as { backends: unknown[] }).backends[0], { service: 'canary', weight: 1 });
  assert.throws(
    () => trafficSplit(rollout, { version: 'v9', weight: 1, additional: [] }),
    /Unsupported TrafficSplit API version `v9`/,
  );
});

test('Traefik: the weights of both Services, and no others', async () => {
  const service = routedObject('traefik.io/v1alpha1', 'TraefikService', 'ts', {
    weighted: {
      services: [
        { name: 'stable', port: 80 },
        { name: 'canary', port: 80 },
        { name: 'x', weight: 1 },
      ],
    },
  });
  const bench = routingBench(routedRollout({ traefik: { weightedTraefikServiceName: 'ts' } }), [service]);
  await traefikRouter(bench.context).setWeight(10);
  assert.deepEqual(bench.spec(service), {
    weighted: {
      services: [
        { name: 'stable', port: 80, weight: 90 },
        { name: 'canary', port: 80, weight: 10 },
        { name: 'x', weight: 1 },
      ],
    },
  });
  bench.cluster.put({ ...service, spec: { weighted: { services: [{ name: 'stable' }] } } });
  await assert.rejects(traefikRouter(bench.context).setWeight(10), /traefik canary service was not found/);
});

test('Ambassador: a canary Mapping while the canary has weight; it goes a moment after its weight', async () => {
  const mapping = routedObject('getambassador.io/v2', 'Mapping', 'm', { prefix: '/', service: 'stable:80' });
  const requeues: number[] = [];
  const bench = routingBench(routedRollout({ ambassador: { mappings: ['m'] } }), [mapping], {
    requeueIn: (delay) => requeues.push(delay),
  });
  const router = ambassadorRouter(bench.context);
  const canary = () => bench.cluster.objects('Mapping').find(({ metadata }) => metadata.name === 'm-canary')?.spec;
  await router.setWeight(0);
  assert.equal(canary(), undefined);
  await router.setWeight(20);
  assert.deepEqual(canary(), { prefix: '/', service: 'canary:80', weight: 20 });
  await router.setWeight(0);
  assert.deepEqual(canary(), { prefix: '/', service: 'canary:80', weight: 0 });
  assert.deepEqual(requeues, [5000]);
  await router.setWeight(0);
  assert.equal(canary(), undefined);
  bench.cluster.put({ ...mapping, spec: { service: 'stable', weight: 3 } });
  await assert.rejects(router.setWeight(20), /Ambassador mapping "m" can not define weight/);
});

const apisixRule = (name: string) => ({
  name,
  match: { paths: ['/'] },
  backends: [
    { serviceName: 'stable', servicePort: 80 },
    { serviceName: 'canary', servicePort: 80 },
  ],
});

test('APISIX: weights, and a route of its own for headers', async () => {
  const route = routedObject('apisix.apache.org/v2', 'ApisixRoute', 'ar', {
    http: [apisixRule('r1'), apisixRule('r2')],
  });
  const rollout = routedRollout({
    apisix: { route: { name: 'ar', rules: ['r1'] } },
    managedRoutes: [{ name: 'header' }],
  });
  const bench = routingBench(rollout, [route]);
  const router = apisixRouter(bench.context);
  await router.setWeight(10);
  assert.deepEqual(bench.spec<{ http: unknown[] }>(route).http, [
    {
      ...apisixRule('r1'),
      backends: [
        { serviceName: 'stable', servicePort: 80, weight: 90 },
        { serviceName: 'canary', servicePort: 80, weight: 10 },
      ],
    },
    apisixRule('r2'),
  ]);
  await router.setHeaderRoute({ name: 'header', match: [{ headerName: 'a', headerValue: { prefix: 'b' } }] });
  const header = bench.cluster.objects('ApisixRoute').find(({ metadata }) => metadata.name === 'header');
  assert.equal(header?.metadata.ownerReferences?.[0]?.uid, 'rollout-uid');
  assert.deepEqual((header?.spec as { http: unknown[] } | undefined)?.http[0], {
    name: 'r1',
    priority: 1,
    match: { paths: ['/'], exprs: [{ subject: { scope: 'Header', name: 'a' }, op: 'RegexMatch', value: '^b.*' }] },
    backends: [{ serviceName: 'canary', servicePort: 80, weight: 100 }],
  });
  await router.removeManagedRoutes();
  assert.equal(bench.cluster.objects('ApisixRoute').length, 1);
  bench.cluster.put(routedObject('apisix.apache.org/v2', 'ApisixRoute', 'header', {}));
  await assert.rejects(
    router.setHeaderRoute({ name: 'header', match: [] }),
    /duplicate ApisixRoute \[header\] already exists/,
  );
});

test('App Mesh: weighted targets of the named routes, and selectors of two nodes that never agree', async () => {
  const api = 'appmesh.k8s.aws/v1beta2';
  const target = (name: string, weight: number) => ({ virtualNodeRef: { name }, weight });
  const route = (name: string) => ({
    name,
    httpRoute: {
      match: { prefix: '/' },
      action: { weightedTargets: [target('vn-canary', 0), target('vn-stable', 100)] },
    },
  });
  const router = routedObject(api, 'VirtualRouter', 'vr', { routes: [route('a'), route('b')] });
  const rollout = routedRollout({
    appMesh: {
      virtualService: { name: 'vs', routes: ['a'] },
      virtualNodeGroup: { canaryVirtualNodeRef: { name: 'vn-canary' }, stableVirtualNodeRef: { name: 'vn-stable' } },
    },
  });
  const node = (name: string) =>
    routedObject(api, 'VirtualNode', name, { podSelector: { matchLabels: { app: 'web' } } });
  const bench = routingBench(rollout, [
    router,
    routedObject(api, 'VirtualService', 'vs', { provider: { virtualRouter: { virtualRouterRef: { name: 'vr' } } } }),
    node('vn-canary'),
    node('vn-stable'),
  ]);
  const mesh = appMeshRouter(bench.context);
  await mesh.setWeight(10);
  const [a, b] = bench.spec<{ routes: unknown[] }>(router).routes;
  assert.deepEqual(a, {
    name: 'a',
    httpRoute: {
      match: { prefix: '/' },
      action: { weightedTargets: [target('vn-canary', 10), target('vn-stable', 90)] },
    },
  });
  assert.deepEqual(b, route('b'));
  await mesh.updateHash('abc', 'abc');
  const hash = (name: string) =>
    bench.spec<{ podSelector: { matchLabels: Record<string, string> } }>(node(name)).podSelector.matchLabels;
  assert.deepEqual(hash('vn-stable'), { app: 'web', 'rollouts-pod-template-hash': 'abc' });
  assert.equal(hash('vn-canary')['rollouts-pod-template-hash'], 'canary-hash');
  await mesh.updateHash('def', '');
  assert.equal(hash('vn-stable')['rollouts-pod-template-hash'], 'stable-hash');
  assert.equal(hash('vn-canary')['rollouts-pod-template-hash'], 'def');
});

test('a change that the API server refuses is told by the Warning of the router', async () => {
  const mapping = routedObject('getambassador.io/v2', 'Mapping', 'm', { prefix: '/', service: 'stable:80' });
  const services = { weighted: { services: [{ name: 'stable' }, { name: 'canary' }] } };
  const traefik = routedObject('traefik.io/v1alpha1', 'TraefikService', 'ts', services);
  const route = routedObject('apisix.apache.org/v2', 'ApisixRoute', 'ar', { http: [apisixRule('ar')] });
  const bench = routingBench(
    routedRollout({
      ambassador: { mappings: ['m'] },
      traefik: { weightedTraefikServiceName: 'ts' },
      apisix: { route: { name: 'ar' } },
      managedRoutes: [{ name: 'header' }],
    }),
    [mapping, traefik, route],
  );
  const { cluster, context, events } = bench;
  const ambassador = ambassadorRouter(context);
  const apisix = apisixRouter(context);
  const header = { name: 'header', match: [{ headerName: 'a', headerValue: { exact: 'b' } }] };
  const refused = async (request: RegExp, work: () => Promise<void>, reason: string) => {
    events.length = 0;
    cluster.fail(request, { status: 403, reason: 'Forbidden' }, 1);
    await assert.rejects(work(), /Forbidden/);
    assert.match(events.at(-1) ?? '', new RegExp(`^${reason}: Error [a-z ]+("[a-z-]+")?: .*Forbidden`));
    await work();
  };
  await refused(/^create/, () => ambassador.setWeight(20), 'CanaryMappingCreationError');
  await refused(/^update/, () => ambassador.setWeight(0), 'CanaryMappingUpdateError');
  await refused(/^delete/, () => ambassador.setWeight(0), 'CanaryMappingCleanupError');
  await refused(/^update/, () => traefikRouter(context).setWeight(10), 'TraefikServiceUpdateError');
  await refused(/^update/, () => apisix.setWeight(10), 'ApisixRouteUpdateError');
  await refused(/^create/, () => apisix.setHeaderRoute(header), 'ApisixRouteCreateError');
  await refused(/^delete/, () => apisix.removeManagedRoutes(), 'ApisixRouteDeleteError');
  cluster.put({ ...mapping, spec: { service: 'stable', weight: 3 } });
  await assert.rejects(ambassador.setWeight(20));
  assert.equal(events.at(-1), 'AmbassadorMappingConfigError: Ambassador mapping "m" can not define weight');
});
