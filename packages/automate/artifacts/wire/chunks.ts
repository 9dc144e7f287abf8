import type { Readable } from 'node:stream';

/** A stream cut into pieces of `size` bytes, the last one shorter; of an empty stream one empty piece. One is in memory at a time. */
export async function* chunksOf(content: Readable, size: number): AsyncIterable<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  let given = 0;
  for await (const piece of content as AsyncIterable<Buffer | string>) {
    let rest = Buffer.from(piece as Buffer);
    while (length + rest.length >= size) {
      const missing = size - length;
      yield Buffer.concat([...waiting, rest.subarray(0, missing)]);
      given += 1;
      rest = rest.subarray(missing);
      waiting = [];
      length = 0;
    }
    if (rest.length === 0) continue;
    waiting.push(rest);
    length += rest.length;
  }
  if (length > 0 || given === 0) yield Buffer.concat(waiting);
}
