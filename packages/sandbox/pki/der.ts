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

export function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return Number(text.slice(0, 4)) < 2050
    ? tagged(0x17, Buffer.from(`${text.slice(2)}Z`))
    : tagged(0x18, Buffer.from(`${text}Z`));
}

export function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

export function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

export function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}

export function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, 'hex'));
}

/** DER integers are signed: the highest bit is cleared, and the first byte is not zero. */
export function positive(bytes: Buffer): Buffer {
  bytes[0] = ((bytes[0] as number) & 0x7f) | 0x40;
  return bytes;
}

export const TRUE = Buffer.from([0x01, 0x01, 0xff]);
export const ECDSA_SHA256 = sequence(objectId('2a8648ce3d040302'));
