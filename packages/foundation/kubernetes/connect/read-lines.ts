/** How long a line may be, in bytes, and what becomes of one that is longer. */
export interface LineBounds {
  readonly longest: number;
  /** Parts of it are lines, cut between characters; or the stream fails with this. */
  readonly longer: 'parts' | (() => Error);
}

/** Lines of logs come whole up to here. */
const logBounds: LineBounds = { longest: 1 << 20, longer: 'parts' };

/**
 * The lines of a byte stream, without their newline; a last line without newline counts. Never more than the longest line is kept, in
 * time linear in what comes.
 */
export async function* readLines(
  chunks: AsyncIterable<Uint8Array>,
  { longest, longer }: LineBounds = logBounds,
): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const part of chunks) {
    let chunk = Buffer.isBuffer(part) ? part : Buffer.from(part);
    while (chunk.length > 0) {
      const end = chunk.indexOf(10);
      const tail = end < 0 ? chunk : chunk.subarray(0, end);
      if (length + tail.length > longest) {
        if (longer !== 'parts') throw longer();
        const line = Buffer.concat([...rest, tail.subarray(0, longest - length)]);
        const cut = characterStart(line);
        yield line.toString('utf8', 0, cut);
        chunk = chunk.subarray(longest - length);
        rest = cut < line.length ? [line.subarray(cut)] : [];
        length = line.length - cut;
        continue;
      }
      if (end < 0) {
        rest.push(chunk);
        length += chunk.length;
        break;
      }
      yield rest.length === 0 ? tail.toString('utf8') : Buffer.concat([...rest, tail]).toString('utf8');
      rest = [];
      length = 0;
      chunk = chunk.subarray(end + 1);
    }
  }
  if (length > 0) yield Buffer.concat(rest).toString('utf8');
}

/** Where the last character of a text begins that may go on behind it; the end of a text that ends with a whole one. */
function characterStart(text: Buffer): number {
  for (let back = 1; back <= 3 && back < text.length; back += 1) {
    const byte = text[text.length - back] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return size > back ? text.length - back : text.length;
  }
  return text.length;
}
