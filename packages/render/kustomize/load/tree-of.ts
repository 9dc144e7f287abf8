import type { FileTree } from './file-tree.ts';

/** Files of a commit, read from git's objects; paths have no leading `/`. */
interface ObjectTree {
  resolve(path: string): Promise<{ readonly path: string; readonly kind: string; readonly mode: string } | undefined>;
  linkTarget(path: string): Promise<string | undefined>;
  list(
    path: string,
    options: { readonly recursive: boolean },
  ): AsyncIterable<{ readonly path: string; readonly kind: string }>;
  read(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
}

/** A commit as a file tree: its root is `/`. Submodules are not there. */
export function treeOf(objects: ObjectTree, maxBytes?: number): FileTree {
  return {
    async find(path) {
      const entry = await objects.resolve(path.slice(1));
      if (entry?.kind !== 'file' && entry?.kind !== 'folder') return undefined;
      return {
        kind: entry.kind,
        path: `/${entry.path}`,
        ...(entry.mode === '100755' ? { executable: true } : {}),
      };
    },
    async list(folder) {
      const root = folder.slice(1);
      const paths: string[] = [];
      for await (const entry of objects.list(root, { recursive: true }))
        if (entry.kind !== 'folder') paths.push(root === '' ? entry.path : entry.path.slice(root.length + 1));
      return paths;
    },
    link: (path) => objects.linkTarget(path.slice(1)),
    read: (path) => objects.read(path.slice(1), maxBytes === undefined ? {} : { maxBytes }),
  };
}
