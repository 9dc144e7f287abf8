import { isDeepStrictEqual } from 'node:util';
import { type FieldErrors, isDnsLabel, type Strategy } from '@tiphys/apimachinery';
import type { appsV1, coreV1, KubeObject } from '@tiphys/kubernetes';
import { defaultPodSpec } from '../pod/pod-defaults.ts';
import { dropOfPod, ofReplicas, ofTemplate } from '../pod/pod-gates.ts';
import { hostNameWarnings, templateWarnings } from '../pod/pod-warnings.ts';
import { daemonSetStatus, deploymentStatus, replicaSetStatus, statefulSetStatus } from '../pod/status-validation.ts';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { at, formatLabels, numberAt } from '../shared/cell-values.ts';
import { age, containers, name, replicaCells, selector, TEMPLATE } from '../shared/cells.ts';
import { drop, mapAt } from '../shared/gates.ts';
import type { PodSpec, PodTemplate, Workload } from '../shared/shapes.ts';
import { claimWarnings, defaultClaimSpec } from '../storage/volume-claims.ts';
import {
  validateDaemonSet,
  validateDeployment,
  validateNewStatefulSet,
  validateReplicaSet,
  validateReplicationController,
  validateStatefulSet,
  validateTemplate,
} from './workload-validation.ts';

function immutableSelector(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const now = (object as Workload).spec.selector;
  if (!isDeepStrictEqual(now, (old as Workload).spec.selector))
    errors.invalid('spec.selector', now, 'field is immutable');
}

const base = { generation: true, statusSubresource: true } as const;

export const deployment: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    spec.replicas ??= 1;
    const strategy = (spec.strategy ?? {}) as appsV1.DeploymentStrategy;
    spec.strategy = strategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= '25%';
      strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
    defaultPodSpec(spec.template.spec);
  },
  warnings: templateWarnings('spec.template', hostNameWarnings),
  validate: validateDeployment,
  validateStatus: deploymentStatus,
  validateUpdate: immutableSelector,
};

export const replicaSet: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    spec.replicas ??= 1;
    defaultPodSpec(spec.template.spec);
  },
  warnings: templateWarnings('spec.template', hostNameWarnings),
  validate: validateReplicaSet,
  validateStatus: replicaSetStatus,
  validateUpdate: immutableSelector,
};

function setWarnings({ spec }: KubeObject): string[] {
  const { volumeClaimTemplates = [], revisionHistoryLimit = 0 } = spec as appsV1.StatefulSetSpec;
  return [
    ...volumeClaimTemplates.flatMap((claim, index) =>
      claimWarnings(claim.spec as never, `spec.volumeClaimTemplates[${index}]`),
    ),
    ...(revisionHistoryLimit < 0
      ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
      : []),
  ];
}

export const statefulSet: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    spec.podManagementPolicy ??= 'OrderedReady';
    const strategy = (spec.updateStrategy ?? {}) as appsV1.StatefulSetUpdateStrategy;
    spec.updateStrategy = strategy;
    if (!strategy.type) {
      strategy.type = 'RollingUpdate';
      strategy.rollingUpdate ??= {};
    }
    if (strategy.type === 'RollingUpdate' && strategy.rollingUpdate) strategy.rollingUpdate.partition ??= 0;
    const retention = (spec.persistentVolumeClaimRetentionPolicy ??
      {}) as appsV1.StatefulSetPersistentVolumeClaimRetentionPolicy;
    spec.persistentVolumeClaimRetentionPolicy = retention;
    retention.whenDeleted ??= 'Retain';
    retention.whenScaled ??= 'Retain';
    spec.replicas ??= 1;
    spec.revisionHistoryLimit ??= 10;
    for (const claim of (spec.volumeClaimTemplates ?? []) as KubeObject[]) {
      claim.apiVersion = 'v1';
      claim.kind = 'PersistentVolumeClaim';
      defaultClaimSpec(claim.spec as coreV1.PersistentVolumeClaimSpec);
      const status = (claim.status ?? {}) as coreV1.PersistentVolumeClaimStatus;
      claim.status = { ...status, phase: status.phase || 'Pending' };
    }
    defaultPodSpec(spec.template.spec);
  },
  warnings: templateWarnings('spec.template', setWarnings),
  validate: validateStatefulSet,
  validateCreate: validateNewStatefulSet,
  validateStatus: statefulSetStatus,
  validateUpdate(object, old, errors) {
    const mutable = [
      'replicas',
      'ordinals',
      'template',
      'updateStrategy',
      'revisionHistoryLimit',
      'persistentVolumeClaimRetentionPolicy',
      'minReadySeconds',
    ];
    const strip = (source: KubeObject) =>
      Object.fromEntries(Object.entries((source as Workload).spec).filter(([key]) => !mutable.includes(key)));
    if (!isDeepStrictEqual(strip(object), strip(old)))
      errors.forbidden(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      );
  },
  nameRule: isDnsLabel,
};

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSet: Strategy = {
  ...base,
  defaults(object) {
    const { spec } = object as Workload;
    const strategy = (spec.updateStrategy ?? {}) as appsV1.DaemonSetUpdateStrategy;
    spec.updateStrategy = strategy;
    strategy.type ??= 'RollingUpdate';
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate ??= {};
      strategy.rollingUpdate.maxUnavailable ??= 1;
      strategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
    defaultPodSpec(spec.template.spec);
    const { annotations } = object.metadata;
    if (!annotations?.[TEMPLATE_GENERATION])
      object.metadata.annotations = { ...annotations, [TEMPLATE_GENERATION]: '0' };
  },
  prepareStatus(object, old) {
    const kept = old.metadata.annotations?.[TEMPLATE_GENERATION];
    if (kept !== undefined)
      object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: kept };
  },
  prepareCreate(object) {
    object.metadata.annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: '1' };
  },
  prepareUpdate(object, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 1);
    const changed = !isDeepStrictEqual((object as Workload).spec.template, (old as Workload).spec.template);
    object.metadata.annotations = {
      ...object.metadata.annotations,
      [TEMPLATE_GENERATION]: String(before + (changed ? 1 : 0)),
    };
  },
  warnings: templateWarnings('spec.template'),
  updateRulesFirst: true,
  validate: validateDaemonSet,
  validateStatus: daemonSetStatus,
  validateUpdate: immutableSelector,
};

export const replicationController: Strategy = {
  metaRulesOnUpdate: true,
  ...base,
  orphansDependents: true,
  defaults(object) {
    const spec = object.spec as coreV1.ReplicationControllerSpec;
    spec.replicas ??= 1;
    const labels = spec.template?.metadata?.labels;
    if (labels && !Object.keys(spec.selector ?? {}).length) spec.selector = { ...labels };
    if (labels && !Object.keys(object.metadata.labels ?? {}).length) object.metadata.labels = { ...labels };
    if (spec.template?.spec) defaultPodSpec(spec.template.spec as PodSpec);
  },
  warnings: templateWarnings('spec.template', hostNameWarnings),
  validate: validateReplicationController,
  validateStatus: replicaSetStatus,
  fields: (object) => ({
    'status.replicas': String((object.status as appsV1.ReplicaSetStatus | undefined)?.replicas ?? 0),
  }),
};

export const podTemplate: Strategy = {
  generation: true,
  statusSubresource: false,
  defaults(object) {
    defaultPodSpec((object.template as PodTemplate).spec);
  },
  warnings: templateWarnings('template'),
  validate: (object, errors) => validateTemplate(object.template as PodTemplate, 'template', errors),
};

export const podTemplates: BuiltinKind = {
  strategy: podTemplate,
  cells: (o) => [
    name(o),
    ...containers(o, 'template.spec.containers'),
    formatLabels(at(o, 'template.metadata.labels')),
  ],
  gated: { spec: (object) => dropOfPod(mapAt(object, 'template', 'spec')) },
};

export const replicationControllers: BuiltinKind = {
  strategy: replicationController,
  cells: (o, now) => [...replicaCells(o, now), ...containers(o, TEMPLATE), formatLabels(at(o, 'spec.selector'))],
  gated: { spec: ofTemplate },
};

export const daemonSets: BuiltinKind = {
  strategy: daemonSet,
  cells: (o, now) => [
    name(o),
    ...[
      'desiredNumberScheduled',
      'currentNumberScheduled',
      'numberReady',
      'updatedNumberScheduled',
      'numberAvailable',
    ].map((field) => numberAt(o, `status.${field}`)),
    formatLabels(at(o, 'spec.template.spec.nodeSelector')),
    age(o, now),
    ...containers(o, TEMPLATE),
    selector(o),
  ],
  gated: { spec: ofTemplate },
};

export const deployments: BuiltinKind = {
  strategy: deployment,
  cells: (o, now) => [
    name(o),
    `${numberAt(o, 'status.readyReplicas')}/${numberAt(o, 'spec.replicas')}`,
    numberAt(o, 'status.updatedReplicas'),
    numberAt(o, 'status.availableReplicas'),
    age(o, now),
    ...containers(o, TEMPLATE),
    selector(o),
  ],
  gated: { spec: ofTemplate, status: ofReplicas },
};

export const replicaSets: BuiltinKind = {
  strategy: replicaSet,
  cells: (o, now) => [...replicaCells(o, now), ...containers(o, TEMPLATE), selector(o)],
  gated: { spec: ofTemplate, status: ofReplicas },
};

export const statefulSets: BuiltinKind = {
  strategy: statefulSet,
  cells: (o, now) => [
    name(o),
    `${numberAt(o, 'status.readyReplicas')}/${numberAt(o, 'spec.replicas')}`,
    age(o, now),
    ...containers(o, TEMPLATE),
  ],
  gated: {
    spec(object) {
      ofTemplate(object);
      drop(mapAt(object, 'spec', 'updateStrategy', 'rollingUpdate'), 'maxUnavailable');
    },
  },
};
