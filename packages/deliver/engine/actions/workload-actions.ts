import type { KubeObject } from '@tiphys/kubernetes';
import { objectsAt, textAt, valueAt } from '../model/fields.ts';
import { type BundledAction, change, type KindActions, minuteOf, secondsOf } from './action.ts';

const restart: BundledAction = {
  name: 'restart',
  iconClass: 'fa fa-fw fa-redo',
  run: (_object, { now }) => ({
    patch: {
      spec: {
        template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': `${secondsOf(now)}Z` } } },
      },
    },
  }),
};

const scale: BundledAction = {
  name: 'scale',
  iconClass: 'fa fa-fw fa-plus-circle',
  params: [{ name: 'replicas' }],
  run(_object, { parameters: { replicas = '' } }) {
    if (!/^\d+$/.test(replicas)) return `invalid number: ${replicas}`;
    return { patch: { spec: { replicas: Number(replicas) } } };
  },
};

const suspend = (suspended: boolean) =>
  suspended
    ? change({ name: 'resume', iconClass: 'fa fa-fw fa-play', disabled: false }, { spec: { suspend: false } })
    : change({ name: 'suspend', iconClass: 'fa fa-fw fa-pause', disabled: false }, { spec: { suspend: true } });

const createJob: BundledAction = {
  name: 'create-job',
  iconClass: 'fa fa-fw fa-plus',
  displayName: 'Create Job',
  run(object, { now }) {
    const template = (valueAt(object, 'spec', 'jobTemplate') ?? {}) as {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: unknown;
    };
    const suffix = `-${minuteOf(now)}`;
    const owner = {
      apiVersion: object.apiVersion,
      kind: object.kind,
      name: object.metadata.name as string,
      uid: object.metadata.uid as string,
      blockOwnerDeletion: true,
      controller: true,
    };
    const metadata: KubeObject['metadata'] = {
      name: `${(object.metadata.name as string).slice(0, 63 - suffix.length)}${suffix}`,
      annotations: { ...template.metadata?.annotations, 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [owner],
    };
    if (object.metadata.namespace) metadata.namespace = object.metadata.namespace;
    if (template.metadata?.labels) metadata.labels = template.metadata.labels;
    return { create: { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: template.spec } };
  },
};

const endings = ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'];

/** The controller of jobs ends one that has this condition. */
const terminate: BundledAction = {
  name: 'terminate',
  iconClass: 'fa fa-fw fa-stop',
  disabled: false,
  run(job, { now }) {
    const condition = {
      type: 'FailureTarget',
      status: 'True',
      reason: 'ManuallyTerminated',
      message: 'Job was terminated explicitly',
      lastTransitionTime: `${secondsOf(now)}Z`,
    };
    return { patch: { status: { conditions: [...objectsAt(job, 'status', 'conditions'), condition] } } };
  },
};

function jobActions(job: KubeObject): BundledAction[] {
  const over = objectsAt(job, 'status', 'conditions').some(
    (condition) => textAt(condition, 'status') === 'True' && endings.includes(textAt(condition, 'type')),
  );
  if (over) return [];
  const toggle = suspend(Boolean(valueAt(job, 'spec', 'suspend')));
  return job.status ? [toggle, terminate] : [toggle];
}

/** Actions of the kinds of Kubernetes. */
export const workloadActions: Readonly<Record<string, KindActions>> = {
  'apps/Deployment': (deployment) => {
    const paused = Boolean(valueAt(deployment, 'spec', 'paused'));
    return [
      restart,
      change({ name: 'pause', iconClass: 'fa fa-fw fa-pause-circle', disabled: paused }, { spec: { paused: true } }),
      change({ name: 'resume', iconClass: 'fa fa-fw fa-play-circle', disabled: !paused }, { spec: { paused: false } }),
      scale,
    ];
  },
  'apps/StatefulSet': () => [restart, scale],
  'apps/DaemonSet': () => [restart],
  'batch/Job': jobActions,
  'batch/CronJob': (job) => [createJob, suspend(Boolean(valueAt(job, 'spec', 'suspend')))],
};
