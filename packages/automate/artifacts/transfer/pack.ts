import { createReadStream, createWriteStream } from 'node:fs';
import { readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { unsupported } from '../model/failures.ts';
import { type Walked, walk } from './walk.ts';

export interface PackOptions {
  readonly kind: 'tar' | 'zip';
  /** Of gzip; its own default if absent, 0 for none. */
  readonly level?: number;
}

/** Packs a file or a folder under its own name. What is neither file, folder nor link is refused. */
export async function pack(path: string, archive: string, { kind, level }: PackOptions): Promise<void> {
  if (kind === 'zip') await packZip(path, archive);
  else await packTar(path, archive, level);
}

function nameIn(root: string, { name, stats }: Walked): string {
  return `${[root, name].filter(Boolean).join('/')}${stats.isDirectory() ? '/' : ''}`;
}

function checkKind({ path, stats }: Walked): void {
  if (!stats.isFile() && !stats.isDirectory() && !stats.isSymbolicLink())
    throw unsupported(path, 'packed', 'Remove sockets, pipes and devices from the folder before the step ends');
}

async function packTar(path: string, archive: string, level: number | undefined): Promise<void> {
  const tar = (await import('tar-stream')).pack();
  const gzip = createGzip(level === undefined ? {} : { level });
  const writing = pipeline(tar, gzip, createWriteStream(archive));
  const root = basename(path);
  try {
    for await (const item of walk(path)) {
      checkKind(item);
      const { stats } = item;
      const header = {
        name: nameIn(root, item),
        mode: stats.mode & 0o7777,
        mtime: stats.mtime,
        uid: stats.uid,
        gid: stats.gid,
      };
      if (stats.isDirectory()) tar.entry({ ...header, type: 'directory' });
      else if (stats.isSymbolicLink()) tar.entry({ ...header, type: 'symlink', linkname: await readlink(item.path) });
      else if (stats.size === 0) tar.entry({ ...header, size: 0 }, '');
      // as many bytes as the header says, also of a file that grows
      else
        await pipeline(
          createReadStream(item.path, { end: stats.size - 1 }),
          tar.entry({ ...header, size: stats.size }),
        );
    }
    tar.finalize();
  } catch (error) {
    tar.destroy(error as Error);
    await writing.catch(() => undefined);
    throw error;
  }
  await writing;
}

async function packZip(path: string, archive: string): Promise<void> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const writing = pipeline(zip.outputStream, createWriteStream(archive));
  const root = basename(path);
  for await (const item of walk(path)) {
    checkKind(item);
    const options = { mode: item.stats.mode, mtime: item.stats.mtime };
    const name = nameIn(root, item);
    if (item.stats.isDirectory()) zip.addEmptyDirectory(name, options);
    else if (item.stats.isSymbolicLink()) zip.addBuffer(Buffer.from(await readlink(item.path)), name, options);
    else zip.addFile(item.path, name, options);
  }
  zip.end();
  await writing;
}
