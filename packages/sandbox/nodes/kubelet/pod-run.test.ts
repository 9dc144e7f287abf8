import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Container, Pod, PodSpec } from '../../kube-controllers/machinery/workload-model.ts';
import type { ContainerNews } from './container-news.ts';
import { PodRun } from './pod-run.ts';

const start = Date.parse('2026-01-01T00:00:00Z');
const defaults = { startDelay: 100, stopDelay: 50 };

/** A pod on a node whose time is told by the test. */
class Stage {
  pod: Pod;
  now = start;
  readonly told: string[] = [];
  #run: PodRun;

  constructor(spec: Partial<PodSpec> & { containers: Container[] }, annotations: Record<string, string> = {}) {
    const metadata = { name: 'p', namespace: 'n', uid: 'u', generation: 1, annotations };
    this.pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec };
    this.#run = this.#begin();
  }

  #begin(): PodRun {
    return new PodRun(this.pod, { now: this.now, ip: '10.0.0.1', defaults });
  }

  /** The node's process ends and another one takes over. */
  restart(): void {
    this.#run = this.#begin();
  }

  /** Lets time pass as a kubelet would, from one appointment to the next. */
  pass(seconds: number): NonNullable<Pod['status']> {
    const end = this.now + seconds * 1000;
    for (;;) {
      const news: ContainerNews[] = [];
      const wait = this.#run.advance(this.pod, this.now, news);
      this.pod = { ...this.pod, status: this.#run.status(this.pod, this.now) };
      this.told.push(...news.map(({ reason }) => reason));
      if (wait === undefined || this.now + wait > end) break;
      this.now += wait;
    }
    this.now = end;
    return this.pod.status ?? {};
  }
}

const condition = (status: NonNullable<Pod['status']>, type: string) =>
  status.conditions?.find((item) => item.type === type);

test('a server is created, starts and is ready', () => {
  const stage = new Stage({ containers: [{ name: 'web', image: 'nginx' }] });
  const first = stage.pass(0);
  assert.equal(first.phase, 'Pending');
  assert.deepEqual(first.containerStatuses?.[0]?.state, { waiting: { reason: 'ContainerCreating' } });
  const later = stage.pass(1);
  assert.equal(later.phase, 'Running');
  assert.equal(condition(later, 'Ready')?.status, 'True');
  assert.equal(later.containerStatuses?.[0]?.image, 'docker.io/library/nginx:latest');
  assert.deepEqual(stage.told, ['Pulled', 'Created', 'Started']);
});

test('a readiness probe is waited for as long as it says', () => {
  const readinessProbe = { httpGet: { path: '/', port: 80 }, initialDelaySeconds: 5 };
  const stage = new Stage({ containers: [{ name: 'web', image: 'nginx', readinessProbe }] });
  assert.equal(condition(stage.pass(4), 'Ready')?.status, 'False');
  assert.equal(condition(stage.pass(2), 'Ready')?.status, 'True');
});

test('a container that fails is restarted at once, then after 10, 20 and 40 seconds', () => {
  const stage = new Stage({ containers: [{ name: 'app', image: 'busybox', command: ['sh', '-c', 'exit 3'] }] });
  const counts = [1, 9, 2, 17, 3].map((seconds) => stage.pass(seconds).containerStatuses?.[0]?.restartCount);
  assert.deepEqual(counts, [1, 1, 2, 2, 3]);
  const { state, lastState } = stage.pass(0).containerStatuses?.[0] ?? {};
  assert.deepEqual(state?.waiting, {
    reason: 'CrashLoopBackOff',
    message: 'back-off 40s restarting failed container=app pod=p_n(u)',
  });
  assert.equal(lastState?.terminated?.exitCode, 3);
});

test('restartPolicy Never ends the pod with its container', () => {
  const command = ['sh', '-c', 'sleep 2; exit 1'];
  const stage = new Stage({ restartPolicy: 'Never', containers: [{ name: 'app', image: 'busybox', command }] });
  assert.equal(stage.pass(1).phase, 'Running');
  const over = stage.pass(2);
  assert.equal(over.phase, 'Failed');
  assert.equal(condition(over, 'Ready')?.reason, 'PodFailed');
  assert.equal(over.containerStatuses?.[0]?.state.terminated?.reason, 'Error');
});

test('restartPolicy OnFailure restarts until it ends well', () => {
  const stage = new Stage({
    restartPolicy: 'OnFailure',
    containers: [{ name: 'app', image: 'busybox', command: ['true'] }],
  });
  assert.equal(stage.pass(1).phase, 'Succeeded');
});

test('init containers run one after the other, sidecars stay until the last container ended', () => {
  const stage = new Stage({
    restartPolicy: 'Never',
    initContainers: [
      { name: 'one', image: 'busybox', command: ['sleep', '2'] },
      { name: 'proxy', image: 'envoy', restartPolicy: 'Always' },
    ],
    containers: [{ name: 'app', image: 'busybox', command: ['sleep', '3'] }],
  });
  const first = stage.pass(1);
  assert.equal(condition(first, 'Initialized')?.message, 'containers with incomplete status: [one proxy]');
  assert.deepEqual(first.containerStatuses?.[0]?.state, { waiting: { reason: 'PodInitializing' } });
  const second = stage.pass(2);
  assert.equal(second.phase, 'Running');
  assert.ok(second.initContainerStatuses?.[1]?.state.running);
  const third = stage.pass(3);
  assert.equal(third.phase, 'Succeeded');
  assert.equal(stage.pass(0).initContainerStatuses?.[1]?.state.terminated?.exitCode, 0);
});

test('an init container that fails for good fails the pod', () => {
  const stage = new Stage({
    restartPolicy: 'Never',
    initContainers: [{ name: 'one', image: 'busybox', command: ['false'] }],
    containers: [{ name: 'app', image: 'nginx' }],
  });
  assert.equal(stage.pass(1).phase, 'Failed');
});

test('sidecars end with a pod whose init container failed for good', () => {
  const stage = new Stage({
    restartPolicy: 'Never',
    initContainers: [
      { name: 'proxy', image: 'envoy', restartPolicy: 'Always' },
      { name: 'one', image: 'busybox', command: ['false'] },
    ],
    containers: [{ name: 'app', image: 'nginx' }],
  });
  stage.pass(2);
  const { phase, initContainerStatuses = [] } = stage.pass(2);
  assert.equal(phase, 'Failed');
  assert.deepEqual(
    initContainerStatuses.map(({ state }) => state.terminated?.exitCode),
    [0, 1],
  );
});

test('an image that does not exist goes from ErrImagePull to ImagePullBackOff', () => {
  const stage = new Stage({ containers: [{ name: 'app', image: 'shop/api:does-not-exist' }] });
  assert.equal(stage.pass(0).containerStatuses?.[0]?.state.waiting?.reason, 'ErrImagePull');
  const { reason, message = '' } = stage.pass(3).containerStatuses?.[0]?.state.waiting ?? {};
  assert.equal(reason, 'ImagePullBackOff');
  assert.match(message, /^Back-off pulling image "shop\/api:does-not-exist": ErrImagePull: rpc error: code = NotFound/);
});

test('a liveness probe that fails restarts the container, a startup probe too', () => {
  for (const kind of ['livenessProbe', 'startupProbe']) {
    const probe = { httpGet: { path: '/does-not-exist', port: 80 }, periodSeconds: 1, failureThreshold: 2 };
    const stage = new Stage({ containers: [{ name: 'app', image: 'nginx', [kind]: probe }] });
    assert.equal(stage.pass(3).containerStatuses?.[0]?.restartCount, 1);
    assert.ok(stage.told.includes('Killing'));
  }
});

test('a readiness probe that fails is told ever more rarely', () => {
  const readinessProbe = { httpGet: { path: '/does-not-exist', port: 80 } };
  const stage = new Stage({ containers: [{ name: 'app', image: 'nginx', readinessProbe }] });
  assert.equal(condition(stage.pass(3600), 'Ready')?.status, 'False');
  assert.equal(stage.told.filter((reason) => reason === 'Unhealthy').length, 6);
});

test('activeDeadlineSeconds fails the pod', () => {
  const stage = new Stage({ activeDeadlineSeconds: 5, containers: [{ name: 'app', image: 'nginx' }] });
  assert.equal(stage.pass(4).phase, 'Running');
  const { phase, reason } = stage.pass(2);
  assert.deepEqual({ phase, reason }, { phase: 'Failed', reason: 'DeadlineExceeded' });
});

test('the annotation decides how containers behave, all or one', () => {
  const both = {
    containers: [
      { name: 'a', image: 'nginx' },
      { name: 'b', image: 'nginx' },
    ],
  };
  const reasons = (behavior: string) =>
    new Stage(both, { 'sandbox.tiphys.dev/behavior': behavior })
      .pass(5)
      .containerStatuses?.map(
        ({ state, lastState }) => lastState.terminated?.reason ?? state.waiting?.reason ?? 'runs',
      );
  assert.deepEqual(reasons('oom'), ['OOMKilled', 'OOMKilled']);
  assert.deepEqual(reasons('b=crash-loop'), ['runs', 'Error']);
  assert.deepEqual(reasons('a=image-pull-error, b=slow:1m'), ['ImagePullBackOff', 'ContainerCreating']);
});

test('another process goes on where one stopped, and the status stays the same', () => {
  const stage = new Stage({
    containers: [{ name: 'app', image: 'busybox', command: ['sh', '-c', 'sleep 60; exit 1'] }],
  });
  const before = stage.pass(10);
  stage.restart();
  assert.deepEqual(stage.pass(0), before);
  assert.equal(stage.pass(55).containerStatuses?.[0]?.restartCount, 1);
});
