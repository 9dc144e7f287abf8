import type { KubeObject } from '@tiphys/kubernetes';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';

type Fields = Record<string, unknown>;

/** Something that can be done to a live object, as Argo CD lists it. */
export interface ActionInfo {
  readonly name: string;
  readonly disabled?: boolean;
  readonly iconClass?: string;
  readonly displayName?: string;
  readonly params?: { name: string }[];
}

/** What an action does: a merge patch of the object, or a new object. */
export type ActionEffect = { readonly patch: unknown } | { readonly create: KubeObject };

interface Action extends ActionInfo {
  run(object: KubeObject, parameters: Readonly<Record<string, string>>, now: number): ActionEffect;
}

const spec = (object: KubeObject): Fields => (object.spec ?? {}) as Fields;

const restart: Action = {
  name: 'restart',
  iconClass: 'fa fa-fw fa-redo',
  run: (_object, _parameters, now) => ({
    patch: {
      spec: {
        template: {
          metadata: {
            annotations: { 'kubectl.kubernetes.io/restartedAt': `${new Date(now).toISOString().slice(0, 19)}Z` },
          },
        },
      },
    },
  }),
};

const scale: Action = {
  name: 'scale',
  iconClass: 'fa fa-fw fa-plus-circle',
  params: [{ name: 'replicas' }],
  run(_object, { replicas = '' }) {
    if (!/^\d+$/.test(replicas)) throw invalidArgument(`invalid number: ${replicas}`);
    return { patch: { spec: { replicas: Number(replicas) } } };
  },
};

const setSpec = (name: string, iconClass: string, fields: Fields, disabled = false): Action => ({
  name,
  iconClass,
  disabled,
  run: () => ({ patch: { spec: fields } }),
});

const createJob: Action = {
  name: 'create-job',
  iconClass: 'fa fa-fw fa-plus',
  displayName: 'Create Job',
  run(object, _parameters, now) {
    const template = (spec(object).jobTemplate ?? {}) as {
      metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
      spec?: unknown;
    };
    const suffix = `-${new Date(now).toISOString().replace(/[-:T]/g, '').slice(0, 12)}`;
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

function jobActions(object: KubeObject): Action[] {
  const conditions = ((object.status as Fields | undefined)?.conditions ?? []) as { type: string; status: string }[];
  const over = conditions.some(
    ({ type, status }) =>
      status === 'True' && ['Complete', 'Failed', 'FailureTarget', 'SuccessCriteriaMet'].includes(type),
  );
  if (over) return [];
  const toggle = spec(object).suspend
    ? setSpec('resume', 'fa fa-fw fa-play', { suspend: false })
    : setSpec('suspend', 'fa fa-fw fa-pause', { suspend: true });
  return object.status ? [toggle, setSpec('terminate', 'fa fa-fw fa-stop', { activeDeadlineSeconds: 1 })] : [toggle];
}

const byKind: Readonly<Record<string, (object: KubeObject) => Action[]>> = {
  'apps/Deployment': (object) => {
    const paused = Boolean(spec(object).paused);
    return [
      restart,
      setSpec('pause', 'fa fa-fw fa-pause-circle', { paused: true }, paused),
      setSpec('resume', 'fa fa-fw fa-play-circle', { paused: false }, !paused),
      scale,
    ];
  },
  'apps/StatefulSet': () => [restart, scale],
  'apps/DaemonSet': () => [restart],
  'batch/Job': jobActions,
  'batch/CronJob': (object) => [
    createJob,
    spec(object).suspend
      ? setSpec('resume', 'fa fa-fw fa-play', { suspend: false })
      : setSpec('suspend', 'fa fa-fw fa-pause', { suspend: true }),
  ],
};

function actionsOf(object: KubeObject): Action[] {
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/')[0] : '';
  return byKind[`${group}/${object.kind}`]?.(object) ?? [];
}

/** What can be done to the object, sorted by name. */
export function availableActions(object: KubeObject): ActionInfo[] {
  return actionsOf(object)
    .map(({ run: _run, ...info }) => info)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** What an action would do; refuses those that the object does not have now, naming those that it has. */
export function planAction(
  object: KubeObject,
  name: string,
  parameters: Readonly<Record<string, string>>,
  now: number,
): ActionEffect {
  const actions = actionsOf(object);
  const action = actions.find((candidate) => candidate.name === name);
  if (!action) {
    const known = actions.map((candidate) => candidate.name).join(', ') || 'none';
    throw new RpcError(
      Code.InvalidArgument,
      `action "${name}" is not available for ${object.kind} ${object.metadata.name}; available: ${known}. Actions in Lua are not run yet (docs/limits.md)`,
    );
  }
  if (action.disabled)
    throw new RpcError(
      Code.FailedPrecondition,
      `action "${name}" is disabled for ${object.kind} ${object.metadata.name} in its present state`,
    );
  return action.run(object, parameters, now);
}
