import type { Application, TreeNode } from '../api/model.ts';
import { readLink, safeLink } from '../browser/safe-link.ts';

/** Kinds that have pages here, by group and kind, with the path of one. */
const pages: ReadonlyMap<string, string> = new Map([
  ['argoproj.io/Application', 'applications'],
  ['argoproj.io/ApplicationSet', 'applicationsets'],
  ['argoproj.io/Rollout', 'rollouts'],
  ['argoproj.io/Workflow', 'workflows'],
]);

type Deployed = Pick<Application, 'spec'>;

/**
 * The page that an object has here, below the base address: of what is in the cluster of the control plane alone. Undefined for
 * others, and for applications that another control plane manages.
 */
export function ownPage({ spec }: Deployed, node: TreeNode): string | undefined {
  const { group = '', kind, namespace, name, uid } = node;
  const { server, name: cluster } = spec.destination;
  const here = server === 'https://kubernetes.default.svc' || cluster === 'in-cluster';
  // what is not there has no page yet
  if (!here || uid === undefined || managerOf(node)) return undefined;
  if (group === 'argoproj.io' && kind === 'AppProject') return `settings/projects/${encodeURIComponent(name)}`;
  const path = pages.get(`${group}/${kind}`);
  return path && namespace ? `${path}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` : undefined;
}

/** The address of the control plane that `argocd.argoproj.io/managed-by-url` names for an Application. */
function managerOf({ info = [] }: Pick<TreeNode, 'info'>): string | undefined {
  const address = info.find(({ name }) => name === 'managed-by-url')?.value ?? '';
  return safeLink(address)?.replace(/(?<!\/)\/+$/, '');
}

/** Pages of others that an object names: where its requests go, what its annotations say, and who manages it. */
export function linksOf(node: TreeNode): { title: string; url: string }[] {
  const manager = managerOf(node);
  const named = (node.networkingInfo?.externalURLs ?? []).map(readLink).filter(({ url }) => safeLink(url));
  const { namespace = '', name } = node;
  return manager
    ? [
        { title: name, url: `${manager}/applications/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}` },
        ...named,
      ]
    : named;
}
