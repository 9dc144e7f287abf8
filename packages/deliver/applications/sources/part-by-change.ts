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
  const changes = new Map<string, Promise<Changed | undefined>>();
  const touched = new Set<string>();
  for (const { key, source, rendered } of candidates) {
    const target = source.targetRevision || 'HEAD';
    const id = `${rendered ?? ''}\0${target}`;
    const asked = changes.get(id) ?? changesBetween(git, repository, rendered, target);
    changes.set(id, asked);
    const changed = await asked;
    const prefix = (source.path ?? '').replace(/^\.?\/+|(?<!\/)\/+$/g, '').replace(/^\.$/, '');
    if (!changed || prefix === '' || touches(changed, prefix)) touched.add(key);
  }
  const all = new Set(candidates.map(({ key }) => key));
  return { touched: [...touched], others: [...all.difference(touched)] };
}

/** What lies between two commits, so that a folder is found in it without looking at each path: both may be thousands. */
interface Changed {
  /** Paths, and all folders above them. */
  readonly places: ReadonlySet<string>;
  /** Folders whose `.gitattributes` changed, which may make files below other than they were; empty for the root. */
  readonly attributes: ReadonlySet<string>;
}

function changedOf(paths: readonly string[]): Changed {
  const places = new Set<string>();
  const attributes = new Set<string>();
  for (const path of paths) {
    const [folder = ''] = foldersAbove(path);
    if (path.slice(folder === '' ? 0 : folder.length + 1) === '.gitattributes') attributes.add(folder);
    places.add(path);
    for (const above of foldersAbove(path)) {
      if (places.has(above)) break;
      places.add(above);
    }
  }
  return { places, attributes };
}

function touches({ places, attributes }: Changed, folder: string): boolean {
  if (places.has(folder)) return true;
  return attributes.size > 0 && [folder, ...foldersAbove(folder), ''].some((above) => attributes.has(above));
}

/** The innermost first, without the root. */
function foldersAbove(path: string): string[] {
  const folders: string[] = [];
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) folders.push(path.slice(0, end));
  return folders;
}

/** Undefined if it cannot be told; the reconcile then meets the reason and shows it. */
async function changesBetween(
  git: GitRepositories,
  repository: Repository,
  before: string | undefined,
  target: string,
): Promise<Changed | undefined> {
  if (!before) return undefined;
  try {
    const { commit } = await git.resolve(repository, target);
    return changedOf(commit === before ? [] : (await git.diff(repository, before, commit)).map(({ path }) => path));
  } catch {
    return undefined;
  }
}
