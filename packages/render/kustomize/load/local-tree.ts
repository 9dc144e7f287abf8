import { readFileSync, realpathSync, statSync } from 'node:fs';
import { localFiles } from '@tiphys/helm';
import type { FileTree } from './file-tree.ts';

/** The files of this machine. */
export function localTree(): FileTree {
  return {
    find(path) {
      let real: string;
      try {
        real = realpathSync(path);
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return undefined;
        throw error;
      }
      return { kind: statSync(real).isDirectory() ? 'folder' : 'file', path: real };
    },
    read: (path) => readFileSync(path),
    list: (folder) => localFiles(folder).list(),
    local: (folder) => folder,
  };
}
