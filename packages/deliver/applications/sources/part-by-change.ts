import type { ApplicationSource } from '@tiphys/api';
import type { GitRepositories, Repository } from '@tiphys/git';

/** A source of an application that is in the repository; an application has one for each. */
interface Candidate {
  readonly key: string;
  readonly source: ApplicationSource;
  /** Commit that was rendered last; undefined if there is none. */
  readonly rendered: string | undefined;
}

/**
 * Parts the applications of one repository after a ref moved: those whose path the commit touches have work to do, the
 * others only note the new revision. With many applications that is the difference between the first and the last of the
 * queue. What cannot be told counts as touched.
 */
export async function partByChange(
  git: GitRepositories,
  repository: Repository,
  candidates: readonly Candidate[],
): Promise<{ touched: string[]; others: string[] }> {
  const changes = new Map<string, Promise<readonly string[] | undefined>>();
  const touched = new Set<string>();
  for (const { key, source, rendered } of candidates) {
    const target = source.targetRevision || 'HEAD';
    const id = `${rendered ?? ''}\0${target}`;
    const changed = changes.get(id) ?? changedPaths(git, repository, rendered, target);
    changes.set(id, changed);
    const paths = await changed;
    const prefix = (source.path ?? '').replace(/^\.?\/+|(?<!\/)\/+$/g, '').replace(/^\.$/, '');
    const affected = !paths || prefix === '' || paths.some((path) => touches(path, prefix));
    if (affected) touched.add(key);
  }
  const all = new Set(candidates.map(({ key }) => key));
  return { touched: [...touched], others: [...all.difference(touched)] };
}

/** What `.gitattributes` of a folder above says may make files below other than they were. */
function touches(path: string, prefix: string): boolean {
  const below = (folder: string) => path === folder || path.startsWith(`${folder}/`);
  const above = /^(?:(.+)\/)?\.gitattributes$/.exec(path);
  return below(prefix) || (above !== null && `${prefix}/`.startsWith(above[1] === undefined ? '' : `${above[1]}/`));
}

/** Undefined if it cannot be told; the reconcile then meets the reason and shows it. */
async function changedPaths(
  git: GitRepositories,
  repository: Repository,
  before: string | undefined,
  target: string,
): Promise<readonly string[] | undefined> {
  if (!before) return undefined;
  try {
    const { commit } = await git.resolve(repository, target);
    return commit === before ? [] : (await git.diff(repository, before, commit)).map(({ path }) => path);
  } catch {
    return undefined;
  }
}
