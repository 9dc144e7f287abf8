import { gunzipSync } from 'node:zlib';
import { registryAnswerRefused, registryAnswerTooLarge } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';

/** A file of a layer, or a symbolic link whose data is its target. */
export interface LayerEntry {
  /** Path inside the layer, with `/`, never leading out of it. */
  readonly path: string;
  readonly kind: 'file' | 'link';
  readonly data: Uint8Array;
  /** Permission bits as the archive has them. */
  readonly mode: number;
}

export interface LayerLimits {
  /** Unpacked. */
  readonly bytes: number;
  readonly files: number;
}

const block = 512;

/**
 * The files of a tar, gzipped or not. Nothing in it leads elsewhere: paths out of it, hard links and devices are refused; symbolic
 * links come back as links, for a reader that follows them inside only.
 */
export function readLayer(data: Uint8Array, limits: LayerLimits): LayerEntry[] {
  const tar = data[0] === 0x1f && data[1] === 0x8b ? unzip(data, limits) : Buffer.from(data);
  const entries = new Map<string, LayerEntry>();
  let longName: string | undefined;
  let longLink: string | undefined;
  for (let at = 0; at + block <= tar.length; ) {
    const header = tar.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    const size = octal(header.subarray(124, 136));
    const body = tar.subarray(at + block, at + block + size);
    if (!Number.isSafeInteger(size)) throw refuse('the size of a file is no number');
    if (body.length < size) throw refuse('it ends in the middle of a file');
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'L' || type === 'K' || type === 'x') {
      if (type === 'L') longName = text(body);
      else if (type === 'K') longLink = text(body);
      else {
        longName = pax(body, 'path') ?? longName;
        longLink = pax(body, 'linkpath') ?? longLink;
      }
      continue;
    }
    if (type === 'g') continue;
    const name = longName ?? nameOf(header);
    const target = longLink ?? text(header.subarray(157, 257));
    longName = undefined;
    longLink = undefined;
    const path = insidePath(name);
    if (type === '5' || path === '') continue;
    if (type === '2') checkLink(path, target);
    const mode = (octal(header.subarray(100, 108)) || 0) & 0o777;
    if (type === '2') entries.set(path, { path, kind: 'link', data: Buffer.from(target), mode });
    else if (type === '0' || type === '\0' || type === '7') entries.set(path, { path, kind: 'file', data: body, mode });
    else throw refuse(`${name} is ${type === '1' ? 'a hard link' : 'no regular file'}`);
    if (entries.size > limits.files) throw tooLarge(`more than ${limits.files} files`);
  }
  return [...entries.values()];
}

function unzip(data: Uint8Array, limits: LayerLimits): Buffer {
  try {
    return gunzipSync(data, { maxOutputLength: limits.bytes });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(`more than ${limits.bytes} bytes`);
    throw refuse('it can not be unpacked', error);
  }
}

function insidePath(name: string): string {
  if (name.startsWith('/') || name.includes('\\') || name.includes('\0')) throw refuse(`${name} leads out of it`);
  const parts = name.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw refuse(`${name} leads out of it`);
  return parts.join('/');
}

function checkLink(path: string, target: string): void {
  const folder = path.split('/').slice(0, -1);
  for (const part of target.split('/')) {
    if (part === '..' && folder.pop() === undefined) throw badLink(path, target);
    if (part !== '..' && part !== '.' && part !== '') folder.push(part);
  }
  if (target.startsWith('/')) throw badLink(path, target);
}

/** The first words are upstream's. */
function badLink(path: string, target: string): RegistryError {
  const words = 'could not decompress layer: illegal filepath in symlink';
  return new RegistryError(registryAnswerRefused, words, {
    message: `${words}: ${path} leads to ${target.slice(0, 200)}`,
    remedies: ['Push the artifact again, with links inside it only'],
  });
}

function nameOf(header: Uint8Array): string {
  const name = text(header.subarray(0, 100));
  const prefix = text(header.subarray(257, 262)) === 'ustar' ? text(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function octal(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return Number.NaN;
  const digits = text(field).trim();
  // a sign would lead the reader backwards, for ever
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}

function pax(body: Uint8Array, key: string): string | undefined {
  for (const line of Buffer.from(body).toString('utf8').split('\n').slice(0, -1)) {
    const [, name, value] = /^\d+ ([^=]*)=(.*)$/s.exec(line) ?? [];
    if (name === key) return value;
  }
  return undefined;
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

function refuse(reason: string, cause?: unknown): RegistryError {
  return new RegistryError(
    registryAnswerRefused,
    `the layer can not be used: ${reason}`,
    { remedies: ['Push the artifact again, with regular files and links inside it only'] },
    cause === undefined ? {} : { cause },
  );
}

function tooLarge(what: string): RegistryError {
  return new RegistryError(registryAnswerTooLarge, `the layer has ${what}`, {
    remedies: ['Put less into the artifact'],
  });
}
