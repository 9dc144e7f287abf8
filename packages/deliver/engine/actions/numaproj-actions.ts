import type { KubeObject } from '@tiphys/kubernetes';
import { textAt, valueAt } from '../model/fields.ts';
import { annotate, type BundledAction, change, type KindActions } from './action.ts';

const pauseIcon = 'fa-solid fa-fw fa-pause';
const playIcon = 'fa-solid fa-fw fa-play';
const strategies = 'numaflow.numaproj.io/allowed-resume-strategies';

/** Where a kind keeps its phase and the strategies that it may be resumed by. */
interface Lifecycle {
  readonly holder: readonly string[];
  readonly annotations: readonly string[];
  /** What is set beside the phase when it is resumed. */
  readonly gradual: object;
  readonly fast: object;
}

function lifecycleActions(object: KubeObject, { holder, annotations, gradual, fast }: Lifecycle): BundledAction[] {
  const paused = textAt(object, ...holder, 'lifecycle', 'desiredPhase') === 'Paused';
  const allowed = (valueAt(object, ...annotations) as Record<string, string> | undefined)?.[strategies];
  const phase = (desiredPhase: string) =>
    [...holder].reverse().reduce<object>((inner, name) => ({ [name]: inner }), { lifecycle: { desiredPhase } });
  return [
    change({ name: 'pause', disabled: paused, iconClass: pauseIcon }, phase('Paused')),
    change(
      {
        name: 'unpause-gradual',
        disabled: !paused || allowed === 'fast',
        displayName: 'Unpause (gradual)',
        iconClass: playIcon,
      },
      merged(phase('Running'), gradual),
    ),
    change(
      {
        name: 'unpause-fast',
        disabled: !paused || (allowed !== 'fast' && allowed !== 'slow, fast'),
        displayName: 'Unpause (fast)',
        iconClass: playIcon,
      },
      merged(phase('Running'), fast),
    ),
  ];
}

function merged(a: object, b: object): object {
  const out: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    const other = out[key];
    const both = typeof value === 'object' && value !== null && typeof other === 'object' && other !== null;
    out[key] = both ? merged(other, value) : value;
  }
  return out;
}

function forcePromote({ metadata: { labels } }: KubeObject, displayName?: string): BundledAction {
  const state = labels?.['numaplane.numaproj.io/upgrade-state'] ?? '';
  const can = ['in-progress', 'trial'].includes(state) && labels?.['numaplane.numaproj.io/force-promote'] !== 'true';
  return change(
    {
      name: 'force-promote',
      disabled: !can,
      ...(displayName ? { displayName } : {}),
      iconClass: 'fa-solid fa-fw fa-forward',
    },
    { metadata: { labels: { 'numaplane.numaproj.io/force-promote': 'true' } } },
  );
}

const resumeStrategy = (strategy: string) => ({
  metadata: { annotations: { 'numaflow.numaproj.io/resume-strategy': strategy } },
});
const pauseResume = (fastResume: boolean) => ({ spec: { strategy: { pauseResume: { fastResume } } } });

function pipelineRolloutActions(rollout: KubeObject): BundledAction[] {
  const lossAllowed = rollout.metadata.annotations?.['numaplane.numaproj.io/allow-data-loss'] === 'true';
  const draining = textAt(rollout, 'status', 'upgradeInProgress') === 'PipelinePauseAndDrain';
  return [
    ...lifecycleActions(rollout, {
      holder: ['spec', 'pipeline', 'spec'],
      annotations: ['spec', 'pipeline', 'metadata', 'annotations'],
      gradual: pauseResume(false),
      fast: pauseResume(true),
    }),
    annotate(
      {
        name: 'allow-data-loss',
        disabled: !draining,
        displayName: 'Allow (Possible) Data Loss',
        iconClass: 'fa-solid fa-fw fa-unlock',
      },
      { 'numaplane.numaproj.io/allow-data-loss': 'true' },
    ),
    annotate(
      {
        name: 'disallow-data-loss',
        disabled: !lossAllowed,
        displayName: 'Disallow Data Loss',
        iconClass: 'fa-solid fa-fw fa-lock',
      },
      { 'numaplane.numaproj.io/allow-data-loss': 'false' },
    ),
  ];
}

/** Actions of Numaflow and Numaplane. */
export const numaprojActions: Readonly<Record<string, KindActions>> = {
  'numaflow.numaproj.io/InterStepBufferService': (service) => [forcePromote(service)],
  'numaflow.numaproj.io/MonoVertex': (vertex) => [
    ...lifecycleActions(vertex, {
      holder: ['spec'],
      annotations: ['spec', 'metadata', 'annotations'],
      gradual: { spec: { replicas: null } },
      fast: {},
    }),
    forcePromote(vertex, 'Force Promote'),
  ],
  'numaflow.numaproj.io/Pipeline': (pipeline) => [
    ...lifecycleActions(pipeline, {
      holder: ['spec'],
      annotations: ['spec', 'metadata', 'annotations'],
      gradual: resumeStrategy('slow'),
      fast: resumeStrategy('fast'),
    }),
    forcePromote(pipeline, 'Force Promote'),
    annotate(
      {
        name: 'delete',
        disabled: pipeline.metadata.labels?.['numaplane.numaproj.io/upgrade-state'] !== 'recyclable',
        displayName: 'Delete',
        iconClass: 'fa-solid fa-fw fa-trash',
      },
      { 'numaplane.numaproj.io/marked-for-deletion': 'true' },
    ),
  ],
  'numaplane.numaproj.io/MonoVertexRollout': (rollout) =>
    lifecycleActions(rollout, {
      holder: ['spec', 'monoVertex', 'spec'],
      annotations: ['spec', 'monoVertex', 'metadata', 'annotations'],
      gradual: pauseResume(false),
      fast: pauseResume(true),
    }),
  'numaplane.numaproj.io/PipelineRollout': pipelineRolloutActions,
};
