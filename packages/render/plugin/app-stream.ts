import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { create, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { pluginServices } from '@tiphys/api';
import { failure } from '@tiphys/diagnosis';
import { type ArchiveEntry, type LayerEntry, RegistryError, readLayer, writeTar } from '@tiphys/registry';
import { pluginStreamInvalid } from './diagnoses.ts';

const requestDescriptor = pluginServices.plugin.method.generateManifest.input;
type AppStreamRequest = MessageShape<typeof requestDescriptor>;

/** A gzipped tar of what is sent to plugins, with the digest by which they know that they have all of it. */
export interface PackedFiles {
  readonly data: Buffer;
  /** SHA-256 in hexadecimal digits. */
  readonly checksum: string;
}

export interface ArchiveLimits {
  /** Of the archive as it is sent. */
  readonly packedBytes: number;
  /** Of all files together. */
  readonly bytes: number;
  readonly files: number;
}

/** Packs files for `appStream`. */
export async function packFiles(entries: readonly ArchiveEntry[]): Promise<PackedFiles> {
  const data = await promisify(gzip)(writeTar(entries), { level: 1 });
  return { data, checksum: createHash('sha256').update(data).digest('hex') };
}

/** What is said of the files before they are sent. */
export interface AppMetadata {
  readonly appName: string;
  /** Of the application's folder inside of the archive; `.` for its top. */
  readonly appRelPath: string;
  readonly environment: Readonly<Record<string, string>>;
}

const chunkBytes = 64 * 1024;

/** The messages of one call: metadata, then the archive in pieces. */
export async function* appStream(
  { appName, appRelPath, environment }: AppMetadata,
  { data, checksum }: PackedFiles,
): AsyncGenerator<MessageInitShape<typeof requestDescriptor>> {
  const env = Object.entries(environment).map(([name, value]) => ({ name, value }));
  const metadata = { appName, appRelPath, checksum, size: BigInt(data.length), env };
  yield create(requestDescriptor, { request: { case: 'metadata', value: metadata } });
  for (let at = 0; at < data.length; at += chunkBytes)
    yield create(requestDescriptor, {
      request: { case: 'file', value: { chunk: data.subarray(at, at + chunkBytes) } },
    });
}

/** What `appStream` sent, checked and unpacked. Throws a diagnosis for what is broken, leads outside or is too large. */
export async function receiveApp(
  requests: AsyncIterable<AppStreamRequest>,
  limits: ArchiveLimits,
): Promise<AppMetadata & { files: LayerEntry[] }> {
  let metadata: AppMetadata | undefined;
  let expected = '';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const { request } of requests) {
    if (metadata === undefined) {
      if (request.case !== 'metadata') throw invalid('error getting stream metadata: metadata is nil');
      const { appName, appRelPath, checksum, env } = request.value;
      expected = checksum;
      const environment = Object.fromEntries(
        env.filter(({ name }) => name !== '').map(({ name, value }) => [name, value]),
      );
      metadata = { appName, appRelPath, environment };
    } else if (request.case === 'file') {
      size += request.value.chunk.length;
      if (size > limits.packedBytes) throw invalid(`file exceeded max size of ${limits.packedBytes} bytes`);
      chunks.push(request.value.chunk);
    } else throw invalid('stream request file is nil');
  }
  if (!metadata) throw invalid('error receiving stream header: EOF');
  return { ...metadata, files: await unpackFiles(Buffer.concat(chunks), expected, limits) };
}

/** The files of a gzipped tar whose digest is known: no way out of it, no more than the limits. */
export async function unpackFiles(data: Buffer, checksum: string, limits: ArchiveLimits): Promise<LayerEntry[]> {
  if (createHash('sha256').update(data).digest('hex') !== checksum) throw invalid('file checksum validation error');
  try {
    const tar = await promisify(gunzip)(data, { maxOutputLength: limits.bytes });
    return readLayer(tar, { bytes: limits.bytes, files: limits.files });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw invalid(`error decompressing tgz file: it has more than ${limits.bytes} bytes`, error);
    const reason = error instanceof RegistryError ? error.diagnosis.message : (error as Error).message;
    throw invalid(`error decompressing tgz file: ${reason}`, error);
  }
}

function invalid(message: string, cause?: unknown) {
  return failure(
    pluginStreamInvalid,
    { message, remedies: ['Send an archive of regular files and links inside it, below the limits'] },
    cause === undefined ? {} : { cause },
  );
}
