import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** A message of NATS Streaming by the numbers of its fields. */
export type Fields = ReadonlyMap<number, string | Uint8Array | number | bigint | boolean>;

/** Writes a message; what is empty is left out. */
export function encodeFields(fields: Fields): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields) {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
    else if (typeof value === 'number') writer.tag(number, WireType.Varint).int32(value);
    else if (typeof value === 'bigint') writer.tag(number, WireType.Varint).uint64(value);
    else if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value);
    else writer.tag(number, WireType.LengthDelimited).bytes(value);
  }
  return writer.finish();
}

/** What a message holds: numbers and texts by the numbers of their fields. */
export class Decoded {
  readonly #bytes = new Map<number, Uint8Array>();
  readonly #numbers = new Map<number, bigint>();

  constructor(bytes: Uint8Array) {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag();
      if (wireType === WireType.LengthDelimited) this.#bytes.set(number, reader.bytes());
      else if (wireType === WireType.Varint) this.#numbers.set(number, BigInt(reader.uint64()));
      else reader.skip(wireType, number);
    }
  }

  text(number: number): string {
    return Buffer.from(this.#bytes.get(number) ?? new Uint8Array()).toString('utf8');
  }

  number(number: number): bigint {
    return this.#numbers.get(number) ?? 0n;
  }
}
