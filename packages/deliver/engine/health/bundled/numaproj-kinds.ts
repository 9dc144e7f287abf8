import type { KubeObject } from '@tiphys/kubernetes';
import { objectsAt, textAt } from '../../model/fields.ts';
import { health } from '../conditions.ts';
import { type Check, type Checks, hasStatus, isSeen } from './check.ts';

const phase = (object: KubeObject) => textAt(object, 'status', 'phase');

interface FlowRule {
  /** Phases in which it is stopped as somebody wants it. */
  readonly paused: readonly string[];
  /** Tells of a failed part: the message of its condition, or a text. */
  readonly failure?: string;
  /** Whether an upgrade of Numaplane can fail it. */
  readonly upgraded: boolean;
}

function flow(kind: string, { paused, failure, upgraded }: FlowRule): Check {
  return (object) => {
    const waiting = health('Progressing', `Waiting for ${kind} status`);
    if (!hasStatus(object) || !isSeen(object)) return waiting;
    const failed = objectsAt(object, 'status', 'conditions').findLast(({ status }) => status === 'False');
    const upgradeFailed =
      upgraded && object.metadata.labels?.['numaplane.numaproj.io/progressive-result-state'] === 'failed';
    if (phase(object) === 'Failed') return health('Degraded', textAt(object, 'status', 'message'));
    if (upgradeFailed) return health('Degraded', 'Failed progressive upgrade');
    if (failed) return health('Degraded', failure ?? textAt(failed, 'message'));
    if (paused.includes(phase(object))) return health('Healthy', `${kind} is paused`);
    return phase(object) === 'Running' ? health('Healthy', `${kind} is healthy`) : waiting;
  };
}

interface RolloutRule {
  /** Reason of unhealthy children that means that they failed; absent: any but `Progressing`. */
  readonly failed?: string;
  /** Condition that tells that it is paused. */
  readonly paused?: string;
  readonly unknown: string;
}

function rollout({ failed, paused, unknown }: RolloutRule): Check {
  return (object) => {
    if (!hasStatus(object) || !isSeen(object)) return health('Progressing', 'Not yet reconciled');
    const list = objectsAt(object, 'status', 'conditions');
    const find = (type: string, status: string) =>
      list.filter((condition) => condition.type === type && condition.status === status);
    const upgradeFailed = failed !== undefined && find('ProgressiveUpgradeSucceeded', 'False').length > 0;
    const upgrading = textAt(object, 'status', 'upgradeInProgress') !== '' || phase(object) === 'Pending';
    if (upgrading && !upgradeFailed) return health('Progressing', 'Update in progress');
    const sick = find('ChildResourcesHealthy', 'False');
    if (sick.some(({ reason }) => reason === 'Progressing')) return health('Progressing', 'Child Progressing');
    if (phase(object) === 'Failed') return health('Degraded', textAt(object, 'status', 'message'));
    const broken = sick.find(({ reason }) => failed === undefined || reason === failed);
    const upgrade = failed === undefined ? undefined : find('ProgressiveUpgradeSucceeded', 'False')[0];
    if (broken && !(upgrade && list.indexOf(upgrade) < list.indexOf(broken)))
      return health('Degraded', textAt(broken, 'message'));
    if (upgrade) return health('Degraded', 'Progressive upgrade failed');
    const held = paused === undefined ? undefined : find(paused, 'True')[0];
    if (held) return health('Healthy', textAt(held, 'message'));
    return find('ChildResourcesHealthy', 'True').length > 0 ? health('Healthy', 'Healthy') : health('Unknown', unknown);
  };
}

const parts = 'Subresources are unhealthy';

/** Kinds of Numaflow and Numaplane. */
export const numaprojKinds: Checks = {
  'numaflow.numaproj.io/InterStepBufferService': flow('InterStepBufferService', { paused: [], upgraded: true }),
  'numaflow.numaproj.io/MonoVertex': flow('MonoVertex', { paused: ['Paused'], failure: parts, upgraded: true }),
  'numaflow.numaproj.io/Pipeline': flow('Pipeline', {
    paused: ['Paused', 'Pausing'],
    failure: parts,
    upgraded: true,
  }),
  'numaflow.numaproj.io/Vertex': flow('Vertex', { paused: ['Paused'], upgraded: false }),
  'numaplane.numaproj.io/ISBServiceRollout': rollout({ failed: 'ISBSvcFailed', unknown: 'Unknown status' }),
  'numaplane.numaproj.io/MonoVertexRollout': rollout({
    failed: 'MonoVertexFailed',
    paused: 'MonoVertexPausingOrPaused',
    unknown: 'Unknown MonoVertex status',
  }),
  'numaplane.numaproj.io/NumaflowControllerRollout': rollout({ unknown: 'Unknown status' }),
  'numaplane.numaproj.io/PipelineRollout': rollout({
    failed: 'PipelineFailed',
    paused: 'PipelinePausingOrPaused',
    unknown: 'Unknown Pipeline status',
  }),
};
