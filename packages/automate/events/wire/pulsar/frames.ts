import { crc32c } from './crc32c.ts';
import { encodeFields, Fields, type FieldValue } from './fields.ts';

/** Types of Pulsar's BaseCommand, which are the numbers of their fields in it too. */
export const command = {
  connect: 2,
  connected: 3,
  subscribe: 4,
  producer: 5,
  send: 6,
  sendReceipt: 7,
  sendError: 8,
  message: 9,
  ack: 10,
  flow: 11,
  success: 13,
  error: 14,
  closeProducer: 15,
  closeConsumer: 16,
  producerSuccess: 17,
  ping: 18,
  pong: 19,
  partitionedMetadata: 21,
  partitionedMetadataResponse: 22,
  lookup: 23,
  lookupResponse: 24,
  authChallenge: 36,
  authResponse: 37,
} as const;

/** The greatest frame that is read: Pulsar's own limit of 5 MiB for a message, with room for what is around it. */
const longestFrame = 6 * 1024 * 1024;
const checksumMagic = 0x0e01;

/** A command, with the metadata and the payload of a message where it has one. */
export interface Frame {
  readonly type: number;
  readonly fields: Fields;
  readonly message?: { readonly metadata: Fields; readonly payload: Buffer };
}

/** A frame with a command alone. */
export function commandFrame(type: number, fields: Readonly<Record<number, FieldValue>>): Buffer {
  const body = encodeFields({ 1: type, [type]: encodeFields(fields) });
  return Buffer.concat([sizeOf(body.length + 4), sizeOf(body.length), body]);
}

/** A frame with a command and a message. */
export function messageFrame(
  type: number,
  fields: Readonly<Record<number, FieldValue>>,
  message: { readonly metadata: Uint8Array; readonly payload: Uint8Array },
): Buffer {
  const body = encodeFields({ 1: type, [type]: encodeFields(fields) });
  const summed = Buffer.concat([sizeOf(message.metadata.length), message.metadata, message.payload]);
  const head = Buffer.alloc(6);
  head.writeUInt16BE(checksumMagic, 0);
  head.writeUInt32BE(crc32c(summed), 2);
  const rest = Buffer.concat([sizeOf(body.length), body, head, summed]);
  return Buffer.concat([sizeOf(rest.length), rest]);
}

/** Splits what comes from a socket into frames. Throws for one that is too long, wrong or has another checksum. */
export async function* framesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let parts: Buffer[] = [];
  let have = 0;
  let wanted = 4;
  for await (const chunk of chunks) {
    parts.push(chunk);
    have += chunk.length;
    while (have >= wanted) {
      const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
      wanted = 4 + bytes.readUInt32BE(0);
      if (wanted > longestFrame) throw new Error(`Pulsar sent a frame of ${wanted} bytes; ${longestFrame} are read`);
      parts = [bytes];
      if (have < wanted) break;
      yield frameOf(bytes.subarray(4, wanted));
      parts = have > wanted ? [bytes.subarray(wanted)] : [];
      have -= wanted;
      wanted = 4;
    }
  }
}

function frameOf(bytes: Buffer): Frame {
  const size = bytes.readUInt32BE(0);
  const base = new Fields(bytes.subarray(4, 4 + size));
  const type = base.number(1);
  const rest = bytes.subarray(4 + size);
  const fields = base.message(type);
  return rest.length === 0 ? { type, fields } : { type, fields, message: messageOf(rest) };
}

function messageOf(bytes: Buffer): { metadata: Fields; payload: Buffer } {
  let rest = bytes;
  if (rest.readUInt16BE(0) === checksumMagic) {
    const sum = rest.readUInt32BE(2);
    rest = rest.subarray(6);
    if (crc32c(rest) !== sum) throw new Error('a message of Pulsar has another checksum than it says');
  }
  const size = rest.readUInt32BE(0);
  return { metadata: new Fields(rest.subarray(4, 4 + size)), payload: rest.subarray(4 + size) };
}

function sizeOf(size: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(size);
  return bytes;
}
