import type { IncomingMessage } from 'node:http';
import { parse as parseYaml } from 'yaml';
import { badRequest, StatusError } from './status.ts';

/** The API server's own limit for a request. */
const MAX_BYTES = 3 * 1024 * 1024;

/** The whole body as text; 413 beyond 3 MiB. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BYTES) throw new StatusError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${MAX_BYTES}`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Buffer).toString() : Buffer.concat(chunks).toString();
}

/** Parses a body by its content type, JSON when there is none. */
export function parseBody(text: string, contentType: string | undefined): unknown {
  const type = (contentType ?? 'application/json').split(';')[0]?.trim() ?? '';
  if (type === 'application/vnd.kubernetes.protobuf' || type === 'application/cbor')
    throw new StatusError(415, 'UnsupportedMediaType', `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml`);
  try {
    if (type.endsWith('yaml')) return parseYaml(text, { schema: 'core', maxAliasCount: 100 });
    return JSON.parse(text);
  } catch (error) {
    throw badRequest(`error decoding request body: ${error instanceof Error ? error.message : String(error)}`);
  }
}
