import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ContainerStatus, Pod, Workflow } from '../model/types.ts';
import { operate } from './index.ts';
import { bareFacts } from './testing/bare-facts.ts';

const begin = Date.parse('2026-01-01T00:00:00Z');
const workflow: Workflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'set', namespace: 'jobs', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: {
    entrypoint: 'main',
    templates: [
      {
        name: 'main',
        containerSet: { containers: ['a', 'b'].map((name) => ({ name, image: 'busybox', command: ['x'] })) },
      },
    ],
  },
};

const facts = (seconds: number, pods: Pod[] = []) => bareFacts(begin + seconds * 1000, { pods });

/** What is done with a pod whose containers ended so: an exit code and the second, or nothing while they run. */
function decided(ends: Record<string, [code: number, second: number] | undefined>, now: number) {
  const begun = operate(workflow, facts(0));
  const [made] = begun.actions.flatMap((action) => (action.kind === 'create-pod' ? [action.pod] : []));
  assert.ok(made);
  const containerStatuses: ContainerStatus[] = Object.entries(ends).map(([name, end]) => ({
    name,
    state: end
      ? { terminated: { exitCode: end[0], finishedAt: new Date(begin + end[1] * 1000).toISOString() } }
      : { running: {} },
  }));
  const pod: Pod = { ...made, status: { phase: 'Running', containerStatuses } };
  const { actions, requeueAt } = operate(begun.workflow, facts(now, [pod]));
  return { isEnded: actions.some(({ kind }) => kind === 'terminate-pod'), requeueAt };
}

test('when a container of a set has failed, the others have two seconds to end by themselves', () => {
  assert.equal(decided({ a: undefined, b: undefined }, 9).isEnded, false);
  assert.deepEqual(decided({ a: [1, 5], b: undefined }, 6), { isEnded: false, requeueAt: begin + 7000 });
  assert.equal(decided({ a: [1, 5], b: undefined }, 7).isEnded, true);
  assert.equal(decided({ a: [0, 5], b: undefined }, 60).isEnded, false, 'the other one still has work');
  assert.equal(decided({ a: [1, 5], b: [0, 5] }, 5).isEnded, true, 'sidecars are all that is left');
});
