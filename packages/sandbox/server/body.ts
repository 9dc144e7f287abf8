import type { IncomingMessage } from 'node:http';
import { parseYaml } from '@tiphys/yaml';
import { decodeProtobuf, ProtobufError } from '../schema/protobuf.ts';
import { duplicateKeys } from './duplicate-keys.ts';
import { badRequest, StatusError } from './status.ts';

/** The API server's own limit for a request. */
const MAX_BYTES = 3 * 1024 * 1024;

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const MEDIA_TYPES = ['application/json', 'application/yaml', PROTOBUF];

export interface Body {
  readonly value: unknown;
  /** Paths of keys that the text had twice; the last one won. */
  readonly duplicates: readonly string[];
}

/** Reads and parses the whole body by its content type, JSON when there is none; undefined for no body. 413 beyond 3 MiB. */
export async function readBody(request: IncomingMessage): Promise<Body | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES)
      throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BYTES}`);
    chunks.push(chunk);
  }
  if (length === 0) return undefined;
  const type = (request.headers['content-type'] ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (request.method !== 'PATCH' && !MEDIA_TYPES.includes(type))
    throw new StatusError(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${MEDIA_TYPES.join(', ')}`,
    );
  if (request.method === 'PATCH' && type.endsWith('cbor'))
    throw new StatusError(415, 'UnsupportedMediaType', '415: Unsupported Media Type', {});
  return parseBody(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks), type);
}

function parseBody(bytes: Buffer, type: string): Body {
  try {
    if (type === PROTOBUF) return { value: decodeProtobuf(bytes), duplicates: [] };
    const text = bytes.toString();
    if (type.endsWith('yaml') && !/^\s*[{[]/.test(text)) return { value: parseYaml(text), duplicates: [] };
    const value: unknown = JSON.parse(text);
    return { value, duplicates: duplicateKeys(text, value) };
  } catch (error) {
    if (error instanceof StatusError) throw error;
    if (error instanceof ProtobufError) throw badRequest(error.message);
    throw badRequest(`error decoding request body: ${error instanceof Error ? error.message : String(error)}`);
  }
}
