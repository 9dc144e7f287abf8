/** What gob, and so a plugin, may not do: a length beyond the bytes that there are, an unknown type. */
export class GobError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'GobError';
  }
}

/** Writes the numbers and texts of gob. */
export class GobWriter {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  raw(bytes: Uint8Array): void {
    this.#chunks.push(bytes);
    this.#length += bytes.length;
  }

  /** One byte below 128; otherwise the negated count of bytes, then the bytes, highest first. */
  uint(value: number | bigint): void {
    if (value < 128) {
      this.raw(Uint8Array.of(Number(value)));
      return;
    }
    const hex = value.toString(16);
    const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
    this.raw(Uint8Array.of(256 - bytes.length));
    this.raw(bytes);
  }

  /** The sign is the lowest bit. */
  int(value: number | bigint): void {
    const wide = BigInt(value);
    this.uint(wide < 0n ? (~wide << 1n) | 1n : wide << 1n);
  }

  /** The bits of a double, turned round so that the zeros of small numbers are leading ones. */
  float(value: number): void {
    const bytes = Buffer.alloc(8);
    bytes.writeDoubleLE(value);
    this.uint(bytes.readBigUInt64BE());
  }

  bytes(value: Uint8Array): void {
    this.uint(value.length);
    this.raw(value);
  }

  text(value: string): void {
    this.bytes(Buffer.from(value));
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }
}

/** Reads the numbers and texts of gob from one message. */
export class GobReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  take(length: number): Uint8Array {
    if (length > this.left) throw new GobError(`a value of ${length} bytes where ${this.left} are left`);
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  wideUint(): bigint {
    const first = this.take(1)[0] as number;
    if (first < 128) return BigInt(first);
    if (256 - first > 8) throw new GobError('a number of more than eight bytes');
    return BigInt(`0x${Buffer.from(this.take(256 - first)).toString('hex')}`);
  }

  /** A count, a length, a delta: a number that memory can hold. */
  uint(): number {
    const value = this.wideUint();
    if (value > 0x7fff_ffffn) throw new GobError(`a count of ${value}`);
    return Number(value);
  }

  wideInt(): bigint {
    const value = this.wideUint();
    return value & 1n ? ~(value >> 1n) : value >> 1n;
  }

  int(): number {
    return Number(this.wideInt());
  }

  float(): number {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(this.wideUint());
    return bytes.readDoubleLE();
  }

  bytes(): Uint8Array {
    return this.take(this.uint());
  }

  text(): string {
    return Buffer.from(this.bytes()).toString();
  }
}
