import { Buffer } from 'node:buffer';
import { type ClientHttp2Stream, connect, constants } from 'node:http2';
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { guarded } from '@tiphys/outbound';

/** A call of gRPC failed. */
export class GrpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(`rpc error: code = ${code} desc = ${message}`);
    this.code = code;
  }
}

export interface GrpcTarget {
  /** `host:port`. */
  readonly address: string;
  /** Certificates of the server; absent: no TLS. */
  readonly tls?: { readonly ca?: string; readonly servername?: string } | undefined;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** The fields of a message by their numbers: texts, bytes and booleans, which is all that our services have. */
export type GrpcFields = ReadonlyMap<number, string | Uint8Array | boolean>;

const longestMessage = 16 * 1024 * 1024;

/** Calls a method; the answers come one after the other, and end with the call. */
export async function* callGrpc(
  target: GrpcTarget,
  path: string,
  request: GrpcFields,
  signal: AbortSignal,
): AsyncGenerator<Map<number, Uint8Array>> {
  const { address, tls, metadata } = target;
  const url = `${tls ? 'https' : 'http'}://${address}`;
  const session = connect(url, { ...tls, ...guarded(url, false) });
  const failed = Promise.withResolvers<never>();
  failed.promise.catch(() => undefined);
  session.on('error', failed.reject);
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...metadata,
  });
  const abort = () => stream.close(constants.NGHTTP2_CANCEL);
  signal.addEventListener('abort', abort, { once: true });
  try {
    stream.end(frame(encode(request)));
    yield* answers(stream, failed.promise);
  } finally {
    signal.removeEventListener('abort', abort);
    stream.close();
    session.destroy();
  }
}

async function* answers(stream: ClientHttp2Stream, failed: Promise<never>): AsyncGenerator<Map<number, Uint8Array>> {
  let status: { code: number; message: string } | undefined;
  const note = (headers: Readonly<Record<string, unknown>>) => {
    if (headers['grpc-status'] === undefined) return;
    status = {
      code: Number(headers['grpc-status']),
      message: decodeURIComponent(String(headers['grpc-message'] ?? '')),
    };
  };
  stream.on('response', note);
  stream.on('trailers', note);
  const iterator = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let left = Buffer.alloc(0);
  for (;;) {
    const next = await Promise.race([iterator.next(), failed]);
    if (next.done) break;
    left = Buffer.concat([left, next.value]);
    while (left.length >= 5 && left.length >= 5 + left.readUInt32BE(1)) {
      const length = left.readUInt32BE(1);
      yield decode(left.subarray(5, 5 + length));
      left = left.subarray(5 + length);
    }
    if (left.length >= 5 && left.readUInt32BE(1) > longestMessage) throw new GrpcError(8, 'the message is too long');
  }
  if (!status) throw new GrpcError(14, 'the server ended the call without a status');
  if (status.code !== 0) throw new GrpcError(status.code, status.message);
}

function frame(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function encode(fields: GrpcFields): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) {
    if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value);
    else if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
    else writer.tag(number, WireType.LengthDelimited).bytes(value);
  }
  return writer.finish();
}

/** Bytes of each field; a number that is not 0 is one byte. */
function decode(bytes: Uint8Array): Map<number, Uint8Array> {
  const reader = new BinaryReader(bytes);
  const fields = new Map<number, Uint8Array>();
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) fields.set(number, reader.bytes());
    else if (wireType === WireType.Varint) fields.set(number, Uint8Array.of(Number(reader.uint64()) === 0 ? 0 : 1));
    else reader.skip(wireType, number);
  }
  return fields;
}
