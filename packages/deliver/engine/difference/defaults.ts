import type { ObjectType } from '@tiphys/kubernetes';
import { sameValue } from '@tiphys/kubernetes';
import { isObject } from '../model/fields.ts';

/**
 * Values that the API server gives fields of built-in kinds that are left out; the schema says only some of them.
 * By field name: no such name means two defaults in kinds that people write, or all of them are listed.
 */
const known: Readonly<Record<string, readonly unknown[]>> = {
  protocol: ['TCP'],
  imagePullPolicy: ['IfNotPresent', 'Always'],
  terminationMessagePath: ['/dev/termination-log'],
  terminationMessagePolicy: ['File'],
  dnsPolicy: ['ClusterFirst'],
  restartPolicy: ['Always'],
  schedulerName: ['default-scheduler'],
  securityContext: [{}],
  resources: [{}],
  terminationGracePeriodSeconds: [30],
  enableServiceLinks: [true],
  defaultMode: [420],
  timeoutSeconds: [1, 10],
  periodSeconds: [10],
  successThreshold: [1],
  failureThreshold: [3],
  scheme: ['HTTP'],
  replicas: [1],
  revisionHistoryLimit: [10],
  progressDeadlineSeconds: [600],
  podManagementPolicy: ['OrderedReady'],
  updateStrategy: [
    { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
    { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  ],
  strategy: [{ type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }],
  rollingUpdate: [{ maxSurge: '25%', maxUnavailable: '25%' }, { partition: 0 }, { maxSurge: 0, maxUnavailable: 1 }],
  maxSurge: ['25%', 0],
  maxUnavailable: ['25%', 1],
  partition: [0],
  sessionAffinity: ['None'],
  internalTrafficPolicy: ['Cluster'],
  externalTrafficPolicy: ['Cluster'],
  ipFamilyPolicy: ['SingleStack'],
  allocateLoadBalancerNodePorts: [true],
  volumeMode: ['Filesystem'],
  concurrencyPolicy: ['Allow'],
  suspend: [false],
  successfulJobsHistoryLimit: [3],
  failedJobsHistoryLimit: [1],
  backoffLimit: [6],
  completions: [1],
  parallelism: [1],
  completionMode: ['NonIndexed'],
  podReplacementPolicy: ['TerminatingOrFailed'],
  persistentVolumeReclaimPolicy: ['Retain', 'Delete'],
  reclaimPolicy: ['Delete'],
  volumeBindingMode: ['Immediate'],
  allowVolumeExpansion: [false],
  matchPolicy: ['Equivalent'],
  reinvocationPolicy: ['Never'],
  failurePolicy: ['Fail'],
  namespaceSelector: [{}],
  objectSelector: [{}],
  scope: ['*'],
  minReplicas: [1],
  conversion: [{ strategy: 'None' }],
  apiGroup: ['rbac.authorization.k8s.io', ''],
  divisor: ['0'],
  serviceAccount: ['default'],
  serviceAccountName: ['default'],
  minReadySeconds: [0],
  persistentVolumeClaimRetentionPolicy: [{ whenDeleted: 'Retain', whenScaled: 'Retain' }],
  policyTypes: [['Ingress'], ['Ingress', 'Egress']],
  hostNetwork: [false],
  unhealthyPodEvictionPolicy: [],
  automountServiceAccountToken: [],
};

/** Whether a field that nobody asked for may hold the value because it is what the server sets. */
export function isServerDefault(field: string, value: unknown, schemaDefault: unknown): boolean {
  if (schemaDefault !== undefined && sameValue(schemaDefault, value)) return true;
  return known[field]?.some((candidate) => sameValue(candidate, value)) ?? false;
}

/** Fields whose false or 0 means something else than their absence; elsewhere the server drops such values of built-in kinds. */
const pointers = new Set([
  'automountServiceAccountToken',
  'allowPrivilegeEscalation',
  'runAsNonRoot',
  'privileged',
  'readOnlyRootFilesystem',
  'enableServiceLinks',
  'shareProcessNamespace',
  'hostUsers',
  'replicas',
  'runAsUser',
  'runAsGroup',
  'fsGroup',
  'suspend',
  'immutable',
  'optional',
  'terminationGracePeriodSeconds',
  'revisionHistoryLimit',
  'backoffLimit',
  'completions',
  'parallelism',
  'allocateLoadBalancerNodePorts',
  'minAvailable',
  'maxUnavailable',
  'maxSurge',
  'partition',
  'progressDeadlineSeconds',
  'ttlSecondsAfterFinished',
  'activeDeadlineSeconds',
  'successfulJobsHistoryLimit',
  'failedJobsHistoryLimit',
  'startingDeadlineSeconds',
  'stabilizationWindowSeconds',
  'minReplicas',
  'allowVolumeExpansion',
  'defaultMode',
  'mode',
  'tolerationSeconds',
  'controller',
  'blockOwnerDeletion',
  'priority',
  'setHostnameAsFQDN',
  'attachRequired',
  'podInfoOnMount',
  'storageCapacity',
  'number',
]);

/** Whether the server keeps nothing of the value, so that it is the same as no value. */
export function isDropped(
  field: string,
  value: unknown,
  type: ObjectType,
  place: { builtin: boolean; declared: boolean },
): boolean {
  if (value === null) return true;
  if (!place.builtin) return false;
  if (Array.isArray(value)) return value.length === 0;
  // an empty map is no map; an empty structure may say something, as emptyDir does
  if (isObject(value)) return Object.keys(value).length === 0 && (type.map?.fields.size ?? 0) === 0;
  if (!place.declared) return false;
  return value === '' || ((value === 0 || value === false) && !pointers.has(field));
}
