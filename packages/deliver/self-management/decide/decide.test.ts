import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Phase, SelfUpdate } from '../state/state.ts';
import { decide, limits } from './decide.ts';
import type { CandidateSeen, Observation, ProcessSeen } from './observation.ts';

const start: SelfUpdate = {
  phase: 'Proving',
  application: 'argocd/tiphys',
  revisions: ['new'],
  operation: '2026-01-01T00:00:00Z',
  from: 'tiphys:1',
  to: 'tiphys:2',
  startedAt: '2026-01-01T00:00:00Z',
  phaseSince: 0,
  periods: { proof: 60_000, watch: 600_000 },
  findings: [],
  notes: [],
  differences: [],
  since: {},
};
const controller: ProcessSeen = { name: 'StatefulSet argocd-application-controller', ready: true };
const difference = { application: 'argocd/shop', running: 'Synced', candidate: 'OutOfSync' };

/** Steps once a second as a driver would, each time from the state as it was stored, until the phase is another one. */
function run(
  from: SelfUpdate,
  see: (second: number, state: SelfUpdate) => Observation,
  seconds = 2_000,
): { state: SelfUpdate; after: number } {
  let state = from;
  const began = from.phaseSince;
  for (let second = 0; second <= seconds; second++) {
    // every step could be that of a process that has just begun
    state = decide(JSON.parse(JSON.stringify(state)) as SelfUpdate, see(second, state), began + second * 1_000);
    if (state.phase !== from.phase) return { state, after: second };
  }
  return { state, after: seconds };
}

function candidate(second: number, changes: Partial<CandidateSeen> = {}, report: object = {}): Observation {
  return {
    operation: 'Running',
    candidate: {
      process: { name: 'candidate', ready: true },
      report: { number: second, rounds: 1, compared: 3, of: 3, memory: 0.2, problems: [], ...report },
      apiAsked: true,
      differences: [],
      ...changes,
    },
  };
}
const at = (phase: Phase, more: Partial<SelfUpdate> = {}): SelfUpdate => ({
  ...start,
  phase,
  phaseSince: 1_000_000,
  ...more,
});
const codes = ({ findings }: SelfUpdate) => findings.map(({ code }) => code);

test('a candidate that decides the same and runs for the time of the proof is followed by the guard', () => {
  const { state, after } = run(start, (second) => candidate(second));
  assert.equal(state.phase, 'Guarding');
  assert.equal(after, 60);
  assert.deepEqual(state.compared, { applications: 3, of: 3 });
  assert.deepEqual(state.findings, []);
});

test('each fault of a candidate refuses the version and is named, and nothing is delivered', async (t) => {
  const faults: readonly [string, (second: number) => Observation, string, number][] = [
    [
      'manifests',
      () => ({ operation: 'Running', manifests: [{ code: 'SelfRightsLacking', message: 'x' }] }),
      'SelfRightsLacking',
      0,
    ],
    [
      'image missing',
      () => ({
        operation: 'Running',
        candidate: {
          process: { name: 'c', ready: false, waiting: 'ImagePullBackOff: no such image' },
          apiAsked: false,
          differences: [],
        },
      }),
      'SelfImageMissing',
      60,
    ],
    [
      'crash at start',
      () => ({
        operation: 'Running',
        candidate: { process: { name: 'c', ready: false, ended: 'exit code 1' }, apiAsked: false, differences: [] },
      }),
      'SelfCandidateCrashed',
      0,
    ],
    [
      'never reports',
      () => ({ operation: 'Running', candidate: { process: controller, apiAsked: false, differences: [] } }),
      'SelfCandidateSilent',
      limits.silence / 1000,
    ],
    ['hang', (second) => candidate(Math.min(second, 10)), 'SelfCandidateHangs', 40],
    ['memory', (second) => candidate(second, {}, { memory: second / 20 }), 'SelfMemoryGrows', 18],
    ['API', (second) => candidate(second, { apiProblem: 'GET /api/version: 500' }), 'SelfApiFails', 10],
    [
      'own problem',
      (second) => candidate(second, {}, { problems: [{ code: 'SelfReportTooLarge', message: 'no' }] }),
      'SelfReportTooLarge',
      0,
    ],
    ['operation ended', () => ({ operation: 'Ended' }), 'SelfSyncEnded', 0],
  ];
  for (const [name, see, code, seconds] of faults)
    await t.test(name, () => {
      const { state, after } = run(start, see);
      assert.equal(state.phase, 'Refused');
      assert.deepEqual(codes(state), [code]);
      assert.equal(after, seconds);
    });
});

test('faults that go away begin to count anew', () => {
  const { state } = run(start, (second) => candidate(second, second % 8 === 0 ? {} : { apiProblem: '503' }));
  assert.equal(state.phase, 'Guarding');
});

test('decisions that differ wait for a person, and an accepted difference is no reason any more', () => {
  const { state, after } = run(start, (second) => candidate(second, { differences: [difference] }));
  assert.equal(state.phase, 'AwaitingConfirmation');
  assert.equal(after, 60);
  assert.deepEqual(state.differences, [difference]);
  assert.equal(decide(state, { operation: 'Running' }, 10).phase, 'AwaitingConfirmation');
  const confirmed = decide({ ...state, confirmed: true }, { operation: 'Running' }, 20);
  assert.equal(confirmed.phase, 'Guarding');
  const watched = run(at('Watching', { confirmed: true }), () => ({
    operation: 'Succeeded',
    processes: [controller],
    differences: [difference],
  }));
  assert.equal(watched.state.phase, 'Delivered');
});

test('nothing is applied before the guard has reported, and without one the version is refused', () => {
  const waiting = at('Guarding');
  assert.equal(decide(waiting, { operation: 'Running' }, 1_001_000).phase, 'Guarding');
  assert.equal(decide({ ...waiting, guardAt: 5 }, { operation: 'Running' }, 1_001_000).phase, 'Applying');
  const late = run(waiting, () => ({ operation: 'Running' }));
  assert.equal(late.state.phase, 'Refused');
  assert.deepEqual(codes(late.state), ['SelfGuardMissing']);
});

test('a sync that fails, or processes that do not come up, are taken back', () => {
  const failed = run(at('Applying'), () => ({ operation: 'Failed', operationMessage: 'denied' }));
  assert.deepEqual([failed.state.phase, failed.after], ['TakingBack', 0]);
  const crashed = run(at('Applying'), (second) => ({
    operation: 'Running',
    processes: [{ ...controller, ready: false, ...(second < 5 ? {} : { ended: 'exit code 1' }) }],
  }));
  assert.deepEqual(
    [crashed.state.phase, crashed.after, codes(crashed.state)],
    ['TakingBack', 5, ['SelfProcessUnhealthy']],
  );
  const late = run(at('Applying'), () => ({ operation: 'Succeeded', processes: [{ ...controller, ready: false }] }));
  assert.deepEqual([late.state.phase, late.after], ['TakingBack', 900]);
  const good = run(at('Applying'), () => ({ operation: 'Succeeded', processes: [controller] }));
  assert.equal(good.state.phase, 'Watching');
});

test('each fault of the watched version is taken back in time', async (t) => {
  const good: Observation = { operation: 'Succeeded', processes: [controller], delivering: true, memory: 0.2 };
  const faults: readonly [string, Partial<Observation>, string, number][] = [
    [
      'crash after 3 minutes',
      { processes: [{ ...controller, ready: false, ended: 'exit code 1' }] },
      'SelfProcessUnhealthy',
      0,
    ],
    ['not ready', { processes: [{ ...controller, ready: false }] }, 'SelfProcessUnhealthy', 30],
    ['hang of the process', { delivering: false }, 'SelfLeaseAbandoned', 1],
    ['API', { apiProblem: 'GET /api/version: 500' }, 'SelfApiFails', 10],
    ['memory', { memory: 0.95 }, 'SelfMemoryGrows', 0],
    ['webhook', { writeProblem: 'denied' }, 'SelfWritesRefused', 2],
    ['decisions', { differences: [difference] }, 'SelfDecisionsDiffer', 20],
  ];
  for (const [name, fault, code, seconds] of faults)
    await t.test(name, () => {
      const { state, after } = run(at('Watching'), (second) => (second < 180 ? good : { ...good, ...fault }));
      assert.equal(state.phase, 'TakingBack');
      assert.equal(after, 180 + seconds);
      assert.deepEqual(codes(state), [code]);
    });
  await t.test('hang of the reconciles', () => {
    const { state, after } = run(at('Watching', { askedAt: 1_000_000, answered: true }), () => ({
      ...good,
      answered: false,
    }));
    assert.deepEqual([state.phase, after, codes(state)], ['TakingBack', 6, ['SelfReconcileLag']]);
  });
  await t.test('none', () => {
    const { state, after } = run(at('Watching'), () => ({ ...good, answered: true }));
    assert.deepEqual([state.phase, after, state.findings], ['Delivered', 600, []]);
  });
});

test('what is taken back is so until everything is restored, however often the guard starts anew', () => {
  const taking = at('TakingBack');
  assert.equal(run(taking, () => ({ operation: 'Failed', restored: false })).state.phase, 'TakingBack');
  // a try of the sync that is under way may write it again
  assert.equal(run(taking, () => ({ operation: 'Running', restored: true }), 60).state.phase, 'TakingBack');
  const { state } = run(taking, () => ({ operation: 'Failed', restored: true }));
  assert.equal(state.phase, 'TakenBack');
  assert.equal(decide(state, { operation: 'Running' }, 5e9), state);
});

test('where no pod can be asked, what the running version shows too, no version is blamed for it', () => {
  const outOfReach = 'GET /api/version of pod argocd-server-1: dial tcp: i/o timeout';
  const { state } = run(start, (second) => candidate(second, { outOfReach }));
  assert.equal(state.phase, 'Guarding');
  assert.deepEqual(state.findings, []);
  assert.equal(state.notes.length, 1);
  assert.match(state.notes[0] ?? '', /no pod can be asked: .*i\/o timeout/);
  const blamed = run(at('Watching', { guardAt: 1 }), () => ({
    operation: 'Succeeded',
    processes: [controller],
    apiProblem: outOfReach,
  }));
  assert.equal(blamed.state.phase, 'TakingBack');
  const known = run(at('Watching', { guardAt: 1, outOfReach }), () => ({
    operation: 'Succeeded',
    processes: [controller],
    apiProblem: outOfReach,
  }));
  assert.equal(known.state.phase, 'Delivered');
});
