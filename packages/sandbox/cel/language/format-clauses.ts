/** A piece of a format: text as it is, a clause for a value, or what is wrong with a clause. */
export type FormatPiece =
  | { readonly text: string }
  | { readonly kind: string; readonly precision: number | undefined; readonly problem?: undefined }
  | { readonly problem: string };

interface ClauseRule {
  /** Said about values that do not fit. */
  readonly text: string;
  /** The types that the checker takes for it. */
  readonly statically: readonly string[];
}

const HEX: ClauseRule = {
  text: 'only integers, byte buffers, and strings can be formatted as hex',
  statically: ['int', 'uint', 'string', 'bytes'],
};

/** The clauses of `format`, by their letters. */
export const CLAUSES: Readonly<Record<string, ClauseRule>> = {
  s: {
    text: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
    statically: [
      ...['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
    ],
  },
  d: { text: 'decimal clause can only be used on integers', statically: ['int', 'uint'] },
  // Texts may be NaN or Infinity.
  f: { text: 'fixed-point clause can only be used on doubles', statically: ['double', 'string'] },
  e: { text: 'scientific clause can only be used on doubles', statically: ['double', 'string'] },
  b: { text: 'only integers and bools can be formatted as binary', statically: ['int', 'uint', 'bool'] },
  o: { text: 'octal clause can only be used on integers', statically: ['int', 'uint'] },
  x: HEX,
  X: HEX,
};

/** The pieces of a format, up to the first mistake. */
export function* formatClauses(format: string): Generator<FormatPiece> {
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent < 0) {
      yield { text: format.slice(at) };
      return;
    }
    if (percent > at) yield { text: format.slice(at, percent) };
    if (format[percent + 1] === '%') {
      yield { text: '%' };
      at = percent + 2;
      continue;
    }
    const clause = clauseAt(format, percent + 1);
    yield clause.piece;
    if (clause.end === undefined) return;
    at = clause.end;
  }
}

function clauseAt(format: string, start: number): { piece: FormatPiece; end?: number } {
  const prefix = 'could not parse formatting clause';
  if (start >= format.length) return { piece: { problem: 'unexpected end of string' } };
  const [, dot, digits = ''] = /^(\.?)(\d*)/.exec(dotted(format, start)) ?? [];
  const letter = start + (dot ? 1 + digits.length : 0);
  const wrong = (text: string) => ({ piece: { problem: `${prefix}: error while parsing precision: ${text}` } });
  if (dot && letter >= format.length) return wrong('could not find end of precision specifier');
  if (dot && digits === '')
    return wrong('error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax');
  const kind = format[letter] as string;
  if (!CLAUSES[kind])
    return { piece: { problem: `${prefix}: unrecognized formatting clause ${JSON.stringify(kind)}` } };
  return { piece: { kind, precision: dot ? Number(digits) : undefined }, end: letter + 1 };
}

/** The text from there, if a precision begins there. */
const dotted = (format: string, start: number): string => (format[start] === '.' ? format.slice(start) : '');
