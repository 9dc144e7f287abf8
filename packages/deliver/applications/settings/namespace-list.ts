import { listedProblem } from '@tiphys/glob';
import { commaList } from './comma-list.ts';

/** A list of namespaces as somebody wrote it: globs, and expressions in slashes. */
export interface NamespaceList {
  /** Entries that match something; those that cannot be read are left out. */
  readonly patterns: readonly string[];
  /** What is wrong with the others; undefined if all are well. */
  readonly problem: string | undefined;
}

/** Reads `application.namespaces` or a list like it. */
export function readNamespaceList(text: string | undefined): NamespaceList {
  if (!text?.trim()) return { patterns: [], problem: undefined };
  const problems: string[] = [];
  for (const [index, entry] of text.split(',').entries()) {
    const reason = entry.trim() === '' ? 'is empty' : listedProblem(entry.trim());
    if (reason !== undefined) problems.push(`entry ${index + 1} of "${text}" ${reason}`);
  }
  return {
    patterns: commaList(text).filter((entry) => listedProblem(entry) === undefined),
    problem: problems.length > 0 ? problems.join('; ') : undefined,
  };
}

/**
 * A reader of the list that keeps the last good one while what is set cannot be read; of a list that never was good, the
 * entries that are count, so that a restart takes no more namespaces away than the fault does.
 */
export function namespaceLists(): (text: string | undefined) => readonly string[] {
  let last: readonly string[] | undefined;
  return (text) => {
    const { patterns, problem } = readNamespaceList(text);
    if (problem === undefined) last = patterns;
    return last ?? patterns;
  };
}
