import { failure } from '@tiphys/diagnosis';
import { compareVersions, readRange, readVersion, satisfies, type Version } from '@tiphys/template';
import { revisionNotFound } from '../repository/diagnoses.ts';
import { commitOf, type RefTable, shortNames } from './ref-table.ts';

/** What a revision stands for. `ref` is the full name it was found under; `abbreviated` is a SHA that must still be completed. */
export type RevisionMatch = { readonly commit: string; readonly ref?: string } | { readonly abbreviated: string };

const fullSha = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;
const shortSha = /^[0-9a-f]{7,}$/i;

/** True for 40 (or 64) hexadecimal digits: needs no look at the remote. */
export function isCommitSha(revision: string): boolean {
  return fullSha.test(revision);
}

/**
 * Finds a revision as Argo CD does: empty is HEAD; a full SHA is itself; a semver range takes the highest tag
 * (with `tagPrefix`: of the tags that start with it); else a full ref name, then a tag, a branch, another ref; else a short SHA.
 * A tag wins over a branch of the same name, as in git (Argo CD leaves it to chance). Undefined if there is none.
 */
export function matchRevision(table: RefTable, revision: string, tagPrefix = ''): RevisionMatch | undefined {
  if (isCommitSha(revision)) return { commit: revision.toLowerCase() };
  const wanted = revision === '' ? 'HEAD' : (highestTag(table, revision, tagPrefix) ?? revision);
  const candidates =
    wanted === 'HEAD' || wanted.startsWith('refs/')
      ? [wanted]
      : [`refs/tags/${wanted}`, `refs/heads/${wanted}`, `refs/${wanted}`];
  for (const ref of candidates) {
    const target = table.symbolic.get(ref) ?? ref;
    const commit = commitOf(table, target) ?? commitOf(table, ref);
    if (commit) return { commit, ref: target };
  }
  return shortSha.test(wanted) ? { abbreviated: wanted.toLowerCase() } : undefined;
}

/** True if the revision is a semver range: it may match another tag tomorrow. */
export function isConstraint(revision: string): boolean {
  return typeof readVersion(revision) === 'string' && typeof readRange(revision) === 'function';
}

/** Whether the name of a tag, without its prefix, is a version within the range. */
export function isInRange(name: string, range: string): boolean {
  return satisfies(name, range);
}

function highestTag(table: RefTable, revision: string, tagPrefix: string): string | undefined {
  if (typeof readVersion(revision) === 'object') return `${tagPrefix}${revision}`;
  const isWithin = readRange(revision);
  if (typeof isWithin === 'string') return undefined;
  let best: Version | undefined;
  for (const tag of shortNames(table, 'refs/tags/')) {
    const version = tag.startsWith(tagPrefix) ? readVersion(tag.slice(tagPrefix.length)) : '';
    if (typeof version === 'object' && isWithin(version) && (!best || compareVersions(version, best) > 0))
      best = version;
  }
  return best ? `${tagPrefix}${best.original}` : undefined;
}

/** What was known of a revision when it was found last. */
export interface LastSeen {
  readonly commit: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The diagnosis R9: which revision, what is near, where it stood last. */
export function missingRevision(
  display: string,
  table: RefTable,
  revision: string,
  tagPrefix: string,
  last: LastSeen | undefined,
) {
  const branches = shortNames(table, 'refs/heads/');
  const tags = shortNames(table, 'refs/tags/');
  const near = nearest(revision, [...branches, ...tags]);
  const range = isConstraint(revision);
  const subject = range
    ? `No tag matches the version range "${revision}"${tagPrefix ? ` with the prefix "${tagPrefix}"` : ''}`
    : `"${revision}" is no branch, tag or commit of the repository`;
  const gone = last
    ? `"${revision}" was deleted from the repository; its last commit was ${last.commit.slice(0, 7)}`
    : undefined;
  const empty = table.refs.size === 0 ? 'The repository is empty: it has no branch yet' : undefined;
  return failure(revisionNotFound, {
    message:
      empty ??
      gone ??
      (revision === '' || revision === 'HEAD'
        ? 'The HEAD of the repository points to a branch that does not exist'
        : subject),
    place: { remote: display, field: 'spec.source.targetRevision', revision: revision || 'HEAD' },
    evidence: {
      'last resolved commit': last?.commit ?? 'none: it was never found',
      'last seen': last ? new Date(last.at).toISOString() : undefined,
      'nearest names': near.join(', ') || 'none',
      branches: String(branches.length),
      tags: String(tags.length),
    },
    remedies: [
      ...(near[0]
        ? [
            {
              text: `Set targetRevision to ${near.length > 1 ? 'one of the nearest names' : `"${near[0]}"`}`,
              paste: `targetRevision: ${near[0]}`,
            },
          ]
        : []),
      last
        ? { text: 'Or stay on the last commit', paste: `targetRevision: ${last.commit}` }
        : near[0]
          ? 'Or push the revision to the repository'
          : 'Set targetRevision to a branch, tag or commit of the repository, or push this one',
    ],
  });
}

/** Up to five names, nearest first, that a typing error or a rename would explain. */
export function nearest(wanted: string, names: readonly string[]): string[] {
  // as git names branches of a remote; a repository has none of its own
  const own = names.filter((name) => wanted.endsWith(`/${name}`));
  if (own.length > 0) return own.sort((a, b) => b.length - a.length).slice(0, 5);
  const limit = Math.max(2, Math.floor(wanted.length / 2));
  return names
    .map((name) => ({
      name,
      distance: name.includes(wanted) && wanted.length > 2 ? 1 : editDistance(wanted, name, limit),
    }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name);
}

/** Levenshtein; anything above `limit` comes out as `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[b.length] ?? limit + 1;
}
