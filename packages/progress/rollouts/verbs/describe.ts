import type { Experiment, Rollout } from '@tiphys/api';
import { available, type ReplicaSet } from '../objects/replica-set.ts';
import { currentStep, maxTrafficWeight, replicasOf, stepsOf, weightOfSteps } from '../objects/rollout.ts';
import {
  experimentTree,
  ofOwner,
  type Relatives,
  rolloutTree,
  type TreeRow,
  tagsOf,
  treeHeader,
} from './family-tree.ts';
import { statusIcon } from './icons.ts';
import { experimentImages, rolloutImages } from './images.ts';
import { shownPhase } from './shown-phase.ts';

/** What `get` shows: lines about the object, and a table of what belongs to it. */
export interface Description {
  readonly lines: readonly string[];
  readonly rows: readonly TreeRow[];
}

export function describeRollout(rollout: Rollout, relatives: Relatives): Description {
  const { phase, message } = shownPhase(rollout);
  const { status = {} } = rollout;
  const lines = [
    ...head(rollout, phase, message),
    ['Strategy:', strategyOf(rollout)],
    ...(rollout.spec.strategy.canary ? canaryLines(rollout, relatives) : []),
    ...imageLines(rolloutImages(rollout, relatives)),
    ['Replicas:'],
    ['  Desired:', replicasOf(rollout)],
    ['  Current:', status.replicas ?? 0],
    ['  Updated:', status.updatedReplicas ?? 0],
    ['  Ready:', status.readyReplicas ?? 0],
    ['  Available:', status.availableReplicas ?? 0],
  ];
  return { lines: lines.map(line), rows: [treeHeader, ...rolloutTree(rollout, phase, relatives)] };
}

export function describeExperiment(experiment: Experiment, relatives: Relatives): Description {
  const { phase = '', message = '' } = experiment.status ?? {};
  const lines = [...head(experiment, phase, message), ...imageLines(experimentImages(experiment, relatives))];
  return { lines: lines.map(line), rows: [treeHeader, ...experimentTree(experiment, relatives)] };
}

/** `Canary` or `BlueGreen`; empty if the Rollout names none. */
export function strategyOf({ spec: { strategy } }: Rollout): string {
  return strategy.canary ? 'Canary' : strategy.blueGreen ? 'BlueGreen' : '';
}

/** As `2/5`; undefined before the first step, or without steps. */
export function stepOf(rollout: Rollout): string | undefined {
  const index = rollout.status?.currentStepIndex;
  const { length } = stepsOf(rollout);
  return index === undefined || length === 0 ? undefined : `${index}/${length}`;
}

type Line = readonly (string | number)[];

function line([label, value]: Line): string {
  return value === undefined ? String(label) : `${String(label).padEnd(17)}${value}`;
}

function head({ metadata }: Rollout | Experiment, phase: string, message: string): Line[] {
  return [
    ['Name:', metadata.name ?? ''],
    ['Namespace:', metadata.namespace ?? ''],
    ['Status:', `${statusIcon(phase)} ${phase}`],
    ...(message ? [['Message:', message]] : []),
  ];
}

function imageLines(images: readonly string[]): Line[] {
  return images.map((image, index) => [index === 0 ? 'Images:' : '', image]);
}

function canaryLines(rollout: Rollout, { replicaSets }: Relatives): Line[] {
  return [
    ['  Step:', stepOf(rollout) ?? ''],
    ['  SetWeight:', weightOfSteps(rollout)],
    ['  ActualWeight:', actualWeight(rollout, ofOwner(replicaSets, rollout))],
  ];
}

/** The router's weight, or without a router the canary's part of the pods that are available. */
export function actualWeight(rollout: Rollout, sets: readonly ReplicaSet[]): number {
  const total = rollout.status?.availableReplicas ?? 0;
  if (!currentStep(rollout).step) return maxTrafficWeight(rollout);
  if (total === 0) return 0;
  if (rollout.spec.strategy.canary?.trafficRouting)
    return rollout.status?.canary?.weights?.canary.weight ?? weightOfSteps(rollout);
  const canary = sets.find((set) => tagsOf(set, rollout).includes('canary'));
  return Math.floor((available(canary) * maxTrafficWeight(rollout)) / total);
}
