import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendBytes, sendText } from '../http/answer.ts';
import { acceptsGzip, gzipped } from '../http/gzip.ts';
import type { OpenApi } from './openapi.ts';

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const FRESH = { 'cache-control': 'no-cache, private' } as const;
const JSON_TYPES = ['application/json', 'application/*', '*/*'];

/** Answers `/openapi/v2` and `/openapi/v3/…`. Documents have ETags; one that is asked for by its hash may be kept for ever. */
export async function answerOpenApi(
  openapi: OpenApi,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: URLSearchParams,
): Promise<void> {
  if (path === '/openapi/v2') return v2(openapi, request, response);
  if (path === '/openapi/v3')
    return sendBytes(response, 200, 'text/plain; charset=utf-8', Buffer.from(JSON.stringify(openapi.v3Paths())));
  const name = path.startsWith('/openapi/v3/') ? path.slice('/openapi/v3/'.length) : undefined;
  const document = name === undefined ? undefined : openapi.v3(name);
  if (name === undefined || document === undefined) {
    if (name === undefined) sendText(response, 404, '404 page not found\n');
    else response.writeHead(404, { ...FRESH, 'content-length': 0 }).end();
    return;
  }
  if (!typesOf(request).some((type) => JSON_TYPES.includes(type))) {
    response.writeHead(406, { ...FRESH, 'content-length': 0 }).end();
    return;
  }
  const hash = openapi.hash(name);
  response.setHeader('vary', 'Accept');
  response.setHeader('etag', `"${hash}"`);
  const asked = query.get('hash');
  if (asked && asked !== hash) {
    response.writeHead(301, { ...FRESH, 'content-type': 'application/json', location: `${path}?hash=${hash}` }).end();
    return;
  }
  if (asked) {
    response.setHeader('cache-control', 'public, immutable');
    response.setHeader('expires', new Date(Date.now() + 365 * 86_400_000).toUTCString());
  }
  if (!asked) response.setHeader('cache-control', FRESH['cache-control']);
  if (request.headers['if-none-match'] === `"${hash}"`) response.writeHead(304).end();
  else sendBytes(response, 200, 'application/json', Buffer.from(JSON.stringify(document)));
}

/** The media types that a client accepts, without their weights. */
function typesOf({ headers }: IncomingMessage): string[] {
  return (headers.accept || '*/*').split(',').map((clause) => clause.split(';')[0]?.trim() ?? '');
}

async function v2(openapi: OpenApi, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const types = typesOf(request);
  const protobuf = types.some((type) => type.includes('proto-openapi.spec.v2'));
  response.setHeader('vary', 'Accept-Encoding, Accept');
  if (!protobuf && !types.some((type) => JSON_TYPES.includes(type))) {
    response.writeHead(406, { ...FRESH, 'content-length': 0 }).end();
    return;
  }
  const etag = `"${openapi.v2Hash()}"`;
  response.setHeader('etag', etag);
  if (request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  const bytes = protobuf ? openapi.v2Protobuf() : Buffer.from(JSON.stringify(openapi.v2()));
  const packed = acceptsGzip(request) ? await gzipped(bytes) : undefined;
  if (packed) response.setHeader('content-encoding', 'gzip');
  sendBytes(response, 200, protobuf ? V2_PROTOBUF : 'application/json', packed ?? bytes);
}
