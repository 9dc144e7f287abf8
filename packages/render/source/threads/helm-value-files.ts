import { failure } from '@tiphys/diagnosis';
import { type GitTree, nearest, normalizePath, type PathEntry } from '@tiphys/git';
import { compileGlob } from '@tiphys/glob';
import { decodeText } from '../request/decode-text.ts';
import { valueFileMissing, valueFileOutside, valueFilesGlobEmpty } from '../request/diagnoses.ts';
import type { ReferencedSources } from '../request/referenced-sources.ts';

export interface ValueFile {
  /** From the root of the repository, `$ref/path` in a referenced one, or the URL. */
  readonly path: string;
  readonly text: string;
}

export interface ValueFilesOptions {
  /** The chart's folder, from the root of the repository. */
  readonly folder: string;
  readonly ignoreMissing: boolean;
  /** Replaces build environment variables. */
  substitute(text: string): string;
  /** Whether the build environment has a variable of this name. */
  isVariable(name: string): boolean;
  /** Other sources of the application. */
  readonly references: ReferencedSources;
  /** Schemes of URLs that may be read. */
  readonly schemes: readonly string[];
  /** The text at a URL. */
  fetch(url: string, field: string): Promise<string>;
  readonly maxBytes: number;
}

interface InTree {
  readonly tree: GitTree;
  readonly path: string;
  /** For people: in another source `$ref/path`. */
  readonly shown: string;
}

type Located = InTree | { readonly url: string };

/**
 * The values files of a source, in the order in which they are merged. Relative to the chart's folder, or with a leading `/`
 * to the repository, or with `$ref/` in another source, or at a URL; globs give their matches by name, but a file that is also
 * listed by itself stays at its own place.
 * Throws for what lies outside of the repository, before and after links are followed (CVE-2022-24348, CVE-2022-31036).
 */
export async function readValueFiles(
  tree: GitTree,
  names: readonly string[],
  options: ValueFilesOptions,
): Promise<ValueFile[]> {
  const wanted = await Promise.all(
    names.map(async (name, index) => {
      const field = `spec.source.helm.valueFiles[${index}]`;
      return { name, field, at: await locate(tree, name, field, options) };
    }),
  );
  const explicit = new Set(wanted.flatMap(({ at }) => ('url' in at || isGlob(at.path) ? [] : [at.shown])));
  const texts = new Map<string, Promise<string>>();
  const add = (at: InTree, entry: PathEntry) =>
    texts.set(
      at.shown,
      at.tree.read(entry.path, { maxBytes: options.maxBytes }).then((bytes) => decodeText(bytes, at.shown)),
    );
  for (const { name, field, at } of wanted) {
    if ('url' in at) {
      if (!texts.has(at.url)) texts.set(at.url, options.fetch(at.url, field));
    } else if (!isGlob(at.path)) {
      const entry = await at.tree.resolve(at.path);
      if (entry?.kind === 'file') {
        if (!texts.has(at.shown)) add(at, entry);
      } else if (!options.ignoreMissing) throw await missing(at, field, name);
    } else {
      const matches = await expand(at.tree, at.path);
      if (matches.length === 0 && !options.ignoreMissing) throw await missing(at, field, name);
      const prefix = at.shown.slice(0, at.shown.length - at.path.length);
      for (const path of matches) {
        const shown = `${prefix}${path}`;
        const entry = explicit.has(shown) || texts.has(shown) ? undefined : await at.tree.resolve(path);
        if (entry?.kind === 'file') add({ tree: at.tree, path, shown }, entry);
      }
    }
  }
  // A failure is thrown where its text is awaited.
  for (const text of texts.values()) text.catch(() => undefined);
  return Promise.all([...texts].map(async ([path, text]) => ({ path, text: await text })));
}

/** One file that an option names, such as a file parameter; the same rules without globs. */
export async function readNamedFile(
  tree: GitTree,
  name: string,
  field: string,
  options: ValueFilesOptions,
): Promise<ValueFile> {
  const at = await locate(tree, name, field, options);
  if ('url' in at) return { path: at.url, text: await options.fetch(at.url, field) };
  const entry = await at.tree.resolve(at.path);
  if (entry?.kind !== 'file') throw await missing(at, field, name);
  return {
    path: at.shown,
    text: decodeText(await at.tree.read(at.path, { maxBytes: options.maxBytes }), at.shown),
  };
}

async function locate(tree: GitTree, name: string, field: string, options: ValueFilesOptions): Promise<Located> {
  const reference = await options.references.find(name, field, options.isVariable);
  if (reference) {
    // Variables are replaced in the rest only: one that gave a `$ref` would reach what nobody wrote.
    const path = insidePath(name, `/${options.substitute(reference.rest)}`, '', field);
    return { tree: reference.tree, path, shown: `$${reference.ref}/${path}` };
  }
  const text = options.substitute(name);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(text)?.[1]?.toLowerCase();
  // Whatever looks like a URL is one: a path has no scheme.
  if (scheme !== undefined) {
    if (options.schemes.includes(scheme) && /^https?:\/\/[^/]/i.test(text)) return { url: text };
    throw outside(name, field, `the URL scheme '${scheme}' is not allowed`);
  }
  const path = insidePath(name, text, options.folder, field);
  return { tree, path, shown: path };
}

function insidePath(name: string, text: string, folder: string, field: string): string {
  const path = normalizePath(text.startsWith('/') ? text : `${folder}/${text}`);
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
      'A URL needs its scheme in helm.valuesFileSchemes of the ConfigMap argocd-cm; the default is https, http',
    ],
  });
}

/** In the words of Helm and of Argo CD, which people and their tools know. */
async function missing({ tree, path, shown }: InTree, field: string, name: string) {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
  const names: string[] = [];
  for await (const entry of tree.list(folder)) {
    if (entry.kind !== 'folder') names.push(entry.path.slice(entry.path.lastIndexOf('/') + 1));
  }
  const near = nearest(path.slice(path.lastIndexOf('/') + 1), names);
  return failure(isGlob(path) ? valueFilesGlobEmpty : valueFileMissing, {
    message: isGlob(path)
      ? `values file glob "${name}" matched no files`
      : `Error: open ${shown}: no such file or directory in the repository`,
    place: { field, file: shown, revision: tree.commit },
    evidence: {
      'files beside it': names.slice(0, 20).join(', ') || 'none',
      'nearest names': near.join(', ') || 'none',
    },
    remedies: [
      field.includes('.valueFiles')
        ? 'Correct the name, add the file, or set spec.source.helm.ignoreMissingValueFiles'
        : 'Correct the name, or add the file',
    ],
  });
}
