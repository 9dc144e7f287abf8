import { gzipSync } from 'node:zlib';

export interface ArchiveEntry {
  /** Path inside the archive, with `/`. */
  readonly name: string;
  /** Of a symbolic link its target. */
  readonly data: Uint8Array;
  /** A regular file that nobody can run if absent. */
  readonly kind?: 'file' | 'executable' | 'link' | 'folder';
}

const block = 512;
const modes = { file: '644', executable: '755', link: '777', folder: '755' } as const;

/** A gzipped tar of regular files and links, the same bytes for the same entries. Long names are kept in pax headers. */
export function writeArchive(entries: readonly ArchiveEntry[]): Buffer {
  return gzipSync(writeTar(entries));
}

/** The same, not gzipped. */
export function writeTar(entries: readonly ArchiveEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { name, data, kind = 'file' } of entries) {
    const target = kind === 'link' ? Buffer.from(data).toString('utf8') : '';
    const records = `${isLong(name) ? paxRecord('path', name) : ''}${isLong(target) ? paxRecord('linkpath', target) : ''}`;
    if (records !== '') parts.push(...member('x', { name: 'pax', data: Buffer.from(records) }, ''));
    const short = Buffer.byteLength(name) > 100 ? name.slice(0, 90) : name;
    if (kind === 'link') parts.push(...member('2', { name: short, data: Buffer.alloc(0), kind }, target));
    else parts.push(...member(kind === 'folder' ? '5' : '0', { name: short, data, kind }, ''));
  }
  parts.push(Buffer.alloc(2 * block));
  return Buffer.concat(parts);
}

function isLong(name: string): boolean {
  const { length } = Buffer.from(name);
  return length > 100 || length !== name.length;
}

function member(type: string, { name, data, kind }: ArchiveEntry, target: string): Buffer[] {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100, 'utf8');
  header.write(`0000${modes[kind ?? 'file']}\0`, 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write(target.slice(0, 100), 157, 100, 'utf8');
  header.write('ustar\x0000', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, Buffer.from(data), Buffer.alloc((block - (data.length % block)) % block)];
}

/** `LENGTH KEY=VALUE`, where the length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return `${length} ${key}=${value}\n`;
}
