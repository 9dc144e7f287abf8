import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { InboundLimits } from './limits.ts';

type Request = IncomingMessage | Http2ServerRequest;

/** How much of a body that is too large is taken before the connection ends: the answer waits behind what is on its way. */
const discarded = 64 * 1024 * 1024;

/** Ends the request if its body does not go on; a body that nobody reads is not waited for. */
export function guardBody(request: Request, { body, bodyBytes }: InboundLimits): void {
  if (request.complete || request.headers.upgrade || request.method === 'GET' || request.method === 'HEAD') return;
  let seen = 0;
  let came = 0;
  const push = request.push.bind(request);
  request.push = (chunk: Uint8Array | null, ...rest: []) => {
    came += chunk?.length ?? 0;
    return push(chunk, ...rest);
  };
  const timer = setInterval(() => {
    // what is not read holds up what comes after it
    if (request.readableLength === 0 && came - seen < bodyBytes) request.destroy(new Error('the body came too slowly'));
    seen = came;
  }, body);
  timer.unref();
  const end = () => clearInterval(timer);
  request.once('end', end);
  request.once('close', end);
}

/** The chunks of a body. Who stops early can still answer: the connection is not ended by that. */
export function chunksOf(request: Request): AsyncIterable<Buffer> {
  return request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

/** Lets what is left of a body come and go, so that the client gets to read why it was refused. */
export function discard(request: Request): void {
  let size = 0;
  request.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > discarded) request.destroy();
  });
  request.on('error', () => undefined);
  // anyone who has read until now lets go of it first
  setImmediate(() => request.resume());
}
