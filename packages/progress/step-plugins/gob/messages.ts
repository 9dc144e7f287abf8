import { GobError } from './bytes.ts';

/** Answers of plugins are small; more is refused. */
const maxMessage = 64 * 1024 * 1024;

/** Cuts a stream of bytes into the messages of gob. */
export class GobMessages {
  #pending: Buffer = Buffer.alloc(0);

  /** The messages that are complete with these bytes. */
  *push(bytes: Uint8Array): Iterable<Uint8Array> {
    this.#pending = Buffer.concat([this.#pending, bytes]);
    for (let next = this.#take(); next; next = this.#take()) yield next;
  }

  #take(): Uint8Array | undefined {
    const [first] = this.#pending;
    if (first === undefined) return undefined;
    const width = first < 128 ? 0 : 256 - first;
    if (width > 8) throw new GobError('a length of more than eight bytes');
    if (this.#pending.length < 1 + width) return undefined;
    const length = width === 0 ? first : Number(`0x${this.#pending.subarray(1, 1 + width).toString('hex')}`);
    if (length > maxMessage) throw new GobError(`a message of ${length} bytes`);
    const end = 1 + width + length;
    if (this.#pending.length < end) return undefined;
    const message = this.#pending.subarray(1 + width, end);
    this.#pending = this.#pending.subarray(end);
    return message;
  }
}
