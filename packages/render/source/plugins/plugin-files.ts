import { failure } from '@tiphys/diagnosis';
import type { GitTree, PathEntry } from '@tiphys/git';
import { matchPath } from '@tiphys/glob';
import { type PackedFiles, packFiles } from '@tiphys/plugin';
import type { ArchiveEntry } from '@tiphys/registry';
import { pluginFilesTooMany } from '../request/diagnoses.ts';

export interface PluginFilesOptions {
  /** Only what lies below it is sent; empty for the whole tree. */
  readonly root: string;
  /** Patterns of Go's `filepath.Match` over paths below the root: files, and folders with all that they hold. */
  readonly exclusions: readonly string[];
  readonly maxBytes: number;
}

/** Packs a tree for a plugin. Links that lead out of the repository are refused; those out of the root are sent as what they lead to. */
export async function packTree(tree: GitTree, options: PluginFilesOptions): Promise<PackedFiles> {
  const entries: ArchiveEntry[] = [];
  let bytes = 0;
  for await (const entry of listed(tree, options.root, options)) {
    const name = below(options.root, entry.path);
    const target = entry.kind === 'link' ? await tree.resolve(entry.path) : undefined;
    const inside = target === undefined || isBelow(options.root, target.path);
    if (entry.kind === 'link' && inside) {
      const data = Buffer.from((await tree.linkTarget(entry.path)) ?? '');
      entries.push({ name, data, kind: 'link' });
      continue;
    }
    if (entry.kind === 'folder') entries.push({ name, data: new Uint8Array(0), kind: 'folder' });
    const file = target ?? entry;
    // A folder outside of the root is not sent: the plugin is not to see it.
    if (file.kind !== 'file') continue;
    bytes += await tree.size(file);
    if (bytes > options.maxBytes) throw tooMany(tree, options);
    const data = await tree.read(file.path, { maxBytes: options.maxBytes });
    entries.push({ name, data, kind: file.mode === '100755' ? 'executable' : 'file' });
  }
  return packFiles(entries);
}

async function* listed(tree: GitTree, folder: string, options: PluginFilesOptions): AsyncGenerator<PathEntry> {
  for await (const entry of tree.list(folder)) {
    const name = below(options.root, entry.path);
    if (options.exclusions.some((pattern) => matchPath(pattern, name))) continue;
    // Receivers make no folder for a link.
    yield entry;
    if (entry.kind === 'folder') yield* listed(tree, entry.path, options);
  }
}

/**
 * The deepest folder that holds the application's and all that its annotation `argocd.argoproj.io/manifest-generate-paths`
 * names; the whole tree without one.
 */
export function commonRoot(folder: string, generatePaths: string): string {
  const paths = generatePaths.split(';').filter((path) => path !== '');
  if (paths.length === 0) return '';
  let common = partsOf(folder);
  for (const path of paths) {
    const parts = path.startsWith('/') ? partsOf(path) : partsOf(`${folder}/${path}`);
    const differs = common.findIndex((part, index) => part !== parts[index]);
    if (differs >= 0) common = common.slice(0, differs);
  }
  return common.join('/');
}

function partsOf(path: string): string[] {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts;
}

/** A path as it is seen from the root. */
export function below(root: string, path: string): string {
  return root === '' ? path : path === root ? '' : path.slice(root.length + 1);
}

function isBelow(root: string, path: string): boolean {
  return root === '' || path === root || path.startsWith(`${root}/`);
}

function tooMany(tree: GitTree, { root, maxBytes }: PluginFilesOptions) {
  return failure(pluginFilesTooMany, {
    message: `The files that a plugin would be sent have more than ${maxBytes} bytes`,
    place: { file: root || '.', revision: tree.commit },
    remedies: [
      {
        text: 'Leave out what the plugin does not read, in the ConfigMap argocd-cmd-params-cm',
        paste: 'reposerver.plugin.tar.exclusions: "docs;*.png"',
      },
      'Or send less: reposerver.plugin.use.manifest.generate.paths, with the annotation argocd.argoproj.io/manifest-generate-paths',
    ],
  });
}
