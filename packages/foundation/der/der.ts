import { isIPv4 } from 'node:net';

/** One element of DER. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly raw: Buffer;
}

/** An element says that it is longer than what is there. */
export class TruncatedDer extends RangeError {}

/** The elements that lie one behind the other in the bytes. Throws RangeError for bytes that are no DER. */
export function derElements(bytes: Buffer): DerElement[] {
  const elements: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] as number;
    let size = bytes[at + 1] ?? 0;
    let head = 2;
    if (size & 0x80) {
      const count = size & 0x7f;
      if (count === 0 || count > 4) throw new RangeError('indefinite or too long');
      if (at + 2 + count > bytes.length) throw new TruncatedDer('data truncated');
      size = bytes.readUIntBE(at + 2, count);
      head += count;
    }
    if (at + head + size > bytes.length) throw new TruncatedDer('data truncated');
    elements.push({
      tag,
      content: bytes.subarray(at + head, at + head + size),
      raw: bytes.subarray(at, at + head + size),
    });
    at += head + size;
  }
  return elements;
}

/** An element of these contents, up to 16 MiB. */
export function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(body.length)]), body]);
}

function lengthBytes(size: number): number[] {
  if (size < 0x80) return [size];
  if (size < 0x100) return [0x81, size];
  if (size < 0x10000) return [0x82, size >> 8, size & 0xff];
  return [0x83, size >> 16, (size >> 8) & 0xff, size & 0xff];
}

export function sequence(...parts: readonly Uint8Array[]): Buffer {
  return tagged(0x30, ...parts);
}

/** An integer that is not negative, of its bytes with the highest first. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const body = bytes.subarray(start);
  return ((body[0] ?? 0) & 0x80) === 0 ? tagged(0x02, body) : tagged(0x02, Buffer.from([0]), body);
}

/** An object identifier, in dotted form. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const arc of rest) {
    const groups = [arc & 0x7f];
    for (let value = arc >>> 7; value > 0; value >>>= 7) groups.unshift((value & 0x7f) | 0x80);
    bytes.push(...groups);
  }
  return tagged(0x06, Buffer.from(bytes));
}

/** Milliseconds since the epoch as UTCTime, from 2050 on as GeneralizedTime (RFC 5280). */
export function time(milliseconds: number): Buffer {
  const text = `${new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return Number(text.slice(0, 4)) < 2050 ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}

/** Whole bytes as a bit string. */
export function bitString(bytes: Uint8Array): Buffer {
  return tagged(0x03, Buffer.from([0]), bytes);
}

export const TRUE = tagged(0x01, Buffer.from([0xff]));

/** An extension of a certificate or of a request for one. */
export function extension(id: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(objectId(id), ...(critical ? [TRUE] : []), tagged(0x04, value));
}

/** The bytes of an IP address, 4 or 16. */
export function addressBytes(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const left = groupsOf(head);
  const right = groupsOf(tail ?? '');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...new Array<number>(zeros).fill(0), ...right];
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 0xff]));
}

const groupsOf = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((part) => Number.parseInt(part, 16));
