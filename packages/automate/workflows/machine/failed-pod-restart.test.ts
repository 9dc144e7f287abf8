import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus, Pod, PodStatus, Workflow } from '../model/types.ts';
import { type Action, type Facts, operate } from './index.ts';
import { bareFacts } from './testing/bare-facts.ts';

const begin = Date.parse('2026-01-01T00:00:00Z');
const flow = (template: object = {}): Workflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'jobs', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    entrypoint: 'main',
    templates: [{ name: 'main', container: { image: 'busybox', command: ['x'] }, ...template }],
  },
});
const evicted: PodStatus = { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };

/** A controller with a cluster of one pod, which is looked at once a second. */
class Run {
  workflow: Workflow;
  pod: Pod | undefined;
  actions: readonly Action[] = [];
  readonly #settings: Facts['settings'];
  #now = begin;
  #made = 0;

  constructor(workflow: Workflow, failedPodRestart?: Facts['settings']['failedPodRestart']) {
    this.workflow = workflow;
    this.#settings = { executorImage: 'argoexec', ...(failedPodRestart ? { failedPodRestart } : {}) };
    this.look();
  }

  get node(): NodeStatus {
    return this.workflow.status?.nodes?.w as NodeStatus;
  }

  look(status?: PodStatus): this {
    if (status && this.pod) this.pod = { ...this.pod, status };
    this.#now += 1000;
    const facts = bareFacts(this.#now, { settings: this.#settings, pods: this.pod ? [this.pod] : [] });
    const decided = operate(this.workflow, facts);
    this.workflow = decided.workflow;
    this.actions = decided.actions;
    for (const action of decided.actions)
      if (action.kind === 'create-pod') {
        this.#made += 1;
        this.pod = { ...action.pod, metadata: { ...action.pod.metadata, uid: `pod-${this.#made}` } };
      }
    return this;
  }

  /** The pod that was asked to be deleted is gone. */
  gone(): this {
    const [deleted] = this.actions.flatMap((action) => (action.kind === 'delete-pod' ? [action] : []));
    assert.equal(deleted?.pod, this.pod?.metadata.name);
    assert.equal(deleted?.uid, this.pod?.metadata.uid);
    this.pod = undefined;
    return this.look();
  }
}

test('a pod that a node took away before it began is to be made again, and the node says why', () => {
  const run = new Run(flow(), { enabled: true });
  run.look(evicted);
  assert.deepEqual(
    [run.node.phase, run.node.failedPodRestarts, run.node.restartingPodUID, run.node.message],
    ['Pending', 1, 'pod-1', 'Pod auto-restarting due to Evicted: The node was low on resource: memory.'],
  );
  // the same pod again, before it is gone, is no second failure
  assert.equal(run.look().node.failedPodRestarts, 1);
  run.look();
  assert.equal(run.node.phase, 'Pending');
});

test('after the restart the new pod, under the same name, counts alone', () => {
  const run = new Run(flow(), { enabled: true });
  const name = run.pod?.metadata.name;
  run.look(evicted).gone();
  const { metadata, status } = run.pod ?? {};
  assert.deepEqual([metadata?.name, metadata?.uid, status], [name, 'pod-2', undefined]);
  run.look({
    phase: 'Running',
    containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }],
  } as PodStatus);
  assert.deepEqual([run.node.phase, run.node.restartingPodUID, run.node.message], ['Running', undefined, undefined]);
  assert.equal(run.node.failedPodRestarts, 1);
});

test('after maxRestarts, and where nothing allows it, the failure is that of the node', () => {
  const twice = new Run(flow(), { enabled: true, maxRestarts: 2 });
  for (const restarts of [1, 2]) {
    twice.look(evicted);
    assert.equal(twice.node.failedPodRestarts, restarts);
    twice.gone();
  }
  twice.look(evicted);
  assert.deepEqual([twice.node.phase, twice.node.message], ['Failed', evicted.message]);
  assert.equal(new Run(flow()).look(evicted).node.phase, 'Failed');
  assert.equal(new Run(flow(), { enabled: false }).look(evicted).node.phase, 'Failed');
});

test('a pod whose main container ran, or that failed by itself, is not made again', () => {
  const startedAt = '2026-01-01T00:00:01Z';
  const ended = { terminated: { exitCode: 137, startedAt, finishedAt: startedAt } };
  const ran = { ...evicted, containerStatuses: [{ name: 'main', ready: false, state: ended }] } as PodStatus;
  const run = new Run(flow(), { enabled: true });
  assert.equal(run.look(ran).node.phase, 'Failed');
  const failed: PodStatus = { phase: 'Failed', reason: 'Error', message: 'no' };
  assert.equal(new Run(flow(), { enabled: true }).look(failed).node.phase, 'Failed');
});

test('a restart uses up no attempt of a retry strategy', () => {
  const run = new Run(flow({ retryStrategy: { limit: 1 } }), { enabled: true });
  run.look(evicted);
  const attempts = Object.values(run.workflow.status?.nodes ?? {}).filter(({ type }) => type === 'Pod');
  assert.deepEqual(
    attempts.map(({ phase, failedPodRestarts }) => [phase, failedPodRestarts]),
    [['Pending', 1]],
  );
});
