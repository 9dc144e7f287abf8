import assert from 'node:assert/strict';
import test from 'node:test';
import type { TrafficRouter } from '@tiphys/traffic';
import { hashOf, wanted } from '../objects/replica-set.ts';
import { Bench, rolloutOf, serviceOf } from '../testing/bench.ts';
import { type EndpointSlice, readyEndpoints, risesOf } from './endpoints.ts';

/** A router that notes its weights. */
function notingRouter(weights: number[]): TrafficRouter {
  const nothing = async () => {};
  return {
    type: 'Test',
    updateHash: nothing,
    setWeight: async (weight) => void (weights.at(-1) !== weight && weights.push(weight)),
    setHeaderRoute: nothing,
    setMirrorRoute: nothing,
    verifyWeight: async () => undefined,
    removeManagedRoutes: nothing,
  };
}

test('no weight goes to a part before its Service leads to pods of it; the status tells what is waited for', async () => {
  const weights: number[] = [];
  // what proxies know of: by Service, how many pods of which hash
  const known = new Map<string, { hash: string; count: number }>();
  const slicesOf = (service: string): EndpointSlice[] => {
    const { hash = '', count = 0 } = known.get(service) ?? {};
    const endpoints = Array.from({ length: count }, (_, index) => ({
      conditions: { ready: true },
      targetRef: { kind: 'Pod', name: `${hash}-${index}` },
    }));
    return [{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: service }, endpoints }];
  };
  const bench = new Bench({ routers: [notingRouter(weights)], endpoints: async (_, service) => slicesOf(service) });
  const startPods = () => {
    for (const set of bench.sets())
      for (let index = 0; index < wanted(set); index += 1)
        bench.put({
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: {
            name: `${hashOf(set)}-${index}`,
            namespace: 'shop',
            labels: { 'rollouts-pod-template-hash': hashOf(set) },
          },
        });
  };
  for (const name of ['stable', 'canary']) bench.put(serviceOf(name));
  const strategy = {
    canary: {
      canaryService: 'canary',
      stableService: 'stable',
      trafficRouting: { nginx: { stableIngress: 'web' } },
      steps: [{ setWeight: 34 }, { pause: {} }],
    },
  };
  bench.apply(rolloutOf(strategy));
  const first = await bench.settle();
  startPods();
  assert.equal(first.status?.phase, 'Healthy');
  known.set('stable', { hash: first.status?.stableRS ?? '', count: 3 });

  bench.apply({ ...bench.rollout, spec: rolloutOf(strategy, 'web:2').spec });
  await bench.settle();
  startPods();
  const held = await bench.advance(11_000);
  assert.deepEqual(weights, [0]);
  assert.equal(held.status?.currentStepIndex, 0);
  const [diagnosis] = (held.status?.diagnoses ?? []) as { code: string; message: string }[];
  assert.equal(diagnosis?.code, 'RolloutEndpointsNotReady');
  assert.match(diagnosis?.message ?? '', /Service canary leads to 0 ready pods of .*, and 1 are needed/);

  known.set('canary', { hash: held.status?.currentPodHash ?? '', count: 1 });
  const paused = await bench.advance(1_000);
  assert.deepEqual(weights, [0, 34]);
  assert.equal(paused.status?.phase, 'Paused');
  assert.equal(paused.status?.diagnoses, undefined);

  bench.patchStatus({ promoteFull: true });
  await bench.settle();
  startPods();
  await bench.advance(5_000);
  // stable is the new revision now, but its Service still leads to the old pods
  assert.equal(bench.rollout.status?.stableRS, bench.rollout.status?.currentPodHash);
  assert.deepEqual(weights, [0, 34]);
  known.set('stable', { hash: bench.rollout.status?.stableRS ?? '', count: 3 });
  await bench.advance(5_000);
  assert.deepEqual(weights, [0, 34, 0]);
});

test('after an abort the weight goes before the Service does', async () => {
  const order: string[] = [];
  const router = { ...notingRouter([]), setWeight: async (weight: number) => void order.push(`weight ${weight}`) };
  const bench = new Bench({ routers: [router] });
  for (const name of ['stable', 'canary']) bench.put(serviceOf(name));
  const strategy = {
    canary: {
      canaryService: 'canary',
      stableService: 'stable',
      trafficRouting: { nginx: { stableIngress: 'web' } },
      steps: [{ setWeight: 34 }, { pause: {} }],
    },
  };
  bench.apply(rolloutOf(strategy));
  await bench.settle();
  bench.apply({ ...bench.rollout, spec: rolloutOf(strategy, 'web:2').spec });
  await bench.settle();
  order.length = 0;
  const before = bench.events.length;
  bench.patchStatus({ abort: true });
  await bench.settle();
  assert.equal(order[0], 'weight 0');
  const reasons = bench.events.slice(before).map((event) => event.replace(/:.*/s, ''));
  assert.ok(reasons.indexOf('TrafficWeightUpdated') < reasons.indexOf('SwitchService'), reasons.join(' '));
});

test('what is not ready, of another hash, or gone is no endpoint', () => {
  const pod = (name: string, hash: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { 'rollouts-pod-template-hash': hash } },
  });
  const endpoint = (name: string, ready?: boolean) => ({
    ...(ready === undefined ? {} : { conditions: { ready } }),
    targetRef: { kind: 'Pod', name },
  });
  const slice = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 'a' } };
  const slices = [
    { ...slice, endpoints: [endpoint('one'), endpoint('two', false), endpoint('old', true), endpoint('gone', true)] },
    // the same pod by its other address
    { ...slice, endpoints: [endpoint('one', true)] },
  ];
  assert.equal(readyEndpoints(slices, [pod('one', 'b'), pod('two', 'b'), pod('old', 'a')], 'b'), 1);
});

test('a part rises with its weight, or if other pods get the same', () => {
  const weights = (canary: number, hash: string) => ({
    canary: { weight: canary, podTemplateHash: hash },
    stable: { weight: 100 - canary, podTemplateHash: 'a' },
  });
  const wanted = { canary: { weight: 50, hash: 'b' }, stable: { weight: 50, hash: 'a' } };
  const parts = (before: Parameters<typeof risesOf>[0]) => risesOf(before, wanted).map(({ part }) => part);
  assert.deepEqual(parts(undefined), ['canary']);
  assert.deepEqual(parts(weights(20, 'b')), ['canary']);
  assert.deepEqual(parts(weights(80, 'b')), ['stable']);
  assert.deepEqual(parts(weights(50, 'b')), []);
  assert.deepEqual(parts(weights(50, 'c')), ['canary']);
});
