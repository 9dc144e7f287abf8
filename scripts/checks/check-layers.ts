import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { floors, packageFolder, packageOf, packageOrder, root, sourceFiles } from '../architecture.ts';

const importPattern =
  /(?:^|\n)\s*(?:import|export)\b(\s+type\b)?[^'"]*?from\s*['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g;

interface Import {
  readonly file: string;
  readonly line: number;
  readonly specifier: string;
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(importPattern)].map((match) => ({
    file,
    line: text.slice(0, match.index).split('\n').length,
    specifier: match[2] ?? match[3] ?? '',
  }));
}

/** Every breach of floors, packages and folders as `file:line: what is wrong`. */
export function checkLayers(): string[] {
  const files = sourceFiles();
  const imports = files.flatMap(importsOf);
  return [...misplaced(files), ...imports.flatMap(breachOf), ...knotted(imports)];
}

function misplaced(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const name = packageOf(file) ?? '';
    if (!packageOrder.includes(name)) return [`${file}:1: ${name} is not a package of scripts/architecture.ts`];
    const folder = packageFolder(name);
    return file.startsWith(`${folder}/`) ? [] : [`${file}:1: ${name} belongs to ${folder}`];
  });
}

function breachOf({ file, line, specifier }: Import): string[] {
  const own = packageOf(file) ?? '';
  const breach = breachBy(own, specifier, file);
  return breach ? [`${file}:${line}: ${breach}`] : [];
}

function breachBy(own: string, specifier: string, file: string): string | undefined {
  if (specifier.startsWith('.')) {
    return join(file, '..', specifier).startsWith(`${packageFolder(own)}/`)
      ? undefined
      : `"${specifier}" leaves the package: import its public entry`;
  }
  const scoped = /^@tiphys\/([^/]+)(\/.*)?$/.exec(specifier);
  if (!scoped) return undefined;
  const [, target = '', deep] = scoped;
  if (deep) return `"${specifier}" goes past the public entry of ${target}`;
  const at = packageOrder.indexOf(target);
  if (at < 0) return `${target} is not a package of scripts/architecture.ts`;
  if (own === 'web' && target !== 'api')
    return `web may import no other package than the types of api, found ${target}`;
  return at < packageOrder.indexOf(own) ? undefined : `${own} may not import ${target}: it stands above`;
}

/** Folders of a package that import each other, directly or by others, as `package: folder ↔ folder …`. */
function knots(imports: readonly Import[]): string[] {
  const graph = new Map<string, Set<string>>();
  for (const { file, specifier } of imports) {
    // package.json is data that any folder may read.
    if (!specifier.startsWith('.') || specifier.endsWith('.json')) continue;
    const from = folderOf(file);
    const to = folderOf(join(dirname(file), specifier));
    if (from === to) continue;
    if (!graph.has(from)) graph.set(from, new Set());
    graph.get(from)?.add(to);
  }
  return components(graph).map((folders) => {
    const own = packageFolder(packageOf(`${folders[0]}/x`) ?? '');
    return `${packageOf(`${folders[0]}/x`)}: ${folders.map((folder) => relative(own, folder) || '.').join(' ')}`;
  });
}

/** The first folder below the package: what lies deeper belongs to it. */
function folderOf(file: string): string {
  const folder = packageFolder(packageOf(file) ?? '');
  const inside = relative(folder, dirname(file)).split('/')[0] ?? '';
  return inside ? `${folder}/${inside}` : folder;
}

function knotted(imports: readonly Import[]): string[] {
  return knots(imports).map((knot) => `packages:1: these folders import each other: ${knot}`);
}

/** Strongly connected components of more than one folder, sorted (Tarjan's algorithm). */
function components(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const result: string[][] = [];
  const visit = (node: string): void => {
    index.set(node, index.size);
    low.set(node, index.get(node) ?? 0);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node) ?? 0, low.get(next) ?? 0));
    }
    if (low.get(node) !== index.get(node)) return;
    const members = stack.splice(stack.indexOf(node));
    if (members.length > 1) result.push(members.sort());
  };
  for (const node of [...graph.keys()].sort()) if (!index.has(node)) visit(node);
  return result.sort();
}

/** The picture of the house for docs/architecture.md, top floor first. */
function picture(): string {
  return [...floors]
    .reverse()
    .map(({ name, job, packages }) =>
      [
        `### ${name}: ${job}`,
        '',
        '| package | job |',
        '| --- | --- |',
        ...Object.entries(packages)
          .reverse()
          .map(([key, text]) => `| \`${packageFolder(key)}\` | ${text} |`),
      ].join('\n'),
    )
    .join('\n\n');
}

const opening = '<!-- floors: written by npm run generate -->\n';
const closing = '<!-- /floors -->';

/** docs/architecture.md with the picture as the table has it now. */
export function architecturePage(text = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8')): string {
  const start = text.indexOf(opening) + opening.length;
  return `${text.slice(0, start)}${picture()}\n${text.slice(text.indexOf(closing))}`;
}

/** What is wrong with the picture in docs/architecture.md, which must be the table's. */
export function checkPicture(): string[] {
  const text = readFileSync(join(root, 'docs', 'architecture.md'), 'utf8');
  return architecturePage(text) === text ? [] : ['docs/architecture.md:1: the picture is stale: run npm run generate'];
}
