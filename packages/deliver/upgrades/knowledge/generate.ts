import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ApiLife, newestKnown, type Release } from './api-life.ts';

/*
 * Writes lives.json from the life-cycle facts that Kubernetes generates for its API types: in which release a version of a kind
 * was introduced and deprecated, since when it is no longer served, and what replaces it.
 *   node packages/deliver/upgrades/knowledge/generate.ts
 * Run by hand when the newest release changes; needs Go for its modules. What a later module says wins; earlier ones are read for
 * the types that later ones no longer have.
 */

const modules = [
  ...['v0.32.2', 'v0.35.4', 'v0.37.1'].map((version) => `k8s.io/api@${version}`),
  'k8s.io/apiextensions-apiserver@v0.37.1',
  'k8s.io/kube-aggregator@v0.36.1',
];

const fact =
  /func \(in \*(\w+)\) APILifecycle(Introduced|Deprecated|Removed|Replacement)\(\)[^{]*\{\n\treturn (?:(\d+), (\d+)|schema\.GroupVersionKind\{Group: "([^"]*)", Version: "([^"]*)", Kind: "([^"]*)"\})/g;

function moduleFolder(module: string): string {
  return JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8' })).Dir;
}

/** The group of a package of types: its registration names it. */
function groupOf(folder: string): string {
  const register = join(folder, 'register.go');
  const text = existsSync(register) ? readFileSync(register, 'utf8') : '';
  return /GroupName\s*=\s*"([^"]*)"/.exec(text)?.[1] ?? '';
}

function livesOf(file: string): ApiLife[] {
  const version = dirname(file).split('/').at(-1) as string;
  const group = groupOf(dirname(file));
  const kinds = new Map<string, { -readonly [Key in keyof ApiLife]: ApiLife[Key] }>();
  for (const [, kind = '', what, major, minor, ...by] of readFileSync(file, 'utf8').matchAll(fact)) {
    const life = kinds.get(kind) ?? { group, version, kind };
    kinds.set(kind, life);
    const release: Release = [Number(major), Number(minor)];
    if (what === 'Introduced') life.introduced = release;
    if (what === 'Deprecated') life.deprecated = release;
    if (what === 'Removed') life.removed = release;
    if (what === 'Replacement') life.replacement = { group: by[0] ?? '', version: by[1] ?? '', kind: by[2] ?? '' };
  }
  // a list lives as what it lists, and without a date of an end nothing is known
  return [...kinds.values()].filter(
    ({ kind, deprecated }) => deprecated && !(kind.endsWith('List') && kinds.has(kind.slice(0, -4))),
  );
}

if (!modules.some((module) => module.startsWith(`k8s.io/api@v0.${newestKnown[1]}.`)))
  throw new Error(`newestKnown of api-life.ts is ${newestKnown.join('.')}, which no module is of`);
const lives = new Map<string, ApiLife>();
for (const module of modules) {
  const folder = moduleFolder(module);
  for (const file of globSync('**/{zz_generated.prerelease-lifecycle,lifecycle}.go', { cwd: folder }))
    for (const life of livesOf(join(folder, file))) lives.set(`${life.group}/${life.version}/${life.kind}`, life);
}
const sorted = [...lives.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, life]) => life);
const lines = sorted.map((life) => `  ${JSON.stringify(life)}`);
writeFileSync(join(import.meta.dirname, 'lives.json'), `[\n${lines.join(',\n')}\n]\n`);
process.stdout.write(`${sorted.length} kinds of ${modules.join(', ')}\n`);
