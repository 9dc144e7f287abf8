import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type KubectlSession, skip, startSession } from './kubectl.ts';
import { job, shop, statefulSet } from './manifests.ts';

describe('kubectl works with the other workloads', { skip }, () => {
  let session: KubectlSession;
  const kubectl: KubectlSession['kubectl'] = (command, options) => session.kubectl(command, options);
  before(async () => {
    session = await startSession('workloads');
  });
  after(() => session.close());

  test('a Job that ends well is Complete', async () => {
    await kubectl('apply -f -', { input: job('good', 'echo done') });
    await kubectl('wait job/good --for=condition=Complete --timeout=180s');
    assert.match(await kubectl('get job good'), /good +Complete +1\/1 /);
    assert.equal(await kubectl('logs job/good'), 'done\n');
    assert.match(await kubectl('describe job good'), /Normal +Completed .*Job completed/);
  });

  test('a Job that fails is Failed with BackoffLimitExceeded', async () => {
    await kubectl('apply -f -', { input: job('bad', 'exit 7') });
    await kubectl('wait job/bad --for=condition=Failed --timeout=180s');
    assert.match(await kubectl('get job bad'), /bad +Failed +0\/1 /);
    assert.match(
      await kubectl('describe job bad'),
      /Warning +BackoffLimitExceeded .*Job has reached the specified backoff limit/,
    );
    assert.equal(await kubectl('get pods -l job-name=bad -o jsonpath={.items[*].status.phase}'), 'Failed');
  });

  test('a StatefulSet starts its pods in order', async () => {
    await kubectl('apply -f -', { input: statefulSet('db', 3) });
    await kubectl('rollout status statefulset/db --timeout=180s');
    const pods = JSON.parse(await kubectl('get pods -l app=db -o json')) as {
      items: { metadata: { name: string; creationTimestamp: string } }[];
    };
    assert.deepEqual(
      pods.items.map(({ metadata }) => metadata.name),
      ['db-0', 'db-1', 'db-2'],
    );
    const made = pods.items.map(({ metadata }) => metadata.creationTimestamp);
    assert.deepEqual(made, [...made].sort());
    const events = await kubectl('describe statefulset db');
    assert.match(
      events,
      /create Pod db-0 in StatefulSet db successful[\s\S]*create Pod db-2 in StatefulSet db successful/,
    );
  });

  test('a DaemonSet has a pod on every node', async () => {
    await kubectl('apply -f -', {
      input: shop
        .split('---')[0]!
        .replace('kind: Deployment', 'kind: DaemonSet')
        .replace('  replicas: 2\n', '')
        .replace('      containers:', '      nodeSelector: {kubernetes.io/os: linux}\n      containers:')
        .replaceAll('shop', 'agent'),
    });
    await kubectl('rollout status daemonset/agent --timeout=180s');
    // other tests may have nodes of their own in this cluster, without labels
    const nodes = (await kubectl('get nodes -l kubernetes.io/os=linux -o name')).trim().split('\n').length;
    assert.match(
      await kubectl('get daemonset agent'),
      new RegExp(`agent +${nodes} +${nodes} +${nodes} +${nodes} +${nodes} +kubernetes.io/os=linux `),
    );
  });

  test('a Job made from a CronJob runs', async () => {
    const words = ['create', 'cronjob', 'hourly', '--image=busybox:1.36', '--schedule=0 * * * *', '--', 'true'];
    const made = await session.attempt(words);
    assert.equal(made.stdout, 'cronjob.batch/hourly created\n', made.stderr);
    assert.match(await kubectl('get cronjob hourly'), /hourly +0 \* \* \* \* +<none> +False +0 +<none>/);
    await kubectl('create job now --from=cronjob/hourly');
    await kubectl('wait job/now --for=condition=Complete --timeout=180s');
  });

  test('a PodDisruptionBudget and a HorizontalPodAutoscaler are listed', async () => {
    await kubectl('apply -f -', { input: shop });
    await kubectl('rollout status deployment/shop --timeout=180s');
    await kubectl('create poddisruptionbudget shop --selector=app=shop --min-available=1');
    await kubectl('wait pdb/shop --for=jsonpath={.status.disruptionsAllowed}=1 --timeout=180s');
    assert.match(await kubectl('get pdb shop'), /shop +1 +N\/A +1 /);
    await kubectl('autoscale deployment shop --min=1 --max=4 --cpu=50%');
    await kubectl('wait hpa/shop --for=condition=AbleToScale --timeout=180s');
    assert.match(await kubectl('get hpa shop'), /shop +Deployment\/shop +cpu: <unknown>\/50% +1 +4 /);
  });
});
