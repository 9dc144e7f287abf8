import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { chunksOf } from '@tiphys/inbound';
import { type HttpRequest, invalidArgument } from '@tiphys/server';

/** A body with more bytes than an installation takes. */
export class UploadTooLarge extends Error {
  override name = 'UploadTooLarge';

  constructor(most: number) {
    super(
      `the upload has more than ${most} bytes; ARGO_SERVER_MAX_ARTIFACT_UPLOAD_BYTES of the server says how many may come`,
    );
  }
}

/**
 * Reads the field `file` of a form as it comes, and hands it to `save`. Nothing is kept in memory or on the disk. Gives what `save` gives.
 * Throws InvalidArgument for what is no such form, `UploadTooLarge`, and what `save` throws.
 */
export async function readUpload<T>(
  request: HttpRequest,
  { most, save }: { most: number; save: (file: Readable, filename: string) => Promise<T> },
): Promise<T> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw new UploadTooLarge(most);
  const form = parserOf(request);
  let saving: Promise<T> | undefined;
  let refusal: unknown;
  form.on('file', (field: string, file: BusboyFileStream, filename: string) => {
    // who reads it sees its errors; here they must only not end the process
    file.on('error', () => undefined);
    if (field !== 'file' || saving) return void file.resume();
    saving = save(file, filename);
    saving.catch((error: unknown) => {
      refusal ??= error;
      form.destroy(error as Error);
    });
    form.once('close', () => file.destroy());
  });
  try {
    await pipeline(bounded(request, most), form);
  } catch (error) {
    await saving?.catch(() => undefined);
    if (error instanceof UploadTooLarge) throw error;
    throw refusal ?? unreadable(error);
  }
  if (!saving) throw invalidArgument('Failed to get file from form: there is no field "file" with a file');
  return await saving;
}

function unreadable(error: unknown): Error {
  return invalidArgument(`Failed to parse multipart form: ${(error as Error).message}`);
}

async function* bounded(request: HttpRequest, most: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.length;
    if (size > most) throw new UploadTooLarge(most);
    yield chunk;
  }
}

function parserOf({ headers }: HttpRequest): BusboyInstance {
  const type = headers['content-type'];
  if (!type?.toLowerCase().startsWith('multipart/form-data'))
    throw invalidArgument('Failed to parse multipart form: Content-Type is not multipart/form-data');
  try {
    return new Busboy({
      headers: { 'content-type': type } as BusboyHeaders,
      limits: { files: 1, fields: 16, fieldSize: 64 << 10, parts: 32, headerPairs: 64 },
    });
  } catch (error) {
    throw unreadable(error);
  }
}
