import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** What a field of a message of protocol buffers holds: a number, a text, bytes, or an encoded message. */
export type FieldValue = bigint | number | boolean | string | Uint8Array | undefined;

/** Encodes a message from its fields by number; those that are undefined are left out, zero is written, as proto2 wants. */
export function encodeFields(fields: Readonly<Record<number, FieldValue>>): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const field = Number(number);
    if (typeof value === 'string') writer.tag(field, WireType.LengthDelimited).string(value);
    else if (value instanceof Uint8Array) writer.tag(field, WireType.LengthDelimited).bytes(value);
    else writer.tag(field, WireType.Varint).uint64(BigInt(value));
  }
  return writer.finish();
}

/** A decoded message: the last value of each field counts. Throws `RangeError` for bytes that are no message. */
export class Fields {
  /** The bytes that it was decoded from. */
  readonly encoded: Uint8Array;
  readonly #values = new Map<number, bigint | Uint8Array>();

  constructor(bytes: Uint8Array) {
    this.encoded = bytes;
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [field, type] = reader.tag();
      if (type === WireType.Varint) this.#values.set(field, BigInt(reader.uint64()));
      else if (type === WireType.LengthDelimited) this.#values.set(field, reader.bytes());
      else reader.skip(type, field);
    }
  }

  has(field: number): boolean {
    return this.#values.has(field);
  }

  /** A number; 0 if absent. */
  number(field: number): number {
    return Number(this.integer(field));
  }

  /** An identifier, which may be greater than a number can tell; 0 if absent. */
  integer(field: number): bigint {
    const value = this.#values.get(field);
    return typeof value === 'bigint' ? value : 0n;
  }

  bytes(field: number): Uint8Array | undefined {
    const value = this.#values.get(field);
    return typeof value === 'bigint' ? undefined : value;
  }

  /** A text; empty if absent. */
  text(field: number): string {
    return Buffer.from(this.bytes(field) ?? []).toString('utf8');
  }

  /** A message; one without fields if absent. */
  message(field: number): Fields {
    return new Fields(this.bytes(field) ?? new Uint8Array());
  }
}
