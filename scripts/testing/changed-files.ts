import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { packageFolder, packageOrder, root } from '../architecture.ts';

/** `from '…'`, `import('…')`, and `new URL('…', import.meta.url)` of a thread. */
const importPattern = /(?:\bfrom|\bimport|\bnew URL)\s*\(?\s*['"]([^'"]+)['"]/g;

/**
 * Files of the repository that a change can reach: those that differ from the branch `main` or are not committed, and all that
 * import them, directly or by others. What is no TypeScript (charts, manifests, fixtures) reaches the tests of its own folder's
 * package and all of `test/`.
 */
export function filesReached(changed: readonly string[] = changedFiles()): Set<string> {
  const importers = reverseImports();
  const reached = new Set<string>();
  const queue = changed.flatMap((file) => (/\.tsx?$/.test(file) ? [file] : beside(file)));
  for (let file = queue.pop(); file !== undefined; file = queue.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    queue.push(...(importers.get(file) ?? []));
  }
  return reached;
}

function changedFiles(): string[] {
  const git = (...args: string[]) => {
    const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return status === 0 ? stdout.split('\n').filter(Boolean) : [];
  };
  const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
  return [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
}

/** Test files that may read a file which is no source. */
function beside(file: string): string[] {
  const [top, floor, name] = file.split('/');
  const patterns =
    top === 'packages' ? [`packages/${floor}/${name}/**/*.test.ts`, 'test/**/*.test.ts'] : ['test/**/*.test.ts'];
  return /\.md$/.test(file)
    ? ['scripts/generate/diagnoses.test.ts']
    : patterns.flatMap((pattern) => globSync(pattern, { cwd: root }));
}

/** How many modules of the repository a file imports, directly or by others; counted no further than the limit. */
export function modulesOf(file: string, limit: number): number {
  const seen = new Set<string>([file]);
  for (const next of seen) {
    if (seen.size >= limit) break;
    for (const target of importsOf(next)) seen.add(target);
  }
  return seen.size;
}

const known = new Map<string, readonly string[]>();

/** Files of the repository that a file imports. */
function importsOf(file: string): readonly string[] {
  let targets = known.get(file);
  if (!targets) {
    const text = readFileSync(join(root, file), 'utf8');
    targets = [...text.matchAll(importPattern)].flatMap(([, specifier = '']) => resolve(file, specifier) ?? []);
    known.set(file, targets);
  }
  return targets;
}

function reverseImports(): Map<string, string[]> {
  const files = globSync(
    ['api/**/*.ts', 'packages/**/*.{ts,tsx}', 'scripts/**/*.ts', 'test/**/*.ts', 'bench/**/*.ts'],
    {
      cwd: root,
      exclude: (path) => /node_modules|dist/.test(path),
    },
  );
  const importers = new Map<string, string[]>();
  for (const file of files)
    for (const target of importsOf(file)) {
      const found = importers.get(target);
      if (found) found.push(file);
      else importers.set(target, [file]);
    }
  return importers;
}

function resolve(file: string, specifier: string): string | undefined {
  const scoped = /^@tiphys\/([^/]+)(\/testing)?$/.exec(specifier);
  if (scoped) {
    const name = scoped[1] ?? '';
    return packageOrder.includes(name) ? `${packageFolder(name)}${scoped[2] ?? ''}/index.ts` : undefined;
  }
  if (!specifier.startsWith('.')) return undefined;
  const target = join(dirname(file), specifier);
  const found = ['', '.ts', '.tsx', '/index.ts'].map((ending) => `${target}${ending}`);
  return found.find((path) => existsSync(join(root, path)) && statSync(join(root, path)).isFile());
}
