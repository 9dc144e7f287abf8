import type { Compression } from '@connectrpc/connect/protocol';
import { compressionGzip } from '@connectrpc/connect-node';

const KiB = 1024;
const MiB = 1024 * KiB;

/** What anybody may send who did not say who they are. */
export const strangersBytes = 64 * KiB;

/** What etcd would keep of an object, in its longest form. */
const usualBytes = 4 * MiB;

/** Methods that are sent manifests of a whole application. */
const largeRequests: Readonly<Record<string, number>> = {
  '/application.ApplicationService/Sync': 64 * MiB,
  '/application.ApplicationService/ServerSideDiff': 64 * MiB,
};

/** Bytes that a message to the method may have, read and decompressed; a stream has as many messages as it wants. */
export function largestMessage(path: string): number {
  return largeRequests[path] ?? usualBytes;
}

/** Manifests compress to a tenth; what becomes larger than this many times its size was made for that. */
const largestRatio = 50;

/** gzip that gives up on what unfolds to more than its size lets expect. */
export const boundedGzip: Compression = {
  ...compressionGzip,
  decompress: (bytes, readMaxBytes) =>
    compressionGzip.decompress(bytes, Math.min(readMaxBytes, 64 * KiB + bytes.length * largestRatio)),
};
