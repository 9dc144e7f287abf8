import type { KubeObject } from '@tiphys/kubernetes';
import { textAt, valueAt } from '../model/fields.ts';
import { type BundledAction, change, type KindActions, minuteOf, secondsOf } from './action.ts';

const lengthAt = (object: KubeObject, ...path: string[]): number => {
  const list = valueAt(object, ...path);
  return Array.isArray(list) ? list.length : 0;
};

/** A controller of an older Rollouts, or one that has not seen the last change, has to be told through the status. */
function isUnseen(rollout: KubeObject): boolean {
  const observed = Number(valueAt(rollout, 'status', 'observedGeneration') ?? Number.NaN);
  return !(observed <= (rollout.metadata.generation ?? 0));
}

const restart: BundledAction = {
  name: 'restart',
  displayName: 'Restart Pods',
  disabled: false,
  run: (_rollout, { now }) => ({ patch: { spec: { restartAt: `${secondsOf(now)}Z` } } }),
};

function rolloutActions(rollout: KubeObject): BundledAction[] {
  const conditions = valueAt(rollout, 'status', 'pauseConditions');
  const held = Array.isArray(conditions) && conditions.length > 0;
  const paused = Array.isArray(conditions) ? held : Boolean(valueAt(rollout, 'spec', 'paused'));
  const aborted = Boolean(valueAt(rollout, 'status', 'abort'));
  const promoted = valueAt(rollout, 'status', 'currentPodHash') === valueAt(rollout, 'status', 'stableRS');
  const steps = lengthAt(rollout, 'spec', 'strategy', 'canary', 'steps');
  const step = valueAt(rollout, 'status', 'currentStepIndex');
  const blueGreen = valueAt(rollout, 'spec', 'strategy', 'blueGreen') !== undefined;
  const canary = Array.isArray(valueAt(rollout, 'spec', 'strategy', 'canary', 'steps'));
  const unseen = isUnseen(rollout);
  const release = held ? { pauseConditions: null } : {};
  const promote = unseen
    ? { status: { abort: null, ...(canary ? { currentStepIndex: steps } : {}) } }
    : { status: { promoteFull: true } };
  return [
    restart,
    change(
      { name: 'resume', disabled: !paused },
      {
        ...(held ? { status: release } : {}),
        ...(valueAt(rollout, 'spec', 'paused') ? { spec: { paused: false } } : {}),
      },
    ),
    change({ name: 'abort', disabled: promoted || aborted }, { status: { abort: true } }),
    change({ name: 'retry', disabled: promoted || !aborted }, { status: { abort: null } }),
    change(
      { name: 'pause', disabled: promoted || aborted || Boolean(valueAt(rollout, 'spec', 'paused')) },
      { spec: { paused: true } },
    ),
    change({ name: 'promote-full', disabled: !rollout.status || promoted || (unseen && blueGreen) }, promote),
    change(
      { name: 'skip-current-step', disabled: !canary || step === steps },
      canary && typeof step === 'number' && step < steps ? { status: { ...release, currentStepIndex: step + 1 } } : {},
    ),
  ];
}

function applicationActions(application: KubeObject): BundledAction[] {
  const automated = valueAt(application, 'spec', 'syncPolicy', 'automated') as { enabled?: boolean } | undefined;
  const on = automated !== undefined && automated !== null && automated.enabled !== false;
  return [
    change(
      { name: 'toggle-auto-sync', displayName: on ? 'Disable Auto-Sync' : 'Enable Auto-Sync', disabled: false },
      { spec: { syncPolicy: { automated: { enabled: !on } } } },
    ),
  ];
}

function workflowOf(owner: KubeObject, now: number, fields: { metadata?: object; spec: unknown }): KubeObject {
  const { name = '', namespace, uid = '' } = owner.metadata;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: {
      name: `${name}-${minuteOf(now)}`,
      ...(namespace ? { namespace } : {}),
      ...fields.metadata,
      ownerReferences: [{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid }],
    },
    spec: fields.spec,
  };
}

const createWorkflow = { name: 'create-workflow', iconClass: 'fa fa-fw fa-plus', displayName: 'Create Workflow' };
const instanceLabel = 'workflows.argoproj.io/controller-instanceid';

const fromCronWorkflow: BundledAction = {
  ...createWorkflow,
  run(object, { now }) {
    const own = (valueAt(object, 'spec', 'workflowMetadata') ?? {}) as {
      labels?: object;
      annotations?: object;
      finalizers?: string[];
    };
    const instance = object.metadata.labels?.[instanceLabel];
    const metadata = {
      labels: {
        ...own.labels,
        'workflows.argoproj.io/cron-workflow': object.metadata.name,
        ...(instance ? { [instanceLabel]: instance } : {}),
      },
      annotations: { ...own.annotations, 'workflows.argoproj.io/scheduled-time': `${secondsOf(now)}Z` },
      ...(own.finalizers?.length ? { finalizers: own.finalizers } : {}),
    };
    return { create: workflowOf(object, now, { metadata, spec: valueAt(object, 'spec', 'workflowSpec') }) };
  },
};

const fromTemplate: BundledAction = {
  ...createWorkflow,
  run: (object, { now }) => ({
    create: workflowOf(object, now, {
      metadata: { labels: { 'workflows.argoproj.io/workflow-template': object.metadata.name } },
      spec: { workflowTemplateRef: { name: object.metadata.name } },
    }),
  }),
};

/** Actions of the Argo projects. */
export const argoActions: Readonly<Record<string, KindActions>> = {
  'argoproj.io/AnalysisRun': (run) => {
    const over = ['Successful', 'Failed', 'Error', 'Inconclusive'].includes(textAt(run, 'status', 'phase'));
    const disabled = Boolean(valueAt(run, 'spec', 'terminate')) || over;
    return [change({ name: 'terminate', disabled }, { spec: { terminate: true } })];
  },
  'argoproj.io/Application': applicationActions,
  'argoproj.io/CronWorkflow': () => [fromCronWorkflow],
  'argoproj.io/Rollout': rolloutActions,
  'argoproj.io/WorkflowTemplate': () => [fromTemplate],
  'promoter.argoproj.io/PullRequest': (request) => [
    change(
      {
        name: 'merge',
        iconClass: 'fa fa-fw fa-code-merge',
        displayName: 'Merge PR',
        disabled: textAt(request, 'spec', 'state') !== 'open',
      },
      { spec: { state: 'merged' } },
    ),
  ],
};
