/** A block scalar as it was found: where the line behind it begins, and what it says, taken from the text when it is asked. */
export interface BlockScalar {
  readonly end: number;
  value(): string;
}

/**
 * The literal block scalar of a block in `column`, from behind its `|` or `>`; undefined where only the whole reader can
 * tell: with an indentation indicator, a comment in its first line, tabs, or leading lines of more blanks than the text.
 */
export function readBlockScalar(text: string, from: number, column: number): BlockScalar | undefined {
  let chomp = text.charCodeAt(from);
  let at = from;
  if (chomp === 0x2d || chomp === 0x2b) at++;
  else chomp = 0;
  while (text.charCodeAt(at) === 0x20) at++;
  if (text.charCodeAt(at) !== 0x0a) return undefined;
  at++;
  let indent = 0;
  let blankWidth = 0;
  const bounds: number[] = [];
  /** Lines that count once a line with text follows, or if they are kept. */
  let blank = 0;
  while (at < text.length) {
    let start = at;
    const limit = indent === 0 ? Number.POSITIVE_INFINITY : at + indent;
    while (start < limit && text.charCodeAt(start) === 0x20) start++;
    const code = text.charCodeAt(start);
    if (code === 0x0a) {
      if (indent === 0) blankWidth = Math.max(blankWidth, start - at);
      blank++;
      at = start + 1;
      continue;
    }
    if (Number.isNaN(code)) {
      at = start;
      break;
    }
    if (indent === 0) {
      if (code === 0x09) return undefined;
      if (start - at <= column) break;
      if (start - at < blankWidth) return undefined;
      indent = start - at;
    } else if (start < limit) {
      if (code === 0x09) return undefined;
      break;
    }
    let end = text.indexOf('\n', start);
    if (end < 0) end = text.length;
    for (; blank > 0; blank--) bounds.push(0, 0);
    bounds.push(start, end);
    at = end + 1;
  }
  if (indent === 0 && chomp === 0x2b) return undefined;
  const isCut = at > text.length || chomp === 0x2d || bounds.length === 0;
  const tail = isCut ? '' : '\n'.repeat(chomp === 0x2b ? blank + 1 : 1);
  const value = () => {
    const lines: string[] = [];
    for (let index = 0; index < bounds.length; index += 2) lines.push(text.slice(bounds[index], bounds[index + 1]));
    return lines.join('\n') + tail;
  };
  return { end: Math.min(at, text.length), value };
}
