import type { KubeObject } from '@tiphys/kubernetes';
import { textAt, valueAt } from '../../model/fields.ts';
import type { HealthCode } from '../../model/model.ts';
import { health } from '../conditions.ts';
import {
  type Check,
  type Checks,
  conditions,
  field,
  firstOf,
  given,
  hasStatus,
  listAt,
  numberOr,
  ranked,
  when,
} from './check.ts';

const message = (object: KubeObject, missing: string) => textAt(object, 'status', 'message') || missing;

const analysisRun: Check = (run) => {
  if (!hasStatus(run))
    return health('Progressing', 'Waiting for analysis run to finish: status has not been reconciled.');
  switch (textAt(run, 'status', 'phase')) {
    case 'Pending':
    case 'Running':
      return health('Progressing', 'Analysis run is running');
    case 'Successful':
      return health('Healthy', message(run, 'Analysis run completed successfully'));
    case 'Failed':
      return health('Degraded', message(run, 'Analysis run failed'));
    case 'Error':
      return health('Degraded', message(run, 'Analysis run had an error'));
    case 'Inconclusive':
      return health('Unknown', message(run, 'Analysis run was inconclusive'));
    default:
      return undefined;
  }
};

const experiment: Check = (object) =>
  hasStatus(object)
    ? field(['status', 'phase'], {
        Pending: ['Progressing', 'Experiment is pending'],
        Running: ['Progressing', 'Experiment is running'],
        Successful: ['Healthy', 'Experiment is successful'],
        Failed: ['Degraded', 'Experiment has failed'],
        Error: ['Degraded', 'Experiment had an error'],
      })(object)
    : health('Progressing', 'Waiting for experiment to finish: status has not been reconciled.');

const phases: Readonly<Record<string, HealthCode>> = {
  Healthy: 'Healthy',
  Degraded: 'Degraded',
  Progressing: 'Progressing',
  Paused: 'Suspended',
};

/** The controller tells the phase since version 1.0; before it has to be found out. */
const rollout: Check = (object) => {
  if (!isObserved(object)) return health('Progressing', 'Waiting for rollout spec update to be observed');
  const phase = valueAt(object, 'status', 'phase');
  if (typeof phase === 'string') {
    const code = phases[phase];
    return code
      ? health(code, textAt(object, 'status', 'message'))
      : health('Unknown', `the rollout is in the unknown phase ${phase}`);
  }
  return failedRollout(object) ?? pausedRollout(object) ?? rolloutSteps(object);
};

function isObserved(object: KubeObject): boolean {
  if (!hasStatus(object)) return false;
  const { metadata } = object;
  const observed = Number(valueAt(object, 'status', 'observedGeneration') ?? Number.NaN);
  if (observed < (metadata.generation ?? 0)) return false;
  if (valueAt(object, 'spec', 'workloadRef') === undefined || !metadata.annotations) return true;
  const workload = metadata.annotations['rollout.argoproj.io/workload-generation'];
  return String(workload) === String(valueAt(object, 'status', 'workloadObservedGeneration'));
}

const failedRollout = conditions(
  { type: 'InvalidSpec', code: 'Degraded' },
  { type: 'Progressing', reason: ['RolloutAborted', 'ProgressDeadlineExceeded'], code: 'Degraded' },
);

const pausedRollout = given(
  (object) => listAt(object, 'status', 'pauseConditions').length > 0 || valueAt(object, 'spec', 'paused') === true,
  'Suspended',
  'Rollout is paused',
);

function rolloutSteps(object: KubeObject) {
  const wait = (text: string) => health('Progressing', text);
  const current = valueAt(object, 'status', 'currentPodHash');
  if (current === undefined) return wait('Waiting for rollout to finish: status has not been reconciled.');
  const count = (name: string) => numberOr(0, object, 'status', name);
  const updated = count('updatedReplicas');
  if (updated < numberOr(1, object, 'spec', 'replicas'))
    return wait('Waiting for roll out to finish: More replicas need to be updated');
  if (count('availableReplicas') < updated)
    return wait('Waiting for roll out to finish: updated replicas are still becoming available');
  const stable = textAt(object, 'status', 'stableRS') || textAt(object, 'status', 'canary', 'stableRS');
  if (valueAt(object, 'spec', 'strategy', 'blueGreen') !== undefined) {
    if (valueAt(object, 'status', 'blueGreen', 'activeSelector') !== current)
      return wait('active service cutover pending');
    if (stable !== '' && stable !== current) return wait('waiting for analysis to complete');
  } else if (valueAt(object, 'spec', 'strategy', 'canary') !== undefined) {
    if (count('replicas') > updated)
      return wait('Waiting for roll out to finish: old replicas are pending termination');
    if (stable !== current) return wait('Waiting for rollout to finish steps');
  }
  return health('Healthy');
}

const spot: Check = (object) => {
  if (!Array.isArray(valueAt(object, 'status', 'conditions'))) return undefined;
  return firstOf(
    ['Healthy'],
    conditions(
      { type: 'InvalidSpec', code: 'Degraded' },
      { type: 'Progressing', reason: ['RolloutAborted', 'ProgressDeadlineExceeded'], code: 'Degraded' },
      when('Paused', 'True', 'Suspended', 'Rollout is paused'),
    ),
    field(['status', 'phase'], { Progressing: ['Progressing', 'Waiting for rollout to finish steps'] }),
  )(object);
};

/** Kinds of the Argo projects, and of what is made after Rollouts. */
export const argoKinds: Checks = {
  'argoproj.io/AnalysisRun': analysisRun,
  'argoproj.io/ApplicationSet': firstOf(
    ['Progressing', 'Waiting for the status to be reported'],
    ranked(
      when('ErrorOccurred', 'True', 'Degraded'),
      when('ResourcesUpToDate', 'False', 'Degraded'),
      when('RolloutProgressing', 'True', 'Progressing'),
      when('ResourcesUpToDate', 'True', 'Healthy'),
    ),
  ),
  'argoproj.io/CronWorkflow': firstOf(
    ['Healthy', 'CronWorkflow is healthy.'],
    conditions(when(['SpecError', 'SubmissionError'], 'True', 'Degraded'), when('Completed', 'True', 'Healthy')),
  ),
  'argoproj.io/EventBus': firstOf(
    ['Progressing', 'Waiting for initialization'],
    conditions(
      when('Deployed', 'False', 'Degraded', (one) => textAt(one, 'message') || textAt(one, 'reason')),
      when('Deployed', 'True', 'Healthy', (one) => textAt(one, 'message') || textAt(one, 'reason')),
    ),
  ),
  'argoproj.io/Experiment': experiment,
  'argoproj.io/Rollout': rollout,
  'spot.io/SpotDeployment': spot,
};
