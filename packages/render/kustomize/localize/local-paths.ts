import { GoError } from '../failure/go-error.ts';
import { cleanPath } from '../load/file-tree.ts';
import type { RepoSpec } from '../load/repo-spec.ts';

/** Folder of a localized kustomization that has what came from elsewhere. */
export const storeName = 'localized-files';

/** Where a file of an http(s) address is kept: host and path, without user and port. */
export function fileAddressPath(url: string): string {
  const { hostname, pathname } = new URL(url);
  return `${storeName}/${hostname}${cleanPath(pathname)}`;
}

/** Where a root of a repository is kept: host, repository, ref and folder. `folder` is that of the repository. */
export function repositoryAddressPath(spec: RepoSpec, folder: string, root: string): string {
  const path = cleanPath(`/${spec.repoPath.replace(/\.git$/, '')}`);
  return cleanPath(`/${storeName}/${hostOf(spec)}${path}/${spec.ref}/${relativePath(folder, root)}`).slice(1);
}

function hostOf({ host }: RepoSpec): string {
  const [scheme = '', rest] = host.includes('://') ? host.split('://') : ['ssh', host];
  if (scheme === 'file') return 'file-schemed';
  const target = `ssh://${(rest ?? '').replace(/:$/, '')}`;
  if (!URL.canParse(target)) throw new GoError(`unable to parse host of remote root "${host}"`);
  return new URL(target).hostname;
}

/** Go's filepath.Rel of two clean absolute paths. */
export function relativePath(from: string, to: string): string {
  const [a, b] = [from, to].map((path) => path.split('/').filter((part) => part !== '')) as [string[], string[]];
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  return [...a.slice(same).map(() => '..'), ...b.slice(same)].join('/') || '.';
}
