import { createReadStream, createWriteStream } from 'node:fs';
import { link, lstat, mkdir, mkdtemp, open, readdir, rename, rm, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { DiagnosisError } from '@tiphys/diagnosis';
import { checkLink, placeOf, refusedEntry, unreadable } from './places.ts';

export type ArchiveKind = 'tar' | 'zip';

/** What a file is by its first bytes: a tar that is compressed with gzip or not, a zip, or neither. */
export async function archiveKind(file: string): Promise<ArchiveKind | undefined> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    if (bytesRead < 4) return undefined;
    if (buffer.readUInt32BE() === 0x504b0304 || buffer.readUInt32BE() === 0x504b0506) return 'zip';
    return buffer.readUInt16BE() === 0x1f8b && (await isTarInside(file)) ? 'tar' : undefined;
  } finally {
    await handle.close();
  }
}

/** A compressed text is no archive: it stays as it is. */
async function isTarInside(file: string): Promise<boolean> {
  const plain = createReadStream(file)
    .on('error', (error) => plain.destroy(error))
    .pipe(createGunzip());
  try {
    let head = Buffer.alloc(0);
    for await (const chunk of plain as AsyncIterable<Buffer>) {
      head = Buffer.concat([head, chunk]);
      if (head.length >= 512) break;
    }
    return (
      head.length >= 512 &&
      (head.toString('latin1', 257, 262) === 'ustar' || head.subarray(0, 512).every((byte) => byte === 0))
    );
  } catch {
    return false;
  } finally {
    plain.destroy();
  }
}

/**
 * Unpacks an archive so that `path` is what was packed: its only entry, or a folder with all of them. Entries that lead out of the
 * folder, and whatever is neither file, folder nor link, are refused, and nothing stays then. Links are made at the end, so that
 * nothing is written through them.
 */
export async function unpack(archive: string, kind: ArchiveKind, path: string): Promise<void> {
  const parent = dirname(path);
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, `.${basename(path)}-`));
  try {
    const unpacking = new Unpacking(folder);
    if (kind === 'tar') await unpackTar(archive, unpacking);
    else await unpackZip(archive, unpacking);
    await unpacking.finish();
    const [only, ...others] = await readdir(folder);
    await rm(path, { recursive: true, force: true });
    if (only !== undefined && others.length === 0) await rename(join(folder, only), path);
    else await rename(folder, path);
  } catch (error) {
    throw error instanceof DiagnosisError ? error : unreadable(error);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The entries of one archive as they are taken up. */
class Unpacking {
  readonly #folder: string;
  readonly #links: { place: string; target: string; hard: boolean }[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  async folder(name: string, mode: number): Promise<void> {
    const place = placeOf(name);
    if (place !== '.') await mkdir(join(this.#folder, place), { recursive: true, mode: (mode & 0o777) | 0o700 });
  }

  async file(name: string, mode: number, content: Readable): Promise<void> {
    const at = join(this.#folder, placeOf(name));
    await mkdir(dirname(at), { recursive: true });
    await pipeline(content, createWriteStream(at, { mode: mode & 0o777 || 0o644 }));
  }

  link(name: string, target: string): void {
    const place = placeOf(name);
    checkLink(place, target);
    this.#links.push({ place, target, hard: false });
  }

  hardLink(name: string, target: string): void {
    this.#links.push({ place: placeOf(name), target: placeOf(target), hard: true });
  }

  async finish(): Promise<void> {
    // hard links first: no soft one is there that they could follow
    for (const { place, target, hard } of this.#links.toSorted((a, b) => Number(b.hard) - Number(a.hard))) {
      const at = join(this.#folder, place);
      if (await lstat(at).catch(() => undefined)) throw refusedEntry(place, 'is there twice');
      await this.#checkParents(place);
      await mkdir(dirname(at), { recursive: true });
      if (hard) await link(join(this.#folder, target), at);
      else await symlink(target, at);
    }
  }

  /** A link below another link would be made wherever that one leads. */
  async #checkParents(place: string): Promise<void> {
    const parts = place.split('/').slice(0, -1);
    for (let length = 1; length <= parts.length; length += 1) {
      const found = await lstat(join(this.#folder, ...parts.slice(0, length))).catch(() => undefined);
      if (found?.isSymbolicLink()) throw refusedEntry(place, 'is below a link');
    }
  }
}

async function unpackTar(archive: string, unpacking: Unpacking): Promise<void> {
  const { extract } = await import('tar-stream');
  const handle = await open(archive, 'r');
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
  await handle.close();
  const isCompressed = buffer.readUInt16BE() === 0x1f8b;
  const entries = extract();
  const feeding = isCompressed
    ? pipeline(createReadStream(archive), createGunzip(), entries)
    : pipeline(createReadStream(archive), entries);
  const reading = (async () => {
    for await (const entry of entries) {
      const { name, type, mode = 0o644, linkname } = entry.header;
      if (type === 'directory') await unpacking.folder(name, mode);
      else if (type === 'file' || type === 'contiguous-file')
        await unpacking.file(name, mode, entry as unknown as Readable);
      else if (type === 'symlink') unpacking.link(name, linkname ?? '');
      else if (type === 'link') unpacking.hardLink(name, linkname ?? '');
      else throw refusedEntry(name, `is a ${type}`);
      entry.resume();
    }
  })();
  // whichever fails first ends the other one
  const failing = reading.catch((error: unknown) => {
    entries.destroy(error as Error);
    throw error;
  });
  const [read, fed] = await Promise.allSettled([failing, feeding]);
  if (read.status === 'rejected') throw read.reason;
  if (fed.status === 'rejected') throw fed.reason;
}

async function unpackZip(archive: string, unpacking: Unpacking): Promise<void> {
  const { openPromise } = await import('yauzl');
  const zip = await openPromise(archive, { decodeStrings: true, strictFileNames: false });
  try {
    for await (const entry of zip.eachEntry()) {
      const mode = entry.externalFileAttributes >>> 16;
      if (entry.fileName.endsWith('/')) await unpacking.folder(entry.fileName, mode || 0o755);
      else if ((mode & 0o170000) === 0o120000)
        unpacking.link(entry.fileName, await textOf(await zip.openReadStreamPromise(entry)));
      else await unpacking.file(entry.fileName, mode, await zip.openReadStreamPromise(entry));
    }
  } finally {
    zip.close();
  }
}

async function textOf(content: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of content as AsyncIterable<Buffer>) {
    size += chunk.length;
    // no path is longer
    if (size > 4096) throw refusedEntry('(a link)', 'is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
