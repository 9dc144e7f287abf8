import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** Answers of more bytes are packed for clients that can unpack them. */
export const GZIP_FROM = 128 * 1024;

/** As kube-apiserver packs: fast before small. */
export const GZIP = { level: 1 } as const;

/** Headers of a packed answer. */
export const PACKED = { 'content-encoding': 'gzip', vary: 'Accept-Encoding' } as const;

/** Whether the request names gzip; one with a quality does not count. */
export function acceptsGzip({ headers }: IncomingMessage): boolean {
  const tokens = String(headers['accept-encoding'] ?? '').split(',');
  return tokens.some((token) => token.trim() === 'gzip');
}

const pack = promisify<Uint8Array, { level: number }, Buffer>(gzip);

export function gzipped(bytes: Uint8Array): Promise<Buffer> {
  return pack(bytes, GZIP);
}
