import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The layers, bottom first. A package may import those above it in this list only; tests may import any.
 * `web` reaches the rest over HTTP alone.
 */
const layers = [
  'diagnosis',
  'glob',
  'yaml',
  'kubernetes',
  'api',
  'lua',
  'jsonnet',
  'template',
  'git',
  'metrics',
  'webhooks',
  'registry',
  'plugin',
  'sandbox',
  'helm',
  'kustomize',
  'engine',
  'source',
  'applications',
  'server',
  'web',
  'cli',
];

const root = join(import.meta.dirname, '..');
const importPattern = /(?:^|\n)\s*(?:import|export)\b[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

/** Every breach as `file:line: what is wrong`. */
export function checkLayers(): string[] {
  const breaches: string[] = [];
  for (const file of globSync(['api/**/*.ts', 'packages/**/*.{ts,tsx}'], {
    cwd: root,
    exclude: (path) => /node_modules|dist/.test(path),
  })) {
    if (/\.test\.tsx?$|(^|\/)(testing|testdata|oracle)\//.test(file)) continue;
    const own = file.startsWith('api/') ? 'api' : (file.split('/')[1] ?? '');
    const text = readFileSync(join(root, file), 'utf8');
    for (const match of text.matchAll(importPattern)) {
      const specifier = match[1] ?? match[2] ?? '';
      const line = text.slice(0, match.index).split('\n').length;
      const breach = breachOf(own, specifier, file);
      if (breach) breaches.push(`${file}:${line}: ${breach}`);
    }
  }
  return breaches;
}

function breachOf(own: string, specifier: string, file: string): string | undefined {
  if (specifier.startsWith('.')) {
    const inside = own === 'api' ? 'api/' : `packages/${own}/`;
    return join(file, '..', specifier).startsWith(inside)
      ? undefined
      : `"${specifier}" leaves the package: import its public entry`;
  }
  const scoped = /^@tiphys\/([^/]+)(\/.*)?$/.exec(specifier);
  if (!scoped) return undefined;
  const [, target = '', deep] = scoped;
  if (deep) return `"${specifier}" goes past the public entry of ${target}`;
  if (own === 'web') return `web may import no other package, found ${target}`;
  if (layers.indexOf(target) < 0) return `${target} is not a package of the layers`;
  if (layers.indexOf(target) >= layers.indexOf(own)) return `${own} may not import ${target}: it lies above`;
  return undefined;
}
