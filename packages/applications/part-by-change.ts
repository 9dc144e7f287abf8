import type { Application } from '@tiphys/api';
import type { GitRepositories, Repository } from '@tiphys/git';
import { sourceOf } from './source-of.ts';

interface Candidate {
  readonly key: string;
  readonly application: Application;
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
  const touched: string[] = [];
  const others: string[] = [];
  for (const { key, application, rendered } of candidates) {
    const source = sourceOf(application.spec);
    const target = source?.targetRevision || 'HEAD';
    const id = `${rendered ?? ''}\0${target}`;
    const changed = changes.get(id) ?? changedPaths(git, repository, rendered, target);
    changes.set(id, changed);
    const paths = await changed;
    const prefix = (source?.path ?? '').replace(/^\.?\/+|\/+$/g, '').replace(/^\.$/, '');
    const affected = !paths || prefix === '' || paths.some((path) => path === prefix || path.startsWith(`${prefix}/`));
    (affected ? touched : others).push(key);
  }
  return { touched, others };
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
