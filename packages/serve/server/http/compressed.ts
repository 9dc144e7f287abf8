import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type HttpRequest, type HttpResponse, isGone } from '../transport/http-message.ts';

const compress = promisify(gzip);

/** Whether the client takes gzip. */
export function takesGzip(request: HttpRequest): boolean {
  return /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
}

/** JSON that nobody keeps. */
export async function sendCompressed(request: HttpRequest, response: HttpResponse, text: string): Promise<void> {
  if (isGone(response)) return;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('Cache-Control', 'no-store');
  await sendCompressedText(request, response, text);
}

/** Answers that are worth it go out compressed to clients that take it. */
export async function sendCompressedText(request: HttpRequest, response: HttpResponse, text: string): Promise<void> {
  if (isGone(response)) return;
  response.statusCode = 200;
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Vary', 'Accept-Encoding');
  if (!takesGzip(request) || text.length < 4096) return void response.end(text);
  response.setHeader('Content-Encoding', 'gzip');
  response.end(await compress(text, { level: 1 }));
}
