import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TrafficRouting } from '../model/types.ts';
import { routedObject, routedRollout, routingBench } from '../testing/index.ts';
import { albRouter } from './alb.ts';
import type { IngressSpec } from './ingress.ts';
import { canaryIngressName, nginxRouter } from './nginx.ts';

const rule = (service: string) => ({
  host: `${service}.io`,
  http: { paths: [{ path: '/', backend: { service: { name: service, port: { number: 80 } } } }] },
});
const ingress = (name: string, spec: IngressSpec, annotations = {}) =>
  routedObject('networking.k8s.io/v1', 'Ingress', name, spec, { annotations });

function bench(routing: TrafficRouting, spec: IngressSpec, canary = {}, status = {}) {
  const rollout = { ...routedRollout(routing, canary), status };
  const one = ingress('one', spec, { 'kubernetes.io/ingress.class': 'x', other: 'y' });
  const bench = routingBench(rollout, [one, ingress('two', spec)]);
  return {
    ...bench,
    annotations: (name: string) =>
      bench.cluster.object({ ...one, ...{ namespace: 'shop', name } } as never)?.metadata.annotations ?? {},
  };
}

test('NGINX: a canary Ingress with the rules of the stable Service and its annotations', async () => {
  const { context, cluster, events } = bench(
    {
      maxTrafficWeight: 1000,
      nginx: {
        stableIngresses: ['one', 'two'],
        annotationPrefix: 'my.io',
        additionalIngressAnnotations: { 'canary-by-header': 'X', 'my.io/a': 'b' },
        canaryIngressAnnotations: { 'c.io/d': 'e' },
      },
    },
    { ingressClassName: 'nginx', tls: [{ secretName: 't' }], rules: [rule('stable'), rule('else')] },
  );
  await nginxRouter(context).setWeight(150);
  const made = cluster.objects('Ingress').find(({ metadata }) => metadata.name === 'web-one-canary');
  assert.deepEqual(made?.metadata.annotations, {
    'kubernetes.io/ingress.class': 'x',
    'my.io/canary-by-header': 'X',
    'my.io/a': 'b',
    'c.io/d': 'e',
    'my.io/canary': 'true',
    'my.io/canary-weight': '150',
    'my.io/canary-weight-total': '1000',
  });
  assert.deepEqual(made?.spec, {
    ingressClassName: 'nginx',
    tls: [{ secretName: 't' }],
    rules: [{ ...rule('canary'), host: 'stable.io' }],
  });
  assert.equal(made?.metadata.ownerReferences?.[0]?.uid, 'rollout-uid');
  assert.ok(made);
  cluster.put({ ...made, metadata: { ...made.metadata, annotations: { ...made.metadata.annotations, foreign: '1' } } });
  await nginxRouter(context).setWeight(300);
  const later = cluster.objects('Ingress').find(({ metadata }) => metadata.name === 'web-one-canary');
  assert.equal(later?.metadata.annotations?.['my.io/canary-weight'], '300');
  assert.equal(later?.metadata.annotations?.foreign, '1');
  await nginxRouter(context).setWeight(300);
  assert.deepEqual(events, [
    'CreatingCanaryIngress: Creating canary ingress `web-one-canary` with weight `150`',
    'CreatingCanaryIngress: Creating canary ingress `web-two-canary` with weight `150`',
    "PatchingCanaryIngress: Updating Ingress `web-one-canary` to desiredWeight '300'",
    "PatchingCanaryIngress: Updating Ingress `web-two-canary` to desiredWeight '300'",
  ]);
});

test('NGINX: names of other owners and Ingresses without the Service are refused', async () => {
  const routing = { nginx: { stableIngress: 'one' } };
  const foreign = bench(routing, { rules: [rule('stable')] });
  foreign.cluster.put(ingress('web-one-canary', {}));
  await assert.rejects(
    nginxRouter(foreign.context).setWeight(1),
    /canary ingress `web-one-canary` controlled by different object/,
  );
  await assert.rejects(
    nginxRouter(bench(routing, { rules: [rule('else')] }).context).setWeight(1),
    /ingress `one` has no rules using service stable backend/,
  );
  await assert.rejects(
    nginxRouter(bench({ nginx: { stableIngress: 'none' } }, {}).context).setWeight(1),
    /error retrieving stableIngress `none` from cache: ingress\.networking\.k8s\.io "none" not found/,
  );
  assert.equal(canaryIngressName('r'.repeat(200), 'i'.repeat(200)).length, 253);
});

const action = (...groups: [string, number][]) =>
  JSON.stringify({
    Type: 'forward',
    ForwardConfig: {
      TargetGroups: groups.map(([ServiceName, Weight]) => ({ ServiceName, ServicePort: '80', Weight })),
    },
  });

test('ALB: the very text of the action, and whose it is', async () => {
  const { context, annotations, events } = bench(
    { alb: { ingresses: ['one', 'two'], servicePort: 80, rootService: 'root' } },
    { rules: [rule('root')] },
  );
  await albRouter(context).setWeight(5, [{ serviceName: 'exp', weight: 10 }]);
  for (const name of ['one', 'two']) {
    assert.equal(
      annotations(name)['alb.ingress.kubernetes.io/actions.root'],
      action(['canary', 5], ['exp', 10], ['stable', 85]),
    );
    assert.equal(
      annotations(name)['rollouts.argoproj.io/managed-alb-annotations'],
      '{"web":["alb.ingress.kubernetes.io/actions.root"]}',
    );
  }
  assert.equal(annotations('one').other, 'y');
  await albRouter(context).setWeight(5, [{ serviceName: 'exp', weight: 10 }]);
  assert.equal(events.length, 2);
});

test('ALB: ping and pong change places; sticky sessions are told', async () => {
  const canary = { pingPong: { pingService: 'ping', pongService: 'pong' } };
  const alb = { ingress: 'one', servicePort: 80, stickinessConfig: { enabled: true, durationSeconds: 3600 } };
  const { context, annotations } = bench({ alb }, { rules: [rule('stable')] }, canary, {
    canary: { stablePingPong: 'ping' },
  });
  await albRouter(context).setWeight(20);
  assert.equal(
    annotations('one')['alb.ingress.kubernetes.io/actions.stable'],
    '{"Type":"forward","ForwardConfig":{"TargetGroups":[{"ServiceName":"pong","ServicePort":"80","Weight":20},{"ServiceName":"ping","ServicePort":"80","Weight":80}],"TargetGroupStickinessConfig":{"Enabled":true,"DurationSeconds":3600}}}',
  );
  alb.stickinessConfig.durationSeconds = 0;
  await assert.rejects(albRouter(context).setWeight(21), /duration must be between 1 and 604800 seconds/);
});

test('ALB: header routes are paths before others in the order of managedRoutes, and go again', async () => {
  const { context, annotations, cluster } = bench(
    { alb: { ingress: 'one', servicePort: 80 }, managedRoutes: [{ name: 'first' }, { name: 'second' }] },
    { rules: [rule('stable')] },
  );
  const router = albRouter(context);
  await router.setHeaderRoute({ name: 'second', match: [{ headerName: 'a', headerValue: { exact: '1' } }] });
  await router.setHeaderRoute({
    name: 'first',
    match: [
      { headerName: 'a', headerValue: { exact: '1' } },
      { headerName: 'a', headerValue: { exact: '2' } },
    ],
  });
  const services = () => {
    const spec = cluster.objects('Ingress').find(({ metadata }) => metadata.name === 'one')?.spec as IngressSpec;
    return spec.rules?.[0]?.http?.paths?.map(({ backend }) => backend?.service?.name);
  };
  assert.deepEqual(services(), ['first', 'second', 'stable']);
  assert.equal(annotations('one')['alb.ingress.kubernetes.io/actions.first'], action(['canary', 100]));
  assert.equal(
    annotations('one')['alb.ingress.kubernetes.io/conditions.first'],
    '[{"field":"http-header","httpHeaderConfig":{"httpHeaderName":"a","values":["1","2"]}}]',
  );
  await router.removeManagedRoutes();
  assert.deepEqual(services(), ['stable']);
  assert.equal(annotations('one')['alb.ingress.kubernetes.io/actions.first'], undefined);
  assert.equal(annotations('one')['rollouts.argoproj.io/managed-alb-annotations'], '{"web":[]}');
});

test('ALB: an Ingress that does not lead to the Service is refused', async () => {
  const { context } = bench({ alb: { ingress: 'one', servicePort: 80 } }, { rules: [rule('else')] });
  await assert.rejects(albRouter(context).setWeight(5), /ingress does not have service `stable` in rules/);
});
