import { unpackFiles } from '@tiphys/plugin';
import type { UploadedFile } from '../ports/backend.ts';
import { Code, invalidArgument, RpcError } from '../rpc/rpc-error.ts';

interface Query {
  readonly name?: string | undefined;
  readonly appNamespace?: string | undefined;
  readonly project?: string | undefined;
  readonly checksum?: string | undefined;
}

/** The JSON form of a message of the stream. */
export interface UploadPart {
  readonly query?: Query | undefined;
  readonly chunk?: { readonly chunk?: string | undefined } | undefined;
}

interface UploadLimits {
  /** `reposerver.streamed.manifest.max.tar.size`; 100 MB by default. */
  readonly packedBytes: number;
  /** `reposerver.streamed.manifest.max.extracted.size`; 256 MB by default, where upstream has 1 GB. */
  readonly bytes: number;
}

const maxFiles = 100_000;
const units: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  Ki: 1024,
  Mi: 1024 ** 2,
  Gi: 1024 ** 3,
};

export function uploadLimits(parameters: Readonly<Record<string, string>>): UploadLimits {
  const size = (key: string, fallback: number): number => {
    const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(Ki|Mi|Gi|k|M|G)?$/.exec(parameters[key]?.trim() ?? '') ?? [];
    return digits === undefined ? fallback : Math.floor(Number(digits) * (units[unit] as number));
  };
  return {
    packedBytes: size('reposerver.streamed.manifest.max.tar.size', 100_000_000),
    bytes: size('reposerver.streamed.manifest.max.extracted.size', 256_000_000),
  };
}

/**
 * Reads a stream of `GetManifestsWithFiles`: the query first, which `admit` may refuse before anything else is taken, then the
 * pieces of a gzipped tar. Nothing of it lies outside, or is more than the limits.
 */
export async function receiveFiles<T>(
  parts: AsyncIterable<UploadPart>,
  limits: UploadLimits,
  admit: (query: Query) => Promise<T>,
): Promise<{ admitted: T; files: UploadedFile[] }> {
  let admitted: { value: T } | undefined;
  let checksum = '';
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const { query, chunk } of parts) {
    if (admitted === undefined) {
      if (!query) throw new RpcError(Code.Unknown, 'error getting query: error getting stream query: query is nil');
      checksum = query.checksum ?? '';
      admitted = { value: await admit(query) };
      continue;
    }
    if (!chunk) throw new RpcError(Code.Unknown, 'error sending repo stream: error getting stream chunk: chunk is nil');
    const bytes = Buffer.from(chunk.chunk ?? '', 'base64');
    size += bytes.length;
    if (size > limits.packedBytes)
      throw invalidArgument(`error receiving tgz file: file exceeded max size of ${limits.packedBytes} bytes`);
    chunks.push(bytes);
  }
  if (!admitted) throw new RpcError(Code.Unknown, 'error getting query: failed to receive header: EOF');
  const files = await unpackFiles(Buffer.concat(chunks), checksum, { ...limits, files: maxFiles });
  return { admitted: admitted.value, files };
}
