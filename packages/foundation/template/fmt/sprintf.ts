import { integerOf, typeOf, type Value } from '../value/value.ts';
import { ValueFormatter } from './value-formatter.ts';

/** Is told where in the text an argument, by its index, was written. */
export type ArgumentWritten = (index: number, start: number, written: string) => void;

/**
 * Go's `fmt.Sprintf`. `limit`, if given, sees the size of the text while it grows and may throw; `onArgument` is told
 * of every argument that is printed.
 */
export function sprintf(
  format: string,
  args: readonly Value[],
  limit?: (units: number) => void,
  onArgument?: ArgumentWritten,
): string {
  return new Printer(format, args, limit, onArgument).print();
}

/** The largest width, precision and argument number that fmt accepts. */
const largest = 1_000_000;

class Printer {
  readonly #format: string;
  readonly #args: readonly Value[];
  readonly #limit: ((units: number) => void) | undefined;
  readonly #onArgument: ArgumentWritten | undefined;
  readonly #f = new ValueFormatter();
  #at = 0;
  #next = 0;
  #isReordered = false;
  #isGoodIndex = true;
  #isAfterIndex = false;

  constructor(
    format: string,
    args: readonly Value[],
    limit: ((units: number) => void) | undefined,
    onArgument: ArgumentWritten | undefined,
  ) {
    this.#format = format;
    this.#args = args;
    this.#limit = limit;
    this.#onArgument = onArgument;
  }

  print(): string {
    const format = this.#format;
    while (this.#at < format.length) {
      this.#isGoodIndex = true;
      const percent = format.indexOf('%', this.#at);
      const end = percent < 0 ? format.length : percent;
      this.#f.out += format.slice(this.#at, end);
      if (percent < 0) break;
      this.#at = percent + 1;
      this.#f.clear();
      this.#readFlags();
      if (!this.#simple()) this.#directive();
      this.#limit?.(this.#f.out.length);
    }
    if (!this.#isReordered && this.#next < this.#args.length) this.#extra();
    return this.#f.out;
  }

  #readFlags(): void {
    const f = this.#f;
    for (; ; this.#at++) {
      switch (this.#format[this.#at]) {
        case '#':
          f.sharp = true;
          continue;
        case '0':
          f.zero = true;
          continue;
        case '+':
          f.plus = true;
          continue;
        case '-':
          f.minus = true;
          continue;
        case ' ':
          f.space = true;
          continue;
      }
      return;
    }
  }

  /** A small letter right after the flags. */
  #simple(): boolean {
    const verb = this.#format[this.#at];
    if (verb === undefined || verb < 'a' || verb > 'z' || this.#next >= this.#args.length) return false;
    this.#at++;
    this.#argument(verb);
    return true;
  }

  #argument(verb: string): void {
    const f = this.#f;
    if (verb === 'v' || verb === 'w') {
      f.sharpV = f.sharp;
      f.sharp = false;
      f.plusV = f.plus;
      f.plus = false;
    }
    const index = this.#next++;
    const start = f.out.length;
    f.argument(this.#args[index], verb);
    this.#onArgument?.(index, start, f.out.slice(start));
  }

  #directive(): void {
    const f = this.#f;
    this.#isAfterIndex = false;
    this.#index();
    this.#width();
    if (this.#format[this.#at] === '.' && this.#at + 1 < this.#format.length) this.#precision();
    if (!this.#isAfterIndex) this.#index();
    const code = this.#format.codePointAt(this.#at);
    if (code === undefined) {
      f.out += '%!(NOVERB)';
      return;
    }
    const verb = String.fromCodePoint(code);
    this.#at += verb.length;
    if (verb === '%') f.out += '%';
    else if (!this.#isGoodIndex) f.out += `%!${verb}(BADINDEX)`;
    else if (this.#next >= this.#args.length) f.out += `%!${verb}(MISSING)`;
    else this.#argument(verb);
  }

  #width(): void {
    const f = this.#f;
    if (this.#format[this.#at] === '*') {
      this.#at++;
      const width = this.#integerArgument();
      if (width === undefined) f.out += '%!(BADWIDTH)';
      else {
        f.width = Math.abs(width);
        if (width < 0) {
          f.minus = true;
          f.zero = false;
        }
      }
      this.#isAfterIndex = false;
      return;
    }
    f.width = this.#number();
    if (this.#isAfterIndex && f.width !== undefined) this.#isGoodIndex = false;
  }

  #precision(): void {
    const f = this.#f;
    this.#at++;
    if (this.#isAfterIndex) this.#isGoodIndex = false;
    this.#index();
    if (this.#format[this.#at] === '*') {
      this.#at++;
      const precision = this.#integerArgument();
      if (precision === undefined || precision < 0) f.out += '%!(BADPREC)';
      else f.precision = precision;
      this.#isAfterIndex = false;
      return;
    }
    f.precision = this.#number() ?? 0;
  }

  /** Digits; a number that is too large ends the format, as in Go. */
  #number(): number | undefined {
    const digits = /^[0-9]*/.exec(this.#format.slice(this.#at, this.#at + 20))?.[0] ?? '';
    this.#at += digits.length;
    if (digits === '') return undefined;
    if (Number(digits.slice(0, -1)) > largest || digits.length > 9) {
      this.#at = this.#format.length;
      return undefined;
    }
    return Number(digits);
  }

  #integerArgument(): number | undefined {
    if (this.#next >= this.#args.length) return undefined;
    const value = integerOf(this.#args[this.#next++]);
    return value === undefined || value > BigInt(largest) || value < BigInt(-largest) ? undefined : Number(value);
  }

  /** `[n]`: the n-th argument is the next. */
  #index(): void {
    this.#isAfterIndex = false;
    if (this.#format[this.#at] !== '[') return;
    this.#isReordered = true;
    const rest = this.#format.slice(this.#at);
    const close = rest.length < 3 ? -1 : rest.indexOf(']');
    if (close < 0) {
      this.#at++;
      this.#isGoodIndex = false;
      return;
    }
    this.#at += close + 1;
    const text = rest.slice(1, close);
    const isNumber = /^[0-9]{1,7}$/.test(text);
    if (isNumber && Number(text) >= 1 && Number(text) <= this.#args.length) {
      this.#next = Number(text) - 1;
      this.#isAfterIndex = true;
      return;
    }
    this.#isGoodIndex = false;
    this.#isAfterIndex = isNumber;
  }

  #extra(): void {
    const f = this.#f;
    f.clear();
    f.out += '%!(EXTRA ';
    for (const [i, arg] of this.#args.slice(this.#next).entries()) {
      if (i > 0) f.out += ', ';
      const type = typeOf(arg);
      if (!type) f.out += '<nil>';
      else {
        f.out += `${type.name}=`;
        f.argument(arg, 'v');
      }
    }
    f.out += ')';
  }
}
