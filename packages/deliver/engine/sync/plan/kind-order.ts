import type { KubeObject } from '@tiphys/kubernetes';
import { objectAt, textAt } from '../../model/fields.ts';

/** Order in which kinds are applied inside a wave; what is not listed comes last. Upstream's table. */
const kinds = [
  'Namespace',
  'NetworkPolicy',
  'ResourceQuota',
  'LimitRange',
  'PodSecurityPolicy',
  'PodDisruptionBudget',
  'ServiceAccount',
  'Secret',
  'SecretList',
  'ConfigMap',
  'StorageClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'CustomResourceDefinition',
  'ClusterRole',
  'ClusterRoleList',
  'ClusterRoleBinding',
  'ClusterRoleBindingList',
  'Role',
  'RoleList',
  'RoleBinding',
  'RoleBindingList',
  'Service',
  'DaemonSet',
  'Pod',
  'ReplicationController',
  'ReplicaSet',
  'Deployment',
  'HorizontalPodAutoscaler',
  'StatefulSet',
  'Job',
  'CronJob',
  'IngressClass',
  'Ingress',
  'APIService',
];

const ranks = new Map(kinds.map((kind, index) => [kind, index - kinds.length]));

export function kindRank(kind: string): number {
  return ranks.get(kind) ?? 0;
}

/** `group/Kind` that a definition defines; undefined for objects that are none. */
export function definedKind(object: KubeObject | undefined): string | undefined {
  if (object?.kind !== 'CustomResourceDefinition') return undefined;
  const spec = objectAt(object, 'spec');
  const kind = textAt(spec, 'names', 'kind');
  return kind ? `${textAt(spec, 'group')}/${kind}` : undefined;
}
