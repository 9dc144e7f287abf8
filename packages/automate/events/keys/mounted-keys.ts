import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeySelector } from '../spec/common.ts';
import { type KeyReader, keyMissingIn } from './key-reader.ts';

/** Reads them from the volumes of a dedicated pod. */
export function mountedKeys(folder = '/argo-events'): KeyReader {
  const read = async (kind: 'Secret' | 'ConfigMap', { name = '', key }: KeySelector) => {
    const path = join(folder, kind === 'Secret' ? 'secrets' : 'config', name, key);
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw keyMissingIn(kind, name, key);
    }
  };
  return { secret: (selector) => read('Secret', selector), configMap: (selector) => read('ConfigMap', selector) };
}
