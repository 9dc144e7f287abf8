/**
 * `fmt.Sprintf` of Go with one whole number, as far as `withSequence.format` uses it: flags `-+ 0#`, width, precision and the
 * verbs d, b, o, O, x, X, c, q, U, v, s. A verb that does not fit a number gives Go's `%!verb(int=…)`.
 */
export function formatNumber(format: string, number: number): string {
  let used = false;
  const text = format.replace(/%([-+ 0#]{0,5})(\d{0,3})(?:\.(\d{0,3}))?(.?)/gu, (_, flags, width, precision, verb) => {
    if (verb === '%') return '%';
    if (verb === '') return '%!(NOVERB)';
    if (used) return `%!${verb}(BADINDEX)`;
    used = true;
    return pad(digits({ verb, flags, precision, number }), { flags, width: Number(width || 0), precision });
  });
  return used ? text : `${text}%!(EXTRA int=${number})`;
}

interface Verb {
  readonly verb: string;
  readonly flags: string;
  readonly precision: string | undefined;
  readonly number: number;
}

function digits({ verb, flags, precision, number }: Verb): string {
  const size = Math.abs(number);
  const sign = number < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const hash = flags.includes('#');
  const whole = (text: string, prefix = '') => sign + prefix + text.padStart(Number(precision ?? 0), '0');
  switch (verb) {
    case 'd':
    case 'v':
      return whole(String(size));
    case 'b':
      return whole(size.toString(2), hash ? '0b' : '');
    case 'o':
      return whole(size.toString(8), hash ? '0' : '');
    case 'O':
      return whole(size.toString(8), '0o');
    case 'x':
      return whole(size.toString(16), hash ? '0x' : '');
    case 'X':
      return whole(size.toString(16).toUpperCase(), hash ? '0X' : '');
    case 'c':
      return String.fromCodePoint(size);
    case 'q':
      return `'${String.fromCodePoint(size)}'`;
    case 'U':
      return `U+${size.toString(16).toUpperCase().padStart(4, '0')}`;
    default:
      return `%!${verb}(int=${number})`;
  }
}

function pad(
  text: string,
  { flags, width, precision }: { flags: string; width: number; precision: string | undefined },
): string {
  if (text.length >= width) return text;
  if (flags.includes('-')) return text.padEnd(width);
  if (!flags.includes('0') || precision !== undefined) return text.padStart(width);
  const sign = /^[-+ ]/.exec(text)?.[0] ?? '';
  return sign + text.slice(sign.length).padStart(width - sign.length, '0');
}
