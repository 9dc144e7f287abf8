import { formatGvk, type Gvk, sameGvk } from '../kustomization/gvk.ts';

/** What identifies a resource in a build. */
export interface ResourceId extends Gvk {
  readonly name: string;
  readonly namespace: string;
  /** Known to have no namespace. Previous ids never know it, as in Kustomize. */
  readonly clusterScoped: boolean;
}

const noNamespace = '_non_namespaceable_';

/** A namespace that is never empty; a made-up one for kinds without. */
export function effectiveNamespace(id: ResourceId): string {
  if (id.clusterScoped) return noNamespace;
  return id.namespace === '' ? 'default' : id.namespace;
}

export const notANamespace = noNamespace;

export function sameNameAndGvk(a: ResourceId, b: ResourceId): boolean {
  return a.name === b.name && sameGvk(a, b);
}

export function sameId(a: ResourceId, b: ResourceId): boolean {
  return sameNameAndGvk(a, b) && effectiveNamespace(a) === effectiveNamespace(b);
}

/** As messages show it: `Deployment.v1.apps/web.shop`. */
export function formatId(id: ResourceId): string {
  return `${formatGvk(id)}/${id.name || '[noName]'}.${id.namespace || '[noNs]'}`;
}

/** As Go's %#v shows it. */
export function goSyntaxOfId(id: ResourceId): string {
  const quote = JSON.stringify;
  return `resid.ResId{Gvk:resid.Gvk{Group:${quote(id.group)}, Version:${quote(id.version)}, Kind:${quote(id.kind)}, isClusterScoped:${id.clusterScoped}}, Name:${quote(id.name)}, Namespace:${quote(id.namespace)}}`;
}
