import assert from 'node:assert/strict';
import test from 'node:test';
import type { Rollout, RolloutStatus } from '@tiphys/api';
import { rolloutOf } from '../testing/bench.ts';
import { type Promotion, promotionPatches, restartPatch } from './patches.ts';
import { withImage } from './set-image.ts';
import { shownPhase } from './shown-phase.ts';

const steps = [{ setWeight: 10 }, { pause: {} }, { setWeight: 50 }];
const canary = { canary: { steps } };
const blueGreen = { blueGreen: { activeService: 'active' } };
const startTime = '2026-01-01T00:00:00Z';

interface Case {
  readonly what: string;
  readonly strategy?: Rollout['spec']['strategy'];
  readonly paused?: boolean;
  readonly status?: RolloutStatus;
  readonly promotion?: Promotion;
  readonly sent: readonly unknown[];
}

const status = (fields: Record<string, unknown>) => ({ subresource: 'status', body: { status: fields } });
const unpaused = { body: { spec: { paused: false } } };

const cases: readonly Case[] = [
  {
    what: 'a pause ends, and the step is left to the controller',
    status: { currentStepIndex: 1, pauseConditions: [{ reason: 'CanaryPauseStep', startTime }] },
    sent: [status({ pauseConditions: null })],
  },
  {
    what: 'a step that runs is passed',
    status: { currentStepIndex: 0 },
    sent: [status({ pauseConditions: null, currentStepIndex: 1 })],
  },
  { what: 'before the first step', sent: [status({ pauseConditions: null, currentStepIndex: 1 })] },
  {
    what: 'after the last step the index stays',
    status: { currentStepIndex: 3 },
    sent: [status({ pauseConditions: null, currentStepIndex: 3 })],
  },
  {
    what: 'an inconclusive analysis is passed together with its pause',
    status: {
      currentStepIndex: 0,
      controllerPause: true,
      pauseConditions: [{ reason: 'InconclusiveAnalysisRun', startTime }],
      canary: { currentStepAnalysisRunStatus: { name: 'run', status: 'Inconclusive' } },
    },
    sent: [status({ pauseConditions: null, controllerPause: false, currentStepIndex: 1 })],
  },
  {
    what: 'what a person paused goes on after the status',
    paused: true,
    status: { currentStepIndex: 0 },
    sent: [status({ pauseConditions: null, currentStepIndex: 1 }), unpaused],
  },
  { what: 'without steps there is nothing to send', strategy: { canary: {} }, sent: [] },
  {
    what: 'the preview is promoted',
    strategy: blueGreen,
    status: { pauseConditions: [{ reason: 'BlueGreenPause', startTime }] },
    sent: [status({ pauseConditions: null })],
  },
  { what: 'blue-green that is not paused', strategy: blueGreen, sent: [] },
  {
    what: 'to the end',
    paused: true,
    status: { currentPodHash: 'new', stableRS: 'old' },
    promotion: { full: true },
    sent: [status({ promoteFull: true }), unpaused],
  },
  {
    what: 'to the end that is reached',
    status: { currentPodHash: 'a', stableRS: 'a' },
    promotion: { full: true },
    sent: [],
  },
  {
    what: 'past the step at hand',
    status: { currentStepIndex: 1 },
    promotion: { skipCurrentStep: true },
    sent: [status({ currentStepIndex: 2 })],
  },
  { what: 'past all steps', promotion: { skipAllSteps: true }, sent: [status({ currentStepIndex: 3 })] },
];

function inCase({ strategy = canary, paused, status: is }: Pick<Case, 'strategy' | 'paused' | 'status'>): Rollout {
  const { spec, ...rollout } = rolloutOf(strategy);
  return { ...rollout, spec: { ...spec, ...(paused ? { paused } : {}) }, ...(is ? { status: is } : {}) };
}

for (const { what, promotion, sent, ...state } of cases)
  test(`promote: ${what}`, () => assert.deepEqual(promotionPatches(inCase(state), promotion), sent));

test('promote: steps that are not there cannot be skipped', () => {
  const refused = [
    [blueGreen, { skipAllSteps: true }, /blue-green: it has no steps/],
    [{ canary: {} }, { skipCurrentStep: true }, /no steps to skip/],
    [canary, { skipCurrentStep: true, skipAllSteps: true }, /at once/],
  ] as const;
  for (const [strategy, promotion, message] of refused)
    assert.throws(() => promotionPatches(inCase({ strategy }), promotion), { message });
});

test('restart: whole seconds', () => {
  assert.deepEqual(restartPatch(Date.parse('2026-01-01T00:00:10.900Z')), {
    body: { spec: { restartAt: '2026-01-01T00:00:10Z' } },
  });
});

test('set image: containers by name, of all lists, or all; another name is refused with those that are there', () => {
  const { spec, ...rollout } = rolloutOf(canary);
  const template = {
    spec: { initContainers: [{ name: 'init', image: 'a' }], containers: [{ name: 'web', image: 'a' }] },
  };
  const object = { ...rollout, spec: { ...spec, template } };
  const images = (container: string) => {
    const pod = (withImage(object, container, 'b') as typeof object).spec.template.spec;
    return [...pod.initContainers, ...pod.containers].map(({ image }) => image);
  };
  assert.deepEqual(
    [images('init'), images('web'), images('*')],
    [
      ['b', 'a'],
      ['a', 'b'],
      ['b', 'b'],
    ],
  );
  assert.throws(
    () => images('other'),
    (error: { diagnosis: { evidence: unknown } }) => {
      assert.match(JSON.stringify(error.diagnosis.evidence), /init, web/);
      return true;
    },
  );
});

test('the phase that is shown is not older than the spec, nor than the end of a pause', () => {
  const shown = (fields: RolloutStatus, generation = 2) => {
    const rollout = inCase({ status: { phase: 'Paused', message: 'CanaryPauseStep', ...fields } });
    const { phase, message } = shownPhase({ ...rollout, metadata: { ...rollout.metadata, generation } });
    return `${phase}: ${message}`;
  };
  const behind = 'Progressing: waiting for rollout spec update to be observed';
  assert.equal(shown({ observedGeneration: '1' }), behind);
  assert.equal(shown({ observedGeneration: '2' }), 'Paused: CanaryPauseStep');
  assert.equal(shown({ observedGeneration: '7d4b9c' }), 'Paused: CanaryPauseStep');
  assert.equal(
    shown({ observedGeneration: '2', controllerPause: true }),
    'Progressing: waiting for rollout to unpause',
  );
});
