import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Application, ApplicationSet } from '@tiphys/api';
import { applicationSet } from '../testing/fixed-sources.ts';
import { nextDeletions } from './reverse-deletion.ts';
import { decideRollout, underRollout } from './rollout.ts';

const steps = [
  { matchExpressions: [{ key: 'env', operator: 'In', values: ['dev'] }] },
  { matchExpressions: [{ key: 'env', operator: 'In', values: ['prod'] }], maxUpdate: '50%' },
];

const at = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`;

interface State {
  readonly revision?: string;
  readonly sync?: 'Synced' | 'OutOfSync';
  readonly health?: string;
  readonly reconciledAt?: number;
  readonly started?: number;
  readonly finished?: number;
  readonly phase?: string;
  /** The revision that the last sync was to. */
  readonly synced?: string;
}

function application(name: string, env: string, state: State = {}): Application {
  const {
    revision = 'one',
    sync = 'OutOfSync',
    health = 'Missing',
    reconciledAt = 0,
    started,
    finished,
    phase,
    synced,
  } = state;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: 'argocd', labels: { env } },
    spec: { project: 'default', source: { repoURL: 'r', path: 'p' }, destination: { name: 'in-cluster' } },
    status: {
      sync: { status: sync, revision },
      health: { status: health },
      reconciledAt: at(reconciledAt),
      ...(started === undefined
        ? {}
        : {
            operationState: {
              operation: {},
              phase: phase ?? 'Succeeded',
              startedAt: at(started),
              ...(finished === undefined ? {} : { finishedAt: at(finished) }),
              ...(synced === undefined ? {} : { syncResult: { revision: synced } }),
            },
          }),
    },
  } as Application;
}

/** A rollout that goes on from pass to pass, as the controller stores it. */
class Rollout {
  readonly set: ApplicationSet = applicationSet({ strategy: { type: 'RollingSync', rollingSync: { steps } } });

  pass(second: number, current: readonly Application[], changed: readonly string[] = []) {
    const decision = decideRollout({
      set: this.set,
      current,
      desired: current,
      specChanged: (live) => changed.includes(live.metadata.name ?? ''),
      now: at(second),
    });
    this.set.status = { ...this.set.status, applicationStatus: decision.statuses };
    const said = Object.fromEntries(decision.statuses.map(({ application: name, status }) => [name, status]));
    return { ...decision, said };
  }
}

const healthy = (name: string, env: string, revision: string, reconciledAt: number, started = 1) =>
  application(name, env, { revision, sync: 'Synced', health: 'Healthy', reconciledAt, started, finished: started + 1 });

test('the first step goes first, and the next when it is healthy', () => {
  const rollout = new Rollout();
  const dev = application('dev', 'dev');
  const prod = application('prod', 'prod');
  const first = rollout.pass(1, [dev, prod]);
  assert.deepEqual(first.said, { dev: 'Pending', prod: 'Waiting' });
  assert.deepEqual([...first.syncs], ['dev']);
  assert.equal(first.condition.message, 'ApplicationSet is performing rollout of step 1');
  const running = application('dev', 'dev', { started: 2, phase: 'Running', reconciledAt: 2 });
  assert.deepEqual(rollout.pass(3, [running, prod]).said, { dev: 'Progressing', prod: 'Waiting' });
  const degraded = application('dev', 'dev', {
    sync: 'Synced',
    health: 'Degraded',
    started: 2,
    finished: 3,
    reconciledAt: 4,
  });
  assert.deepEqual(rollout.pass(5, [degraded, prod]).said, { dev: 'Progressing', prod: 'Waiting' });
  const done = rollout.pass(7, [healthy('dev', 'dev', 'one', 6, 2), prod]);
  assert.deepEqual(done.said, { dev: 'Healthy', prod: 'Pending' });
  const all = rollout.pass(9, [healthy('dev', 'dev', 'one', 6, 2), healthy('prod', 'prod', 'one', 8, 8)]);
  assert.equal(all.said.prod, 'Progressing');
  const end = rollout.pass(12, [healthy('dev', 'dev', 'one', 6, 2), healthy('prod', 'prod', 'one', 11, 8)]);
  assert.deepEqual([end.said.prod, end.condition.reason], ['Healthy', 'ApplicationSetRolloutComplete']);
});

test('a later step that has seen the new revision first waits until the earlier one has looked too', () => {
  const rollout = new Rollout();
  rollout.set.status = {
    applicationStatus: ['dev', 'prod'].map((name, index) => ({
      application: name,
      status: 'Healthy',
      message: '',
      step: String(index + 1),
      targetRevisions: ['one'],
      lastTransitionTime: at(5),
    })),
  };
  const prod = application('prod', 'prod', { revision: 'two', reconciledAt: 20, started: 1, finished: 2 });
  const stale = rollout.pass(20, [healthy('dev', 'dev', 'one', 10), prod]);
  assert.deepEqual(stale.said, { dev: 'Healthy', prod: 'Waiting' });
  assert.deepEqual([[...stale.syncs], [...stale.refreshes]], [[], ['dev']]);
  // it has looked, and has the change as well: it goes first
  const dev = application('dev', 'dev', { revision: 'two', reconciledAt: 22, started: 1, finished: 2 });
  const looked = rollout.pass(22, [dev, prod]);
  assert.deepEqual(looked.said, { dev: 'Pending', prod: 'Waiting' });
  assert.deepEqual([...looked.syncs], ['dev']);
  // or it has looked, and the change is not its own
  const other = new Rollout();
  other.set.status = { applicationStatus: stale.statuses };
  const unaffected = other.pass(24, [healthy('dev', 'dev', 'two', 23), prod]);
  assert.deepEqual(unaffected.said, { dev: 'Healthy', prod: 'Pending' });
});

test('a health from before the sync has ended does not count', () => {
  const rollout = new Rollout();
  const dev = application('dev', 'dev');
  rollout.pass(1, [dev]);
  const running = application('dev', 'dev', {
    sync: 'Synced',
    health: 'Healthy',
    started: 2,
    phase: 'Running',
    reconciledAt: 2,
  });
  rollout.pass(3, [running]);
  assert.equal(rollout.pass(4, [running]).said.dev, 'Progressing');
  const notCompared = application('dev', 'dev', {
    sync: 'Synced',
    health: 'Healthy',
    started: 2,
    finished: 6,
    reconciledAt: 4,
  });
  assert.equal(rollout.pass(7, [notCompared]).said.dev, 'Progressing');
  const compared = application('dev', 'dev', {
    sync: 'Synced',
    health: 'Healthy',
    started: 2,
    finished: 6,
    reconciledAt: 8,
  });
  assert.equal(rollout.pass(9, [compared]).said.dev, 'Healthy');
});

test('a sync of the same second, or to another revision, is not taken for the one that is due', () => {
  const rollout = new Rollout();
  rollout.pass(1, [application('dev', 'dev')]);
  const running = application('dev', 'dev', { started: 2, phase: 'Running', reconciledAt: 2 });
  assert.equal(rollout.pass(2, [running]).said.dev, 'Progressing');
  const news = { revision: 'two', started: 2, finished: 2, reconciledAt: 2, synced: 'one' };
  const tied = rollout.pass(2, [application('dev', 'dev', news)]);
  assert.deepEqual([tied.said.dev, tied.soon, [...tied.syncs]], ['Waiting', true, []]);
  const next = rollout.pass(3, [application('dev', 'dev', news)]);
  assert.deepEqual([next.said.dev, next.soon, [...next.syncs]], ['Pending', false, ['dev']]);
  // the sync read an older state of the branch than the comparison
  const late = application('dev', 'dev', { ...news, started: 4, finished: 5, reconciledAt: 6 });
  assert.equal(rollout.pass(6, [late]).said.dev, 'Progressing');
  assert.deepEqual([...rollout.pass(7, [late]).syncs], ['dev']);
});

test('maxUpdate limits what is under way; a share is at least one; none at zero', () => {
  const rollout = new Rollout();
  const prods = ['a', 'b', 'c', 'd'].map((name) => application(name, 'prod'));
  assert.deepEqual([...rollout.pass(1, prods).syncs], ['a', 'b']);
  const one = new Rollout();
  assert.deepEqual([...one.pass(1, prods.slice(0, 1)).syncs], ['a']);
  const none = applicationSet({
    strategy: { type: 'RollingSync', rollingSync: { steps: [{ ...steps[1], maxUpdate: 0 }] } },
  });
  const decision = decideRollout({ set: none, current: prods, desired: prods, specChanged: () => false, now: at(1) });
  assert.equal(decision.syncs.size, 0);
});

test('a spec that changes makes an Application wait again; one that no step selects is never synced', () => {
  const rollout = new Rollout();
  const dev = healthy('dev', 'dev', 'one', 3);
  assert.equal(rollout.pass(4, [dev]).said.dev, 'Healthy');
  const changed = rollout.pass(5, [dev], ['dev']);
  assert.equal(changed.said.dev, 'Pending');
  const lost = rollout.pass(6, [application('lost', 'nowhere')]);
  assert.deepEqual([lost.said.lost, lost.statuses[0]?.step], ['Waiting', '-1']);
});

test('syncs of a rollout carry the options of the Application, and its own automation is off', () => {
  const base = application('dev', 'dev');
  base.spec.syncPolicy = { automated: { prune: true }, syncOptions: ['CreateNamespace=true'] };
  const made = underRollout(base, true, undefined);
  assert.equal(made.spec.syncPolicy?.automated?.enabled, false);
  assert.deepEqual(made.operation?.sync, { prune: true, syncOptions: ['CreateNamespace=true'] });
  assert.deepEqual(made.operation?.initiatedBy, { username: 'applicationset-controller', automated: true });
  assert.equal(underRollout(base, true, { ...base, operation: { sync: {} } }).operation, undefined);
});

test('in reverse order the last step is deleted first, and what is in no step before that', () => {
  const { set } = new Rollout();
  const all = [application('dev', 'dev'), application('prod', 'prod'), application('x', 'other')];
  const order: string[][] = [];
  for (let left = all; left.length > 0; ) {
    const due = nextDeletions(set, left);
    order.push(due.map(({ metadata }) => metadata.name ?? ''));
    left = left.filter((item) => !due.includes(item));
  }
  assert.deepEqual(order, [['x'], ['prod'], ['dev']]);
});
