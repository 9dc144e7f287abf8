import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';

/** Of HTTP/1.1 or HTTP/2. */
export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse<IncomingMessage> | Http2ServerResponse;

/** Whether the client has gone: headers can no longer be set then, on HTTP/2 not even tried. */
export function isGone(response: HttpResponse): boolean {
  return response.writableEnded || ('stream' in response ? response.stream.destroyed : response.destroyed);
}

export function sendJson(response: HttpResponse, status: number, value: unknown): void {
  if (isGone(response)) return;
  response.statusCode = status;
  response.setHeader('Content-Type', 'application/json');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store');
  response.end(JSON.stringify(value));
}

/** Resolves when the client took it, or went away. */
export function write(response: HttpResponse, text: string): Promise<void> {
  const writable = response as ServerResponse;
  if (isGone(response)) return Promise.resolve();
  return new Promise((resolve) => {
    if (writable.write(text) || isGone(response)) resolve();
    else {
      const done = () => {
        writable.off('drain', done);
        writable.off('close', done);
        resolve();
      };
      writable.on('drain', done);
      writable.on('close', done);
    }
  });
}
