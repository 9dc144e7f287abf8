import { inflateSync, zstdDecompressSync } from 'node:zlib';
import { Fields } from './fields.ts';
import type { Frame } from './frames.ts';

/** A message as its producer sent it. */
export interface PulsarMessage {
  readonly key: string;
  /** Milliseconds since the epoch. */
  readonly publishTime: number;
  readonly body: Buffer;
}

const largestBody = 64 * 1024 * 1024;
const compressions = ['none', 'LZ4', 'ZLIB', 'ZSTD', 'Snappy'];

/** The messages of a frame: one, or those of a batch. Throws for what cannot be read, with what to change. */
export function messagesOf({ message }: Frame): readonly PulsarMessage[] {
  if (!message) throw new Error('a message of Pulsar has no payload');
  const { metadata } = message;
  if (metadata.has(13)) throw new Error('a message is encrypted, which is not supported; send it without encryption');
  if (metadata.number(27) > 1)
    throw new Error('a message came in chunks, which is not supported; send it without chunking');
  const body = uncompressed(metadata, message.payload);
  const publishTime = metadata.number(3);
  if (!metadata.has(11)) return [{ key: keyOf(metadata, { key: 6, isBase64: 17 }), publishTime, body }];
  return batch(body, { count: metadata.number(11), publishTime });
}

function uncompressed(metadata: Fields, payload: Buffer): Buffer {
  const compression = metadata.number(8);
  const options = { maxOutputLength: Math.min(largestBody, metadata.number(9) || largestBody) };
  if (compression === 0) return payload;
  if (compression === 2) return inflateSync(payload, options);
  if (compression === 3 && zstdDecompressSync) return zstdDecompressSync(payload, options);
  throw new Error(
    `a message is compressed with ${compressions[compression] ?? compression}, which is not supported; let producers use ZLIB, ZSTD or none`,
  );
}

function batch(body: Buffer, { count, publishTime }: { count: number; publishTime: number }): PulsarMessage[] {
  const messages: PulsarMessage[] = [];
  let at = 0;
  for (let index = 0; index < count; index++) {
    const size = body.readUInt32BE(at);
    const single = new Fields(body.subarray(at + 4, at + 4 + size));
    at += 4 + size;
    const length = single.number(3);
    if (single.number(4) !== 1)
      messages.push({
        key: keyOf(single, { key: 2, isBase64: 6 }),
        publishTime,
        body: body.subarray(at, at + length),
      });
    at += length;
  }
  return messages;
}

function keyOf(fields: Fields, { key, isBase64 }: { key: number; isBase64: number }): string {
  const text = fields.text(key);
  return fields.number(isBase64) === 1 ? Buffer.from(text, 'base64').toString('utf8') : text;
}
