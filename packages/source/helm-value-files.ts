import { failure } from '@tiphys/diagnosis';
import { type GitTree, nearest, normalizePath, type PathEntry } from '@tiphys/git';
import { compileGlob } from '@tiphys/glob';
import { decodeText } from './decode-text.ts';
import { valueFileMissing, valueFileOutside } from './diagnoses.ts';
import { unsupported } from './source-type.ts';

export interface ValueFile {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

export interface ValueFilesOptions {
  /** The chart's folder, from the root of the repository. */
  readonly folder: string;
  readonly ignoreMissing: boolean;
  /** Replaces build environment variables. */
  substitute(text: string): string;
  readonly maxBytes: number;
}

/**
 * The values files of a source, in the order in which they are merged. Relative to the chart's folder, or with a leading `/`
 * to the repository; globs give their matches by name, but a file that is also listed by itself stays at its own place.
 * Throws for what lies outside of the repository, before and after links are followed (CVE-2022-24348, CVE-2022-31036).
 */
export async function readValueFiles(
  tree: GitTree,
  names: readonly string[],
  options: ValueFilesOptions,
): Promise<ValueFile[]> {
  const wanted = names.map((name, index) => ({
    name,
    field: `spec.source.helm.valueFiles[${index}]`,
    path: insidePath(name, options, `spec.source.helm.valueFiles[${index}]`),
  }));
  const explicit = new Set(wanted.filter(({ path }) => !isGlob(path)).map(({ path }) => path));
  const files = new Map<string, PathEntry>();
  for (const { name, field, path } of wanted) {
    if (!isGlob(path)) {
      const entry = await tree.resolve(path);
      if (entry?.kind === 'file') {
        if (!files.has(path)) files.set(path, entry);
      } else if (!options.ignoreMissing) throw await missing(tree, path, field, name);
      continue;
    }
    const matches = await expand(tree, path);
    if (matches.length === 0 && !options.ignoreMissing) throw await missing(tree, path, field, name);
    for (const match of matches) {
      const entry = explicit.has(match) || files.has(match) ? undefined : await tree.resolve(match);
      if (entry?.kind === 'file') files.set(match, entry);
    }
  }
  return Promise.all(
    [...files].map(async ([path, entry]) => ({
      path,
      text: decodeText(await tree.read(entry.path, { maxBytes: options.maxBytes }), path),
    })),
  );
}

/** One file that an option names, such as a file parameter; the same rules without globs. */
export async function readNamedFile(
  tree: GitTree,
  name: string,
  field: string,
  options: ValueFilesOptions,
): Promise<ValueFile> {
  const path = insidePath(name, options, field);
  const entry = await tree.resolve(path);
  if (entry?.kind !== 'file') throw await missing(tree, path, field, name);
  return { path, text: decodeText(await tree.read(path, { maxBytes: options.maxBytes }), path) };
}

function insidePath(name: string, options: ValueFilesOptions, field: string): string {
  if (name.startsWith('$') && !name.startsWith('$$') && name.includes('/') && !/^\$(\{|ARGOCD_)/.test(name))
    throw unsupported(
      `${field} with a reference to another source`,
      'Keep the values files in the repository of the chart',
    );
  const text = options.substitute(name);
  if (/^https?:\/\//i.test(text)) throw unsupported(`${field} with a URL`, 'Keep the values file in the repository');
  // Whatever else looks like a URL is one: a path has no scheme.
  if (/^[a-z][a-z0-9+.-]*:/i.test(text))
    throw outside(name, field, `the scheme ${text.slice(0, text.indexOf(':'))} is not allowed`);
  const path = normalizePath(text.startsWith('/') ? text : `${options.folder}/${text}`);
  if (path === undefined || path === '' || /[\0\n\\]/.test(path))
    throw outside(name, field, 'it leads outside of the repository');
  return path;
}

function isGlob(path: string): boolean {
  return /[*?[]/.test(path);
}

async function expand(tree: GitTree, pattern: string): Promise<string[]> {
  const start = pattern.slice(0, pattern.search(/[*?[]/));
  const folder = start.slice(0, Math.max(0, start.lastIndexOf('/')));
  // Between two slashes ** stands for any number of folders, also for none.
  const matches = compileGlob(pattern.replaceAll('/**/', '{/,/**/}').replace(/^\*\*\//, '{,**/}'), '/');
  const found: string[] = [];
  for await (const { path, kind } of tree.list(folder, {
    recursive: pattern.slice(folder.length + 1).includes('/') || pattern.includes('**'),
  })) {
    if (kind !== 'folder' && matches(path)) found.push(path);
  }
  return found.sort();
}

function outside(name: string, field: string, why: string) {
  return failure(valueFileOutside, {
    message: `The file "${name}" is outside of repository bounds: ${why}`,
    place: { field },
    remedies: [
      'Use a file of the same repository: relative to the chart, or with a leading / from the root of the repository',
    ],
  });
}

/** In the words of Helm and of Argo CD, which people and their tools know. */
async function missing(tree: GitTree, path: string, field: string, name: string) {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const names: string[] = [];
  for await (const entry of tree.list(folder)) {
    if (entry.kind !== 'folder') names.push(entry.path.slice(entry.path.lastIndexOf('/') + 1));
  }
  const near = nearest(path.slice(path.lastIndexOf('/') + 1), names);
  return failure(valueFileMissing, {
    message: isGlob(path)
      ? `values file glob "${name}" matched no files`
      : `Error: open ${path}: no such file or directory in the repository`,
    place: { field, file: path, revision: tree.commit },
    evidence: {
      'files beside it': names.slice(0, 20).join(', ') || 'none',
      'nearest names': near.join(', ') || 'none',
    },
    remedies: ['Correct the name, add the file, or set spec.source.helm.ignoreMissingValueFiles'],
  });
}
