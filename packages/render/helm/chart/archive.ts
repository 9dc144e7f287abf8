import { gunzipSync } from 'node:zlib';
import type { DiagnosisKind } from '@tiphys/diagnosis';
import { goQuote } from '@tiphys/go';
import { chartInvalid, chartTooLarge } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import type { ChartFile } from './chart.ts';
import type { ChartLimits } from './chart-files.ts';

const block = 512;

/** What is wrong with an archive, wherever that is. */
class ArchiveFault extends Error {
  readonly kind: DiagnosisKind;
  readonly remedy: string;

  constructor(kind: DiagnosisKind, message: string, remedy: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.remedy = remedy;
  }
}

/**
 * The files of a packaged chart, in their order, without the name of the top folder. Nothing outside it is accepted.
 * `path` is the place of the archive in diagnoses.
 */
export function readArchive(data: Uint8Array, limits: ChartLimits, path = 'chart archive'): ChartFile[] {
  try {
    return filesOf(data, limits);
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    const { kind, message, remedy } = error;
    throw new HelmError(kind, message, { place: { file: path }, remedies: [remedy] }, error);
  }
}

function filesOf(data: Uint8Array, limits: ChartLimits): ChartFile[] {
  const tar = unzip(data, limits);
  const files: ChartFile[] = [];
  let longName: string | undefined;
  let total = 0;
  for (let at = 0; at + block <= tar.length; ) {
    const header = tar.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) break;
    checkSum(header);
    const size = sizeOf(header);
    const body = tar.subarray(at + block, at + block + size);
    if (body.length < size) throw refuse('unexpected EOF');
    at += block + Math.ceil(size / block) * block;
    const type = String.fromCharCode(header[156] as number);
    if (type === 'L') {
      longName = text(body);
      continue;
    }
    if (type === 'x') {
      longName = paxPath(body) ?? longName;
      continue;
    }
    if (type === 'g') continue;
    const name = longName ?? nameOf(header);
    longName = undefined;
    if (type === '5' || (type !== '1' && type !== '2' && name.endsWith('/'))) continue;
    total += size;
    if (total > limits.size) throw tooLarge(limits);
    if (files.length >= limits.files) {
      throw new ArchiveFault(
        chartTooLarge,
        `chart has more than ${limits.files} files`,
        'Remove files from the package',
      );
    }
    files.push({ name: insidePath(name), data: withoutBom(body) });
  }
  if (files.length === 0) throw refuse('no files in chart archive');
  return files;
}

function unzip(data: Uint8Array, limits: ChartLimits): Buffer {
  if (data.length < 10) throw refuse(data.length === 0 ? 'EOF' : 'unexpected EOF');
  if (data[0] !== 0x1f || data[1] !== 0x8b) throw refuse('gzip: invalid header');
  try {
    // Headers and padding come on top of the files themselves.
    return gunzipSync(data, { maxOutputLength: limits.size + limits.files * 2 * block });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limits);
    const message =
      (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' ? 'unexpected EOF' : 'gzip: invalid checksum';
    throw refuse(message, error);
  }
}

/** The path without its first part, refused if it leads out of the chart. */
function insidePath(name: string): string {
  const delimiter = name.includes('\\') ? '\\' : '/';
  const parts = name.split(delimiter);
  const inside = parts.slice(1).join('/');
  if (inside.startsWith('/')) throw refuse('chart illegally contains absolute paths');
  const path = cleanPath(inside);
  if (path === '.') throw refuse(`chart illegally contains content outside the base directory: ${goQuote(name)}`);
  if (path.startsWith('..')) throw refuse('chart illegally references parent directory');
  if (/^[a-zA-Z]:\//.test(path)) throw refuse('chart contains illegally named files');
  if (parts[0] === 'Chart.yaml') throw refuse('chart yaml not in base directory');
  return path;
}

function cleanPath(path: string): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && out.length > 0 && out.at(-1) !== '..') out.pop();
    else out.push(part);
  }
  return out.join('/') || '.';
}

function checkSum(header: Uint8Array): void {
  let sum = 0;
  for (let i = 0; i < block; i++) sum += i >= 148 && i < 156 ? 0x20 : (header[i] as number);
  if (octal(header.subarray(148, 156)) !== sum) throw refuse('archive/tar: invalid tar header');
}

function sizeOf(header: Uint8Array): number {
  const field = header.subarray(124, 136);
  if (((field[0] as number) & 0x80) === 0) return octal(field);
  let size = 0;
  for (let i = 1; i < 12; i++) size = size * 256 + (field[i] as number);
  return size;
}

function octal(field: Uint8Array): number {
  const digits = text(field).trim();
  // a sign would lead the reader backwards, for ever
  if (!/^[0-7]*$/.test(digits)) throw refuse('archive/tar: invalid tar header');
  return Number.parseInt(digits || '0', 8);
}

function nameOf(header: Uint8Array): string {
  const name = text(header.subarray(0, 100));
  const prefix = text(header.subarray(257, 262)) === 'ustar' ? text(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function paxPath(body: Uint8Array): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(Buffer.from(body).toString('utf8'))?.[1];
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
}

/** Files lose the mark with which some editors begin UTF-8. */
export function withoutBom(data: Uint8Array): Uint8Array {
  return data[0] === 0xef && data[1] === 0xbb && data[2] === 0xbf ? data.subarray(3) : data;
}

function refuse(message: string, cause?: unknown): ArchiveFault {
  return new ArchiveFault(chartInvalid, message, 'Package the chart again with `helm package`', cause);
}

function tooLarge(limits: ChartLimits): ArchiveFault {
  return new ArchiveFault(
    chartTooLarge,
    `decompressed chart is larger than the maximum size ${limits.size}`,
    'Remove files that templates do not need, with .helmignore',
  );
}
