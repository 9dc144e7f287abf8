import type { HttpResponse } from './http-message.ts';

const trailerFlag = 0x80;

/**
 * Repeats the status of a gRPC-web answer that has no message in its headers, where the argocd CLI (and Go's gRPC-web
 * proxy) looks for it. Call it before the answer begins.
 */
export function repeatRefusalInHeaders(response: HttpResponse): void {
  const node = response as unknown as {
    writeHead(status: number, headers: Record<string, unknown>): unknown;
    write(chunk: Uint8Array, ...rest: unknown[]): boolean;
    end(...rest: unknown[]): unknown;
  };
  const { writeHead, write, end } = node;
  let head: [number, Record<string, unknown>] | undefined;
  const restore = () => Object.assign(node, { writeHead, write, end });
  const begin = (first: Uint8Array | undefined) => {
    restore();
    if (!head) return;
    const [status, headers] = head;
    node.writeHead(status, first && (first[0] ?? 0) & trailerFlag ? { ...headers, ...statusHeaders(first) } : headers);
  };
  node.writeHead = (status, headers) => {
    head = [status, headers];
    return response;
  };
  node.write = (chunk, ...rest) => {
    begin(chunk);
    return node.write(chunk, ...rest);
  };
  node.end = (...rest) => {
    begin(undefined);
    return node.end(...rest);
  };
}

/** `grpc-status` and `grpc-message` of a trailer frame (flag, length, header lines). */
function statusHeaders(frame: Uint8Array): Record<string, string> {
  const text = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).subarray(5).toString('latin1');
  const fields = new Map(
    text
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const message = decodeURIComponent(fields.get('grpc-message') ?? '');
  return { 'Grpc-Status': fields.get('grpc-status') ?? '2', 'Grpc-Message': encodeMessage(message) };
}

/** As grpc-go writes it: only what a header cannot hold is percent-encoded. */
function encodeMessage(message: string): string {
  return [...Buffer.from(message, 'utf8')]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x25
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}
