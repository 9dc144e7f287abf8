/** One code point of the text fits. */
type Token = (char: string) => boolean;

/** What stands between two stars of a pattern. */
interface Chunk {
  /** Any text without a slash may come before it. */
  readonly star: boolean;
  readonly tokens: readonly Token[];
}

const cache = new Map<string, readonly Chunk[] | undefined>();
const cacheLimit = 1_000;

/**
 * Go's `path/filepath.Match`: `*` and `?` do not cross `/`, a set may; no alternatives; a pattern that does not parse matches
 * nothing. The first place that fits a part between two stars is kept, as in Go: the time is at most that of length times length.
 */
export function matchPath(pattern: string, text: string): boolean {
  const chunks = chunksOf(pattern);
  if (!chunks) return false;
  const chars = [...text];
  let at = 0;
  for (const [index, chunk] of chunks.entries()) {
    const found = place(chunk, { chars, from: at, last: index === chunks.length - 1 });
    if (found === undefined) return false;
    at = found;
  }
  return at === chars.length;
}

/** Where the text goes on after the chunk; undefined where it fits nowhere. */
function place(
  { star, tokens }: Chunk,
  { chars, from, last }: { chars: readonly string[]; from: number; last: boolean },
): number | undefined {
  for (let at = from; at + tokens.length <= chars.length; at += 1) {
    const end = at + tokens.length;
    if ((!last || end === chars.length) && tokens.every((fits, index) => fits(chars[at + index] as string))) return end;
    if (!star || chars[at] === '/') return undefined;
  }
  return undefined;
}

function chunksOf(pattern: string): readonly Chunk[] | undefined {
  if (cache.has(pattern)) return cache.get(pattern);
  const chunks = parse([...pattern]);
  if (cache.size >= cacheLimit) cache.clear();
  cache.set(pattern, chunks);
  return chunks;
}

/** Undefined for what is no pattern. */
function parse(chars: readonly string[]): Chunk[] | undefined {
  const chunks: { star: boolean; tokens: Token[] }[] = [{ star: false, tokens: [] }];
  for (let at = 0; at < chars.length; at += 1) {
    const { tokens } = chunks.at(-1) as { tokens: Token[] };
    const char = chars[at] as string;
    if (char === '*') {
      chunks.push({ star: true, tokens: [] });
      while (chars[at + 1] === '*') at += 1;
    } else if (char === '?') tokens.push((one) => one !== '/');
    else if (char === '[') {
      const set = parseSet(chars, at + 1);
      if (!set) return undefined;
      tokens.push(set.token);
      at = set.end;
    } else {
      if (char === '\\') at += 1;
      const wanted = chars[at];
      if (wanted === undefined) return undefined;
      tokens.push((one) => one === wanted);
    }
  }
  return chunks;
}

/** A set after its `[`; `end` is where its `]` stands. Undefined for what is none. */
function parseSet(chars: readonly string[], start: number): { token: Token; end: number } | undefined {
  const negated = chars[start] === '^';
  const ranges: [low: number, high: number][] = [];
  let at = negated ? start + 1 : start;
  while (chars[at] !== ']' || ranges.length === 0) {
    const low = memberAt(chars, at);
    const high = low && chars[low.next] === '-' ? memberAt(chars, low.next + 1) : low;
    if (!low || !high) return undefined;
    ranges.push([low.code, high.code]);
    at = high.next;
  }
  const token = (char: string) => {
    const code = char.codePointAt(0) as number;
    return ranges.some(([low, high]) => low <= code && code <= high) !== negated;
  };
  return { token, end: at };
}

function memberAt(chars: readonly string[], at: number): { code: number; next: number } | undefined {
  const escaped = chars[at] === '\\';
  const char = chars[escaped ? at + 1 : at];
  if (char === undefined || (!escaped && (char === '-' || char === ']'))) return undefined;
  return { code: char.codePointAt(0) as number, next: escaped ? at + 2 : at + 1 };
}
