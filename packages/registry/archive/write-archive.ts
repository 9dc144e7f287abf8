import { gzipSync } from 'node:zlib';

export interface ArchiveEntry {
  /** Path inside the archive, with `/`. */
  readonly name: string;
  readonly data: Uint8Array;
}

const block = 512;

/** A gzipped tar of regular files, the same bytes for the same entries. Long names are kept in pax headers. */
export function writeArchive(entries: readonly ArchiveEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const { name, data } of entries) {
    const bytes = Buffer.from(name);
    if (bytes.length > 100 || bytes.length !== name.length)
      parts.push(...member('x', 'pax', Buffer.from(paxRecord(name))));
    parts.push(...member('0', bytes.length > 100 ? name.slice(0, 90) : name, data));
  }
  parts.push(Buffer.alloc(2 * block));
  return gzipSync(Buffer.concat(parts));
}

function member(type: string, name: string, data: Uint8Array): Buffer[] {
  const header = Buffer.alloc(block);
  header.write(name, 0, 100, 'utf8');
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  let sum = 0;
  for (const byte of header) sum += byte;
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return [header, Buffer.from(data), Buffer.alloc((block - (data.length % block)) % block)];
}

/** `LENGTH path=NAME`, where the length counts its own digits. */
function paxRecord(name: string): string {
  const rest = Buffer.byteLength(` path=${name}\n`);
  let length = rest + String(rest).length;
  if (String(length).length !== String(rest).length) length = rest + String(length).length;
  return `${length} path=${name}\n`;
}
