import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type KubectlSession, skip, startSession } from './kubectl.ts';
import { pod } from './manifests.ts';

describe('kubectl sees what pods do', { skip }, () => {
  let session: KubectlSession;
  const kubectl: KubectlSession['kubectl'] = (command, options) => session.kubectl(command, options);
  const waitFor = (name: string, path: string, value: string) =>
    kubectl(`wait pod/${name} --for=jsonpath={${path}}=${value} --timeout=180s`);
  const waiting = '.status.containerStatuses[0].state.waiting.reason';
  before(async () => {
    session = await startSession('pods');
  });
  after(() => session.close());

  test('logs prints what the command prints, with tail, timestamps and follow', async () => {
    await kubectl('apply -f -', { input: pod('talker', 'echo one; echo two; sleep 10; echo three', 'Never') });
    await waitFor('talker', '.status.phase', 'Running');
    assert.equal(await kubectl('logs talker'), 'one\ntwo\n');
    assert.equal(await kubectl('logs talker --tail=1'), 'two\n');
    assert.equal(await kubectl('logs talker --follow'), 'one\ntwo\nthree\n');
    assert.match(
      await kubectl('logs talker --timestamps --tail=1'),
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z three\n$/,
    );
    await waitFor('talker', '.status.phase', 'Succeeded');
    assert.match(await kubectl('get pod talker'), /talker +0\/1 +Completed +0 /);
  });

  test('a container that always fails ends in CrashLoopBackOff, with its exit code and the log of the run before', async () => {
    await kubectl('apply -f -', { input: pod('crash', 'echo boom; exit 3') });
    await waitFor('crash', waiting, 'CrashLoopBackOff');
    assert.match(await kubectl('get pod crash'), /crash +0\/1 +CrashLoopBackOff +[1-9]/);
    const described = await kubectl('describe pod crash');
    assert.match(described, /Last State: +Terminated\n +Reason: +Error\n +Exit Code: +3\n/);
    assert.match(described, /Back-off restarting failed container main in pod crash_/);
    assert.equal(await kubectl('logs crash --previous'), 'boom\n');
  });

  test('a container that uses too much memory is OOMKilled', async () => {
    const annotated = JSON.parse(pod('greedy', 'sleep infinity')) as { metadata: { annotations?: object } };
    annotated.metadata.annotations = { 'sandbox.tiphys.dev/behavior': 'oom' };
    await kubectl('apply -f -', { input: JSON.stringify(annotated) });
    await waitFor('greedy', '.status.containerStatuses[0].lastState.terminated.reason', 'OOMKilled');
    assert.match(await kubectl('describe pod greedy'), /Reason: +OOMKilled\n +Exit Code: +137\n/);
  });

  test('a missing ConfigMap keeps the container from starting, until it is there', async () => {
    const wants = JSON.parse(pod('wants', 'sleep infinity')) as { spec: { containers: { envFrom?: unknown }[] } };
    for (const container of wants.spec.containers) container.envFrom = [{ configMapRef: { name: 'settings' } }];
    await kubectl('apply -f -', { input: JSON.stringify(wants) });
    await waitFor('wants', waiting, 'CreateContainerConfigError');
    assert.match(await kubectl('describe pod wants'), /Error: configmap "settings" not found/);
    await kubectl('create configmap settings --from-literal=a=b');
    await kubectl('wait pod/wants --for=condition=Ready --timeout=180s');
  });

  test('a readiness probe that fails keeps the pod unready and says why', async () => {
    const unready = JSON.parse(pod('unready', 'sleep infinity')) as {
      spec: { containers: { readinessProbe?: unknown }[] };
    };
    for (const container of unready.spec.containers)
      container.readinessProbe = { httpGet: { path: '/does-not-exist', port: 80 } };
    await kubectl('apply -f -', { input: JSON.stringify(unready) });
    await waitFor('unready', '.status.phase', 'Running');
    await kubectl('wait pod/unready --for=condition=Ready=false --timeout=10s');
    assert.match(await kubectl('get pod unready'), /unready +0\/1 +Running /);
    await kubectl(
      'wait event --for=jsonpath={.reason}=Unhealthy --timeout=180s --field-selector=involvedObject.name=unready,reason=Unhealthy',
    );
    assert.match(
      await kubectl('describe pod unready'),
      /Unhealthy .*Readiness probe failed: HTTP probe failed with statuscode: 404/,
    );
  });

  test('a pod that no node can take stays Pending with the reason of the scheduler', async () => {
    const huge = JSON.parse(pod('huge', 'sleep infinity')) as { spec: { containers: { resources?: unknown }[] } };
    for (const container of huge.spec.containers) container.resources = { requests: { cpu: '4000' } };
    await kubectl('apply -f -', { input: JSON.stringify(huge) });
    await kubectl('wait pod/huge --for=condition=PodScheduled=false --timeout=180s');
    const message = await kubectl('get pod huge -o jsonpath={.status.conditions[?(@.type=="PodScheduled")].message}');
    assert.match(message, /^0\/1 nodes are available: 1 Insufficient cpu\. /);
    assert.match(await kubectl('get pod huge'), /huge +0\/1 +Pending /);
  });

  test('an image name that is none is told as InvalidImageName', async () => {
    const odd = pod('odd', 'true').replace('busybox:1.36', 'Busy Box');
    const { code, stderr } = await session.attempt(['apply', '-f', '-'], { input: odd });
    if (code !== 0) return assert.match(stderr, /image/);
    await waitFor('odd', waiting, 'InvalidImageName');
  });

  test('exec is refused with a reason', async () => {
    await kubectl('wait pod/wants --for=condition=Ready --timeout=180s');
    const { code, stderr } = await session.attempt(['exec', 'wants', '--', 'ls']);
    assert.notEqual(code, 0);
    assert.notEqual(stderr, '');
  });

  test('delete waits until the pod is gone', async () => {
    assert.match(await kubectl('delete pod wants --timeout=180s'), /^pod "wants" deleted/);
    const { code, stderr } = await session.attempt(['get', 'pod', 'wants']);
    assert.equal(code, 1);
    assert.equal(stderr, 'Error from server (NotFound): pods "wants" not found\n');
  });
});
