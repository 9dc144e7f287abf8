import { compileGlob } from '@tiphys/glob';

/** Upstream rule: one pattern must match; one with `!` in front that matches excludes. */
export function includesRepository(patterns: readonly string[], repoURL: string): boolean {
  const excluded = patterns.some((pattern) => pattern.startsWith('!') && compileGlob(pattern.slice(1))(repoURL));
  return !excluded && patterns.some((pattern) => !pattern.startsWith('!') && compileGlob(pattern)(repoURL));
}
