import type { AppProject } from '@tiphys/api';
import type { TreeNode } from '@tiphys/engine';
import { compileGlob } from '@tiphys/glob';
import type { ClusterHandle } from '../clusters/cluster-registry.ts';
import { objectDenial } from '../projects/projects.ts';

/** What Kubernetes itself puts into namespaces. */
const builtIn = [
  { kind: 'ServiceAccount', name: 'default' },
  { kind: 'ConfigMap', name: 'kube-root-ca.crt' },
  { kind: 'Service', name: 'kubernetes', namespace: 'default' },
];

/**
 * Objects of the namespace that belong to no application, if the project wants to know of them: those that its rules
 * permit, without its `orphanedResources.ignore` and what Kubernetes makes itself.
 */
export function orphansOf(project: AppProject, cluster: ClusterHandle, namespace: string): TreeNode[] {
  const { orphanedResources } = project.spec;
  if (!orphanedResources || !namespace) return [];
  const destination = { server: cluster.server, name: cluster.name, namespace };
  const ignored = (orphanedResources.ignore ?? []).map(({ group = '', kind, name }) => {
    const [ofGroup, ofKind, ofName] = [compileGlob(group), compileGlob(kind || '*'), compileGlob(name || '*')];
    return (key: TreeNode['key']) => ofGroup(key.group) && ofKind(key.kind) && ofName(key.name);
  });
  return cluster.cache
    .orphans(namespace)
    .filter(
      ({ key }) =>
        !(
          key.group === '' &&
          builtIn.some(
            (item) =>
              item.kind === key.kind && item.name === key.name && (item.namespace ?? key.namespace) === key.namespace,
          )
        ) &&
        !ignored.some((matches) => matches(key)) &&
        !objectDenial(project, key, key.namespace !== '', destination),
    );
}
