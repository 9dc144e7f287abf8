import { names } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';

/** Names of what the processes of an installation run as, and of their rights, services and budgets. */
const processes = new Set([
  'argocd-application-controller',
  'argocd-server',
  'argocd-notifications-controller',
  'argo-rollouts',
  'workflow-controller',
  'controller-manager',
]);
const settings: ReadonlySet<string> = new Set([...names.installedConfigMaps, ...Object.values(names.secrets)]);
const kindsOfProcess = new Set([
  'Deployment',
  'StatefulSet',
  'Service',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
]);
const projects = /^argo(cd|-rollouts|-workflows|-events)$/;

/**
 * Whether an object is a part of the installation that has its control plane in this namespace: the definitions of its kinds, its processes with their
 * rights and services, and its settings. An Application that delivers Tiphys never prunes them, since nobody would be left to mend it.
 * What of Argo CD has no counterpart, such as its repo-server, is none.
 */
export function isOwnPart(object: KubeObject, controlNamespace: string): boolean {
  const { kind, metadata } = object;
  const name = metadata.name ?? '';
  if (kind === 'CustomResourceDefinition')
    return (object.spec as { group?: string } | undefined)?.group === names.group;
  if (metadata.namespace && metadata.namespace !== controlNamespace) return false;
  if (kind === 'Namespace') return name === controlNamespace;
  if (kind === 'ConfigMap' || kind === 'Secret') return settings.has(name) && metadata.namespace === controlNamespace;
  if (!kindsOfProcess.has(kind) || !processes.has(name)) return false;
  return projects.test(metadata.labels?.[names.labels.partOf] ?? '');
}
