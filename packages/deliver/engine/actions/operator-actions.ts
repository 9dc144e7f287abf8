import type { KubeObject } from '@tiphys/kubernetes';
import { textAt, valueAt } from '../model/fields.ts';
import { annotate, type BundledAction, change, type KindActions, secondsOf } from './action.ts';

const suspended = (object: KubeObject) => Boolean(valueAt(object, 'spec', 'suspend'));

const reconcile = (disabled: boolean): BundledAction => ({
  name: 'reconcile',
  disabled,
  run: (_object, { now }) => ({
    patch: { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': `By Argo CD at: ${secondsOf(now)}` } } },
  }),
});

/** Flux: kinds with an interval can be reconciled at once, all can be suspended. */
const fluxSwitch: KindActions = (object) => [
  change({ name: 'suspend', disabled: suspended(object) }, { spec: { suspend: true } }),
  change({ name: 'resume', disabled: !suspended(object) }, { spec: { suspend: false } }),
];
const flux: KindActions = (object) => [reconcile(suspended(object)), ...fluxSwitch(object)];

/** What stamps an annotation with the time. */
const stamp = (info: Omit<BundledAction, 'run'>, annotation: string): BundledAction => ({
  ...info,
  run: (_object, { now }) => ({ patch: { metadata: { annotations: { [annotation]: `${secondsOf(now)}Z` } } } }),
});

/** An interval of zero, with or without a unit. */
function isNever(object: KubeObject): boolean {
  const interval = valueAt(object, 'spec', 'refreshInterval');
  return interval !== undefined && interval !== null && /^0(?:ns|us|µs|ms|s|m|h)?$/.test(String(interval));
}

const pauseIcon = 'fa fa-fw fa-pause-circle';
const playIcon = 'fa fa-fw fa-play-circle';
const kedaPaused = 'autoscaling.keda.sh/paused';
const kedaReplicas = 'autoscaling.keda.sh/paused-replicas';

function scaledObjectActions({ metadata: { annotations } }: KubeObject): BundledAction[] {
  const paused = annotations?.[kedaPaused] === 'true';
  const held = paused || annotations?.[kedaReplicas] !== undefined;
  return [
    annotate({ name: 'pause', disabled: held, iconClass: pauseIcon }, { [kedaPaused]: 'true' }),
    {
      name: 'paused-replicas',
      disabled: paused,
      iconClass: pauseIcon,
      params: [{ name: 'replicas' }],
      run: (_object, { parameters: { replicas } }) => {
        if (replicas === undefined) return 'replicas parameter is required';
        if (!/^\d+$/.test(replicas)) return `invalid number: ${replicas} (must be >= 0)`;
        return { patch: { metadata: { annotations: { [kedaReplicas]: String(Number(replicas)) } } } };
      },
    },
    annotate({ name: 'resume', disabled: !held, iconClass: playIcon }, { [kedaPaused]: null, [kedaReplicas]: null }),
  ];
}

const loop = 'cnpg.io/reconciliationLoop';

function postgresActions(cluster: KubeObject): BundledAction[] {
  const healthy = healthyInstances(cluster);
  return [
    stamp(
      { name: 'restart', iconClass: 'fa fa-fw fa-recycle', displayName: 'Rollout restart Cluster' },
      'kubectl.kubernetes.io/restartedAt',
    ),
    stamp(
      { name: 'reload', iconClass: 'fa fa-fw fa-rotate-right', displayName: 'Reload all Configuration' },
      'cnpg.io/reloadedAt',
    ),
    {
      name: 'promote',
      iconClass: 'fa fa-fw fa-angles-up',
      displayName: 'Promote Replica to Primary',
      disabled: healthy.length < 2,
      params: [{ name: 'instance' }],
      run: (_object, { parameters: { instance = 'any' }, now }) => promote(cluster, instance, now),
    },
    cluster.metadata.annotations?.[loop] === 'disabled'
      ? annotate(
          { name: 'resume', iconClass: 'fa fa-fw fa-play', displayName: 'Resume Reconciliation' },
          { [loop]: null },
        )
      : annotate(
          { name: 'suspend', iconClass: 'fa fa-fw fa-pause', displayName: 'Suspend Reconciliation' },
          { [loop]: 'disabled' },
        ),
  ];
}

function healthyInstances(cluster: KubeObject): string[] {
  const healthy = valueAt(cluster, 'status', 'instancesStatus', 'healthy');
  return Array.isArray(healthy) ? healthy : [];
}

/** `any` is the one after the primary; a number stands for the instance of that number. */
function promote(cluster: KubeObject, instance: string, now: number) {
  const healthy = healthyInstances(cluster);
  const primary = healthy.indexOf(textAt(cluster, 'status', 'currentPrimary'));
  const wanted = /^\d+$/.test(instance) ? `${cluster.metadata.name}-${instance}` : instance;
  const selected =
    instance === 'any' ? healthy[(primary + 1) % healthy.length] : healthy.find((name) => name === wanted);
  if (!selected) return `Could not find a healthy instance matching the criteria: ${instance}`;
  return {
    patch: {
      status: {
        targetPrimary: selected,
        targetPrimaryTimestamp: `${secondsOf(now)}Z`,
        phase: 'Switchover in progress',
        phaseReason: `Switching over to ${selected}`,
      },
    },
  };
}

/** Actions of kinds of other well-known operators. */
export const operatorActions: Readonly<Record<string, KindActions>> = {
  'helm.toolkit.fluxcd.io/HelmRelease': flux,
  'image.toolkit.fluxcd.io/ImageRepository': flux,
  'image.toolkit.fluxcd.io/ImageUpdateAutomation': flux,
  'kustomize.toolkit.fluxcd.io/Kustomization': flux,
  'notification.toolkit.fluxcd.io/Alert': fluxSwitch,
  'notification.toolkit.fluxcd.io/Provider': fluxSwitch,
  'notification.toolkit.fluxcd.io/Receiver': flux,
  'source.toolkit.fluxcd.io/Bucket': flux,
  'source.toolkit.fluxcd.io/GitRepository': flux,
  'source.toolkit.fluxcd.io/HelmChart': flux,
  'source.toolkit.fluxcd.io/HelmRepository': flux,
  'source.toolkit.fluxcd.io/OCIRepository': flux,
  'core.strimzi.io/StrimziPodSet': ({ metadata: { annotations } }) => [
    annotate(
      { name: 'rolling-update', disabled: annotations?.['strimzi.io/manual-rolling-update'] === 'true' },
      { 'strimzi.io/manual-rolling-update': 'true' },
    ),
  ],
  'external-secrets.io/ExternalSecret': (secret) => [
    stamp(
      { name: 'refresh', disabled: isNever(secret) && textAt(secret, 'spec', 'refreshPolicy') !== 'OnChange' },
      'force-sync',
    ),
  ],
  'external-secrets.io/PushSecret': (secret) => [stamp({ name: 'push', disabled: isNever(secret) }, 'force-sync')],
  'k8s.mariadb.com/MariaDB': (database) => [
    valueAt(database, 'spec', 'suspend') === true
      ? change({ name: 'resume', iconClass: 'fa fa-fw fa-play', displayName: 'Resume' }, { spec: { suspend: false } })
      : change(
          { name: 'suspend', iconClass: 'fa fa-fw fa-pause', displayName: 'Suspend' },
          { spec: { suspend: true } },
        ),
  ],
  'keda.sh/ScaledJob': ({ metadata: { annotations } }) => {
    const paused = annotations?.[kedaPaused] === 'true';
    return [
      annotate({ name: 'pause', disabled: paused, iconClass: pauseIcon }, { [kedaPaused]: 'true' }),
      annotate({ name: 'resume', disabled: !paused, iconClass: playIcon }, { [kedaPaused]: null }),
    ];
  },
  'keda.sh/ScaledObject': scaledObjectActions,
  'postgresql.cnpg.io/Cluster': postgresActions,
  'psmdb.percona.com/PerconaServerMongoDB': (database) => {
    const paused = valueAt(database, 'spec', 'pause') === true;
    return [
      change({ name: 'pause', disabled: paused, iconClass: pauseIcon }, { spec: { pause: true } }),
      change({ name: 'unpause', disabled: !paused, iconClass: playIcon }, { spec: { pause: false } }),
    ];
  },
};
