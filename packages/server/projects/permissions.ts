import type { ApplicationDestination, AppProject } from '@tiphys/api';
import { matchNegatable } from '@tiphys/glob';
import { normalizeUrl } from '../repositories/normalize-url.ts';

/** Whether the project allows the repository: some pattern matches and no `!` pattern speaks against it. */
export function isSourcePermitted(project: AppProject, repoUrl: string): boolean {
  const url = normalizeUrl(repoUrl);
  let permitted = false;
  for (const pattern of project.spec.sourceRepos ?? []) {
    const denies = pattern.startsWith('!');
    const normalized = denies ? `!${normalizeUrl(pattern.slice(1))}` : normalizeUrl(pattern);
    if (matchNegatable(normalized, url, '/')) permitted = true;
    else if (denies) return false;
  }
  return permitted;
}

/** Whether the project allows a namespace of a cluster. `scoped`: the clusters that belong to the project. */
export function isDestinationPermitted(
  project: AppProject,
  cluster: { server: string; name: string },
  namespace: string,
  scoped: readonly { server: string; name: string }[],
): boolean {
  if (!isDestinationMatched(project.spec.destinations ?? [], cluster, namespace)) return false;
  if (!project.spec.permitOnlyProjectScopedClusters) return true;
  return scoped.some((own) => own.name === cluster.name || own.server === cluster.server);
}

function isDestinationMatched(
  rules: readonly ApplicationDestination[],
  cluster: { server: string; name: string },
  namespace: string,
): boolean {
  let permitted = false;
  for (const rule of rules) {
    const name = rule.name ?? '';
    const server = rule.server ?? '';
    const nameMatches = cluster.name !== '' && matchNegatable(name, cluster.name);
    const serverMatches = cluster.server !== '' && matchNegatable(server, cluster.server);
    const namespaceMatches = matchNegatable(rule.namespace ?? '', namespace);
    if ((nameMatches || serverMatches) && namespaceMatches) permitted = true;
    else if ((!nameMatches && name.startsWith('!')) || (!serverMatches && server.startsWith('!') && namespaceMatches))
      return false;
    else if (!namespaceMatches && (rule.namespace ?? '').startsWith('!') && serverMatches) return false;
  }
  return permitted;
}
