import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Rollout } from '../api/families.ts';
import {
  earlierRevisions,
  imageEffect,
  offersOf,
  plotOf,
  rollBackEffect,
  stepState,
  stepWords,
  weightWords,
} from './rollouts.ts';

const rollout = (more: Partial<Rollout> = {}): Rollout => ({
  namespace: 'shop',
  name: 'web',
  strategy: 'canary',
  phase: 'Paused',
  message: '',
  step: { index: 1, count: 3 },
  revision: '2',
  current: 'bbb',
  stable: 'aaa',
  pods: { wanted: 5, updated: 1, available: 5 },
  steps: ['Weight 20 %', 'Pause until promoted', 'Weight 60 %'].map((text) => ({ kind: '', text })),
  aborted: false,
  paused: false,
  pauses: [{ reason: 'CanaryPauseStep', since: '' }],
  conditions: [],
  diagnoses: [],
  revisions: [],
  analyses: [],
  experiments: [],
  notes: [],
  mayAct: true,
  ...more,
});

const offered = (given: Rollout) =>
  offersOf(given)
    .filter(({ refusal }) => !refusal)
    .map(({ verb }) => verb);

test('offersOf() offers what can be done, says what comes of it, and why not', () => {
  assert.deepEqual(offered(rollout()), ['promote', 'promote-full', 'abort', 'restart']);
  assert.match(offersOf(rollout())[0]?.effect ?? '', /pause of web ends.*Next step: Weight 60 %/);
  assert.deepEqual(offered(rollout({ aborted: true, pauses: [] })), ['retry', 'restart']);
  assert.deepEqual(offered(rollout({ stable: 'bbb', pauses: [] })), ['restart']);
  assert.deepEqual(offered(rollout({ mayAct: false })), []);
  assert.match(offersOf(rollout({ mayAct: false }))[0]?.refusal ?? '', /clusters, update, \*/);
});

test('steps and weights have words', () => {
  assert.equal(stepWords(rollout()), '1 / 3');
  assert.equal(stepWords({}), '');
  assert.equal(weightWords({ weight: { desired: 20, actual: 20 } }), '20 %');
  assert.equal(weightWords({ weight: { desired: 20, actual: 10 } }), '10 % of 20 %');
  assert.deepEqual(
    [0, 1, 2].map((index) => stepState(rollout(), index)),
    ['done', 'current', 'next'],
  );
  assert.equal(stepState(rollout({ aborted: true }), 1), 'next');
});

test('plotOf() draws numbers by their size and all else in the middle', () => {
  const measurement = (value: string, phase = 'Successful') => ({
    phase,
    value,
    message: '',
    started: '',
    finished: '',
  });
  const measurements = [measurement('0'), measurement('[10]'), measurement('no number', 'Error')];
  const { points, low, high } = plotOf({ measurements }, { width: 116, height: 116 });
  assert.deepEqual(
    points.map(({ x, y, phase }) => [x, y, phase]),
    [
      [8, 108, 'Successful'],
      [58, 8, 'Successful'],
      [108, 58, 'Error'],
    ],
  );
  assert.deepEqual([low, high], ['0', '10']);
  assert.equal(plotOf({ measurements: [measurement('')] }, { width: 116, height: 116 }).high, '');
});

test('plotOf() draws the numbers that conditions compare with, within the plot', () => {
  const measurements = ['0', '10'].map((value) => ({ phase: '', value, message: '', started: '', finished: '' }));
  const limitsOf = (success: string, failure = '') =>
    plotOf({ measurements, success, failure }, { width: 116, height: 116 }).limits.map(({ y, value, of }) => [
      y,
      value,
      of,
    ]);
  assert.deepEqual(limitsOf('result[0] <= 5'), [[58, 5, 'success']]);
  assert.deepEqual(limitsOf('asFloat(result) >= 0.5 && result < 10', 'result[0] > 20'), [
    [105.5, 0.5, 'success'],
    [58, 10, 'success'],
    [8, 20, 'failure'],
  ]);
  assert.deepEqual(limitsOf('result.ok == 1 && len(result) > 3 && default(result, 0) < 1e400'), []);
  assert.deepEqual(plotOf({ measurements: [], success: 'result < 1' }, { width: 9, height: 9 }).limits, []);
});

test('going back and another image tell what they do', () => {
  const revision = (of: string, hash: string) => ({
    ...{ name: `web-${hash}`, revision: of, hash, roles: [], images: [`web:${of}`], containers: ['web'], created: '' },
    ...{ wanted: 1, pods: 1, ready: 1, available: 1 },
  });
  const shown = rollout({ revisions: [revision('3', 'bbb'), revision('2', 'aaa'), revision('1', 'ccc')] });
  const [stable, first] = earlierRevisions(shown);
  assert.ok(stable && first);
  assert.match(rollBackEffect(shown, stable), /revision 2 \(web:2\) again\. It is the stable one/);
  assert.match(rollBackEffect(shown, first), /revision 1 \(web:1\) again\. An update begins/);
  assert.match(imageEffect(shown, 'web', 'web:4'), /^Container web of web gets web:4: an update begins/);
});
