import type { Mirror } from './mirror.ts';

/** The commit that took a path away. */
export interface Removal {
  readonly commit: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly subject: string;
  /** Where most of its files went by the same commit, if they went somewhere. */
  readonly movedTo?: string;
}

/** One commit of a log. */
export interface LoggedCommit {
  readonly commit: string;
  readonly author: string;
  /** ISO 8601. */
  readonly date: string;
  readonly subject: string;
}

const logged = 5;

/**
 * The commits after `from` up to `to` that touched one of the paths, newest first, five at most. None where the two are not of
 * one line, or the history is not here.
 */
export async function commitsBetween(
  mirror: Mirror,
  { from, to, paths }: { from: string; to: string; paths: readonly string[] },
  timeout: number,
  signal?: AbortSignal,
): Promise<LoggedCommit[]> {
  const literal = paths.filter((path) => path !== '' && path !== '.').map((path) => `:(literal)${path}`);
  const format = '--format=%H%x00%an%x00%aI%x00%s';
  const args = ['log', `-${logged}`, format, `${from}..${to}`, '--', ...literal];
  const found = await mirror.git(args, timeout, signal ? { signal } : {});
  if (found.code !== 0) return [];
  return found.stdout
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [commit = '', author = '', date = '', subject = ''] = line.split('\0');
      return { commit, author, date, subject };
    });
}

/** The newest commit that two others have in common; undefined where there is none, or the history is not here. */
export async function mergeBase(
  mirror: Mirror,
  [one, other]: readonly [string, string],
  timeout: number,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const found = await mirror.git(['merge-base', one, other], timeout, signal ? { signal } : {});
  return found.code === 0 ? found.stdout.toString('utf8').split('\n')[0] || undefined : undefined;
}

/** The commits that lines of a file come from, as it is at `commit`, by the number of the line; none if the history does not tell. */
export async function writersOfLines(
  mirror: Mirror,
  { commit, path, from, to }: { commit: string; path: string; from: number; to: number },
  timeout: number,
  signal?: AbortSignal,
): Promise<Map<number, LoggedCommit>> {
  const args = ['blame', '--porcelain', '-L', `${from},${to}`, commit, '--', path];
  const found = await mirror.git(args, timeout, signal ? { signal } : {});
  return found.code === 0 ? writersOf(found.stdout.toString('utf8')) : new Map();
}

/** Reads what `git blame --porcelain` writes: a commit's fields come with the first of its lines alone. */
function writersOf(porcelain: string): Map<number, LoggedCommit> {
  const commits = new Map<string, LoggedCommit>();
  const writers = new Map<number, LoggedCommit>();
  let [commit, line] = ['', 0];
  let fields = new Map<string, string>();
  for (const text of porcelain.split('\n')) {
    const [first = '', , third = ''] = text.split(' ', 3);
    if (text.startsWith('\t')) {
      const writer = commits.get(commit) ?? commitOfFields(commit, fields);
      if (writer) writers.set(line, writer);
      if (writer) commits.set(commit, writer);
      fields = new Map();
      commit = '';
    } else if (commit === '') {
      [commit, line] = [first, Number(third)];
    } else {
      fields.set(first, text.slice(first.length + 1));
    }
  }
  return writers;
}

function commitOfFields(commit: string, fields: ReadonlyMap<string, string>): LoggedCommit | undefined {
  const author = fields.get('author');
  const seconds = Number(fields.get('author-time'));
  if (author === undefined || !Number.isFinite(seconds)) return undefined;
  return { commit, author, date: new Date(seconds * 1000).toISOString(), subject: fields.get('summary') ?? '' };
}

/** Looks back from `commit` for the last one that touched a path that is not there any more. */
export async function findRemoval(
  mirror: Mirror,
  commit: string,
  path: string,
  timeout: number,
  signal?: AbortSignal,
): Promise<Removal | undefined> {
  const found = await mirror.git(
    ['log', '-1', '--format=%H%x00%an%x00%aI%x00%s', commit, '--', `:(literal)${path}`],
    timeout,
    signal ? { signal } : {},
  );
  const [sha, author = '', date = '', subject = ''] = found.stdout.toString('utf8').trim().split('\0');
  if (found.code !== 0 || !sha) return undefined;
  const renames = await mirror.git(
    ['diff-tree', '-r', '-M', '-z', '--root', '--diff-filter=R', '--name-status', '--no-commit-id', sha],
    timeout,
    signal ? { signal } : {},
  );
  const movedTo = renames.code === 0 ? guessTarget(renames.stdout.toString('utf8'), path) : undefined;
  return { commit: sha, author, date, subject, ...(movedTo === undefined ? {} : { movedTo }) };
}

/** The folder (or file) to which most renames out of `path` went. */
function guessTarget(output: string, path: string): string | undefined {
  const votes = new Map<string, number>();
  const fields = output.split('\0');
  for (let index = 0; index + 2 < fields.length; index += 3) {
    const [from = '', to = ''] = [fields[index + 1], fields[index + 2]];
    const inside = from === path ? '' : from.startsWith(`${path}/`) ? from.slice(path.length) : undefined;
    if (inside === undefined) continue;
    const target = to.endsWith(inside)
      ? to.slice(0, to.length - inside.length)
      : to.slice(0, Math.max(0, to.lastIndexOf('/')));
    votes.set(target, (votes.get(target) ?? 0) + 1);
  }
  return [...votes].sort((a, b) => b[1] - a[1])[0]?.[0];
}
