import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { unpack } from '@tiphys/artifacts';

/** Unpacks what the emissary has packed to a path: the one file or folder in it. */
export async function unpackOwn(archive: string, path: string): Promise<string> {
  mkdirSync(dirname(path), { recursive: true });
  await unpack(archive, 'tar', path);
  return path;
}
