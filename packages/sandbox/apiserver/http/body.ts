import type { IncomingMessage } from 'node:http';
import { badRequest, ProtobufError, StatusError } from '@tiphys/apimachinery';
import { type Body, parseBody } from './parse-body.ts';

/** The API server's own limit for a request. */
const MAX_BYTES = 3 * 1024 * 1024;

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const MEDIA_TYPES = ['application/json', 'application/yaml', PROTOBUF];

/** Reads and parses the whole body by its content type, JSON when there is none; undefined for no body. Of a text that is none of its type the body tells. 413 beyond 3 MiB. */
export async function readBody(request: IncomingMessage): Promise<Body | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES)
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BYTES}`);
    chunks.push(chunk);
  }
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (length === 0 && !(type.endsWith('yaml') && request.headers['content-length'] !== undefined)) return undefined;
  if (request.method !== 'PATCH' && !MEDIA_TYPES.includes(type))
    throw new StatusError(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${MEDIA_TYPES.join(', ')}`,
    );
  if (request.method === 'PATCH' && type.endsWith('cbor'))
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  try {
    return parseBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), type);
  } catch (error) {
    if (error instanceof ProtobufError) throw badRequest(error.message);
    throw error;
  }
}
