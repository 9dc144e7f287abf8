import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { requestUrl } from '@tiphys/inbound';
import type { LocalObjects, StoredObject } from './local-objects.ts';

interface Store {
  readonly bucket: string;
  readonly objects: LocalObjects;
}

const page = 1000;
/** Uploads in parts are kept below keys that no request can name. (The database ends texts at a NUL.) */
const partKey = (upload: string, part: number) => `\u0001${upload}/${String(part).padStart(5, '0')}`;

/** Answers one request of S3: objects, lists, and uploads in parts, by path-style URLs. */
export async function answerLocalStore(request: IncomingMessage, answer: ServerResponse, store: Store): Promise<void> {
  try {
    const { pathname, searchParams } = requestUrl(request);
    const [, bucket, ...rest] = pathname.split('/');
    if (bucket !== store.bucket) return refuse(answer, 404, 'NoSuchBucket');
    const key = decodeURIComponent(rest.join('/'));
    if (key.includes('\u0001') || key.includes('\0')) return refuse(answer, 400, 'InvalidRequest');
    if (key === '') answerBucket(request, answer, { store, query: searchParams });
    else await answerObject(request, answer, { store, key, query: searchParams });
  } catch (error) {
    if (answer.headersSent) answer.destroy(error as Error);
    else
      refuse(answer, error instanceof URIError ? 400 : 500, error instanceof URIError ? 'InvalidURI' : 'InternalError');
  }
}

function answerBucket(
  { method }: IncomingMessage,
  answer: ServerResponse,
  { store, query }: { store: Store; query: URLSearchParams },
): void {
  if (method === 'HEAD' || method === 'PUT') answer.end();
  else if (method !== 'GET') refuse(answer, 405, 'MethodNotAllowed');
  else if (query.has('location')) xml(answer, '<LocationConstraint></LocationConstraint>');
  else answerList(answer, { store, query });
}

function answerList(answer: ServerResponse, { store, query }: { store: Store; query: URLSearchParams }): void {
  const prefix = query.get('prefix') ?? '';
  const after = query.get('continuation-token') ?? query.get('start-after') ?? '\u0001\uffff';
  const found = store.objects.list(prefix, { after, limit: page + 1 });
  const listed = found.slice(0, page);
  const isTruncated = found.length > page;
  const next = isTruncated ? `<NextContinuationToken>${escaped(listed.at(-1)?.key ?? '')}</NextContinuationToken>` : '';
  xml(
    answer,
    `<ListBucketResult><Name>${store.bucket}</Name><Prefix>${escaped(prefix)}</Prefix><IsTruncated>${isTruncated}</IsTruncated>${next}${listed.map(contents).join('')}</ListBucketResult>`,
  );
}

async function answerObject(
  request: IncomingMessage,
  answer: ServerResponse,
  { store: { objects }, key, query }: { store: Store; key: string; query: URLSearchParams },
): Promise<void> {
  const upload = query.get('uploadId');
  switch (request.method) {
    case 'PUT': {
      const part = Number(query.get('partNumber'));
      const { etag } = await objects.write(upload ? partKey(upload, part) : key, request);
      answer.setHeader('etag', `"${etag}"`).end();
      return;
    }
    case 'POST': {
      request.resume();
      if (query.has('uploads'))
        return xml(
          answer,
          `<InitiateMultipartUploadResult><UploadId>${randomUUID()}</UploadId></InitiateMultipartUploadResult>`,
        );
      if (!upload) return refuse(answer, 405, 'MethodNotAllowed');
      const { etag } = await objects.write(key, partsOf(objects, upload));
      removeParts(objects, upload);
      return xml(
        answer,
        `<CompleteMultipartUploadResult><Location>${escaped(key)}</Location><Key>${escaped(key)}</Key><ETag>"${etag}"</ETag></CompleteMultipartUploadResult>`,
      );
    }
    case 'GET':
    case 'HEAD': {
      const found = objects.find(key);
      if (!found) return refuse(answer, 404, 'NoSuchKey');
      answer.writeHead(200, {
        'content-length': found.size,
        etag: `"${found.etag}"`,
        'last-modified': new Date(found.at).toUTCString(),
      });
      if (request.method === 'HEAD') answer.end();
      else await pipeline(objects.read(found), answer);
      return;
    }
    case 'DELETE':
      if (upload) removeParts(objects, upload);
      else objects.remove(key);
      answer.writeHead(204).end();
      return;
    default:
      return refuse(answer, 405, 'MethodNotAllowed');
  }
}

async function* partsOf(objects: LocalObjects, upload: string): AsyncGenerator<Uint8Array> {
  for (const part of partList(objects, upload)) yield* objects.read(part) as AsyncIterable<Uint8Array>;
}

function removeParts(objects: LocalObjects, upload: string): void {
  for (const { key } of partList(objects, upload)) objects.remove(key);
}

function partList(objects: LocalObjects, upload: string): StoredObject[] {
  return objects.list(`\u0001${upload}/`, { after: '', limit: 10_000 });
}

function contents({ key, size, etag, at }: StoredObject): string {
  return `<Contents><Key>${escaped(key)}</Key><Size>${size}</Size><ETag>"${etag}"</ETag><LastModified>${new Date(at).toISOString()}</LastModified></Contents>`;
}

function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

function xml(answer: ServerResponse, text: string): void {
  answer.setHeader('content-type', 'application/xml').end(`<?xml version="1.0" encoding="UTF-8"?>${text}`);
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.statusCode = status;
  xml(answer, `<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
}
