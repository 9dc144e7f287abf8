import type { Application, ApplicationStatus } from '@tiphys/api';
import type { TreeNode } from '@tiphys/engine';

/** Images and external addresses of the tree, sorted: `status.summary` as upstream. */
export function summaryOf(
  tree: readonly TreeNode[],
  application: Application,
): NonNullable<ApplicationStatus['summary']> {
  const images = sorted(tree.flatMap((node) => node.images));
  const links = Object.entries(application.metadata.annotations ?? {}).flatMap(([name, value]) =>
    name.startsWith('link.argocd.argoproj.io/') && /^https?:\/\//i.test(value.trim()) ? [value.trim()] : [],
  );
  const externalURLs = sorted([...tree.flatMap((node) => node.networking?.externalURLs ?? []), ...links]);
  return { ...(images.length > 0 ? { images } : {}), ...(externalURLs.length > 0 ? { externalURLs } : {}) };
}

function sorted(items: readonly string[]): string[] {
  return [...new Set(items)].sort();
}
