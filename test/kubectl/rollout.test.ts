import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type KubectlSession, skip, startSession } from './kubectl.ts';
import { shop } from './manifests.ts';

describe('kubectl rolls a Deployment out', { skip }, () => {
  let session: KubectlSession;
  const kubectl: KubectlSession['kubectl'] = (command, options) => session.kubectl(command, options);
  before(async () => {
    session = await startSession('rollout');
  });
  after(() => session.close());

  test('apply creates what the file has, and says unchanged the second time', async () => {
    assert.equal(await kubectl('apply -f -', { input: shop }), 'deployment.apps/shop created\nservice/shop created\n');
    assert.equal(
      await kubectl('apply -f -', { input: shop }),
      'deployment.apps/shop unchanged\nservice/shop unchanged\n',
    );
  });

  test('rollout status waits for the pods', async () => {
    const printed = await kubectl('rollout status deployment/shop --timeout=180s');
    assert.match(printed, /deployment "shop" successfully rolled out\n$/);
    assert.match(await kubectl('get deployment shop'), /\nshop +2\/2 +2 +2 +\d+s\n$/);
  });

  test('the service finds the pods', async () => {
    await kubectl(
      'wait endpointslice -l kubernetes.io/service-name=shop --for=jsonpath={.endpoints[1].conditions.ready}=true --timeout=180s',
    );
    const ips = await kubectl('get pods -l app=shop -o jsonpath={.items[*].status.podIP}');
    const addresses = await kubectl(
      'get endpointslice -l kubernetes.io/service-name=shop -o jsonpath={.items[*].endpoints[*].addresses[0]}',
    );
    assert.deepEqual(addresses.split(' ').sort(), ips.split(' ').sort());
  });

  test('scale is done and told', async () => {
    assert.equal(await kubectl('scale deployment/shop --replicas=3'), 'deployment.apps/shop scaled\n');
    await kubectl('rollout status deployment/shop --timeout=180s');
    assert.match(await kubectl('get deployment shop'), /\nshop +3\/3 /);
  });

  test('an image that does not exist shows ImagePullBackOff, and the old pods stay', async () => {
    await kubectl('set image deployment/shop web=nginx:does-not-exist');
    const name = await newestPod();
    await kubectl(
      `wait pod/${name} --for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ImagePullBackOff --timeout=180s`,
    );
    assert.match(await kubectl('get pods'), new RegExp(`${name} +0/1 +ImagePullBackOff `));
    assert.match(await kubectl('get deployment shop'), /\nshop +3\/3 +1 +3 /);
    const described = await kubectl(`describe pod ${name}`);
    assert.match(described, /Failed to pull image "nginx:does-not-exist": .*not found/);
    assert.match(described, /Error: ErrImagePull/);
    assert.match(described, /Back-off pulling image "nginx:does-not-exist"/);
    assert.match(described, new RegExp(`Successfully assigned ${session.namespace}/${name} to `));
  });

  test('rollout undo goes back, and the history has the revisions', async () => {
    assert.equal(await kubectl('rollout undo deployment/shop'), 'deployment.apps/shop rolled back\n');
    await kubectl('rollout status deployment/shop --timeout=180s');
    assert.match(await kubectl('get deployment shop -o wide'), / nginx:1\.27 /);
    const history = await kubectl('rollout history deployment/shop');
    assert.deepEqual(
      history.split('\n').flatMap((line) => /^(\d+) /.exec(line)?.[1] ?? []),
      ['2', '3'],
    );
  });

  test('pause holds a change back and resume lets it go', async () => {
    await kubectl('rollout pause deployment/shop');
    await kubectl(
      'wait deployment/shop --for=jsonpath={.status.conditions[?(@.type=="Progressing")].reason}=DeploymentPaused --timeout=180s',
    );
    await kubectl('set image deployment/shop web=nginx:1.28');
    assert.equal(
      await kubectl('get pods -o jsonpath={.items[*].spec.containers[0].image}'),
      'nginx:1.27 nginx:1.27 nginx:1.27',
    );
    const hash = await kubectl('get pods -o jsonpath={.items[0].metadata.labels.pod-template-hash}');
    await kubectl('rollout resume deployment/shop');
    await kubectl('rollout status deployment/shop --timeout=180s');
    // the rollout is over when the new pods are there; the old ones may still be going
    await kubectl(`wait pod -l pod-template-hash=${hash} --for=delete --timeout=180s`);
    assert.equal(
      await kubectl('get pods -o jsonpath={.items[*].spec.containers[0].image}'),
      'nginx:1.28 nginx:1.28 nginx:1.28',
    );
  });

  test('describe tells the story of the Deployment', async () => {
    const described = await kubectl('describe deployment shop');
    assert.match(described, /Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable/);
    assert.match(described, /Available +True +MinimumReplicasAvailable/);
    assert.match(described, /Progressing +True +NewReplicaSetAvailable/);
    assert.match(described, /ScalingReplicaSet.*Scaled up replica set shop-[a-z0-9]+ from 0 to 2/);
    assert.match(described, /deployment-controller/);
  });

  async function newestPod(): Promise<string> {
    await kubectl('wait deployment/shop --for=jsonpath={.status.updatedReplicas}=1 --timeout=180s');
    const pods = JSON.parse(await kubectl('get pods -o json')) as {
      items: { metadata: { name: string }; spec: { containers: { image: string }[] } }[];
    };
    return pods.items.find(({ spec }) => spec.containers[0]?.image === 'nginx:does-not-exist')?.metadata.name ?? '';
  }
});
