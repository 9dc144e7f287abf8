import { compileGlob } from '@tiphys/glob';

/**
 * The paths that a pattern of a Git file generator means: git's own pattern of files, where `*` crosses folders and a name without
 * wildcards is also everything below it; or, with the newer globbing, one where `*` stays in a folder and `**` crosses them.
 */
export function compileFilePattern(pattern: string, newGlobbing: boolean): (path: string) => boolean {
  const wanted = pattern.replace(/^\.\//, '').replace(/^\/+/, '');
  if (newGlobbing) return doubleStar(wanted);
  if (wanted === '' || wanted === '.') return () => true;
  const folder = wanted.endsWith('/') ? wanted : `${wanted}/`;
  const matches = /[*?[\\]/.test(wanted) ? compileGlob(wanted.replace(/[{},]/g, '\\$&')) : undefined;
  return (path) => path === wanted || path.startsWith(folder) || (matches?.(path) ?? false);
}

/** `**` as a whole part of the pattern stands for any number of folders, none included. */
function doubleStar(pattern: string): (path: string) => boolean {
  const parts = pattern.split('/');
  const matchers = parts.map((part) => (part === '**' ? undefined : compileGlob(part.replaceAll('**', '*'), '/')));
  return (path) => {
    const names = path.split('/');
    // which parts of the pattern may come next, after each name; no way is tried twice
    let states = closure(new Set([0]), matchers);
    for (const name of names) {
      const next = new Set<number>();
      for (const state of states) {
        if (state >= matchers.length) continue;
        const matcher = matchers[state];
        if (matcher === undefined) next.add(state);
        else if (matcher(name)) next.add(state + 1);
      }
      states = closure(next, matchers);
    }
    return states.has(matchers.length);
  };
}

function closure(states: Set<number>, matchers: readonly (((text: string) => boolean) | undefined)[]): Set<number> {
  for (const state of states) if (state < matchers.length && matchers[state] === undefined) states.add(state + 1);
  return states;
}
