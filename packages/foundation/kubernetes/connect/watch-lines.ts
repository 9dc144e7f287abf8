/** The lines of a byte stream, without their newline; a last line without newline counts. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Buffer[] = [];
  for await (const part of chunks) {
    const chunk = Buffer.isBuffer(part) ? part : Buffer.from(part);
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const tail = chunk.subarray(start, end);
      start = end + 1;
      if (rest.length === 0) {
        if (tail.length > 0) yield tail.toString('utf8');
        continue;
      }
      rest.push(tail);
      const line = Buffer.concat(rest).toString('utf8');
      rest = [];
      yield line;
    }
    if (start < chunk.length) rest.push(chunk.subarray(start));
  }
  const last = Buffer.concat(rest).toString('utf8');
  if (last) yield last;
}
