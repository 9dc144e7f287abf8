import { formatFloat, formatJsonFloat } from '../text/format-float.ts';
import { compareKeys } from './compare-keys.ts';
import { Emitter } from './emitter.ts';
import { isMultiline, styleOf } from './scalar-style.ts';

/** What can be printed: JSON values, maps for objects, and bigints for integers. */
/** A scalar that is printed as it is. */
export class PlainScalar {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type Printable =
  | null
  | undefined
  | boolean
  | number
  | bigint
  | string
  | PlainScalar
  | readonly Printable[]
  | ReadonlyMap<string, Printable>
  | { readonly [key: string]: Printable };

export interface PrintOptions {
  /**
   * `v2` if not given: as sigs.k8s.io/yaml and `toYaml` print (lists not indented, folded at 80 columns, numbers by way
   * of JSON). `v3`: as `toYamlPretty` prints.
   */
  readonly dialect?: 'v2' | 'v3';
  /** Is told where each key and scalar, in the order in which they are printed, landed. */
  readonly observer?: PrintObserver;
}

/** Ranges are offsets in the text, in UTF-16 units; a space or line break before the scalar may be inside. */
export interface PrintObserver {
  /** The value under a key or index follows, until `leave`. */
  enter(step: string | number): void;
  leave(): void;
  /** The key of what was entered last. */
  key(start: number, end: number): void;
  scalar(start: number, end: number): void;
}

/** The YAML of a value with a newline at its end, to the byte as Helm prints it; keys are sorted. */
export function printYaml(value: Printable, options: PrintOptions = {}): string {
  const printer = new Printer(options.dialect === 'v3' ? 3 : 2, options.observer);
  return printer.print(value);
}

const infinite = 2 ** 31 - 1;

/** True for digits that Go reads into an int64 or uint64. */
function isInteger(digits: string): boolean {
  return digits.length < 19 || (BigInt(digits) < 2n ** 64n && BigInt(digits) >= -(2n ** 63n));
}

class Printer {
  readonly #dialect: 2 | 3;
  readonly #out: Emitter;
  readonly #observer: PrintObserver | undefined;

  constructor(dialect: 2 | 3, observer: PrintObserver | undefined) {
    this.#dialect = dialect;
    this.#observer = observer;
    this.#out = new Emitter(dialect === 2 ? 80 : infinite);
  }

  print(value: Printable): string {
    this.#node(value, -1, 'root');
    this.#out.indent(0);
    return this.#out.text();
  }

  #node(value: Printable, indent: number, context: 'root' | 'list' | 'map'): void {
    const start = this.#out.length;
    this.#value(value, indent, context);
    if (
      this.#observer &&
      (typeof value !== 'object' || value === null || value instanceof PlainScalar || isEmpty(value))
    )
      this.#observer.scalar(start, this.#out.length);
  }

  #value(value: Printable, indent: number, context: 'root' | 'list' | 'map'): void {
    if (typeof value === 'string') {
      this.#out.scalar(value, styleOf(value, false, this.#dialect), indent < 0 ? 2 : indent + 2, true);
    } else if (value === null || value === undefined) this.#word('null');
    else if (value instanceof PlainScalar) this.#word(value.text);
    else if (typeof value === 'object') this.#collection(value, indent, context);
    else if (typeof value === 'number') this.#word(this.#number(value));
    else this.#word(String(value));
  }

  #word(text: string): void {
    this.#out.scalar(text, 'plain', 0, false);
  }

  #number(value: number): string {
    if (this.#dialect === 2) {
      const json = formatJsonFloat(value);
      // What JSON writes as an integer is read back as one.
      if (!/[.e]/.test(json) && isInteger(json)) return json === '-0' ? '0' : json;
    }
    const text = formatFloat(value);
    return text === '+Inf' ? '.inf' : text === '-Inf' ? '-.inf' : text === 'NaN' ? '.nan' : text;
  }

  #collection(
    value: Exclude<Printable, string | null | undefined | boolean | number | bigint | PlainScalar>,
    indent: number,
    context: 'root' | 'list' | 'map',
  ): void {
    if (Array.isArray(value)) {
      this.#list(value, indent, context);
      return;
    }
    const entries = value instanceof Map ? [...(value as Map<string, Printable>)] : Object.entries(value);
    if (entries.length === 0) {
      this.#empty('{', '}');
      return;
    }
    entries.sort(([a], [b]) => compareKeys(a, b, this.#dialect));
    const inner = indent < 0 ? 0 : indent + 2;
    for (const [key, item] of entries) {
      this.#out.indent(inner);
      const start = this.#out.length;
      this.#observer?.enter(key);
      this.#key(key, inner);
      this.#observer?.key(start, this.#out.length);
      this.#node(item, inner, 'map');
      this.#observer?.leave();
    }
    return;
  }

  #key(key: string, indent: number): void {
    if (!isMultiline(key) && Buffer.byteLength(key) <= 128) {
      this.#out.scalar(key, styleOf(key, true, this.#dialect), indent + 2, false);
      this.#out.indicator(':', { space: false, isSpace: false, isIndention: false });
      return;
    }
    this.#out.indicator('?', { space: true, isSpace: false, isIndention: true });
    this.#out.scalar(key, styleOf(key, false, this.#dialect), indent + 2, true);
    this.#out.indent(indent);
    this.#out.indicator(':', { space: true, isSpace: false, isIndention: true });
  }

  #list(items: readonly Printable[], indent: number, context: 'root' | 'list' | 'map'): void {
    if (items.length === 0) {
      this.#empty('[', ']');
      return;
    }
    const flush = this.#dialect === 2 && context === 'map' && !this.#out.indention;
    const inner = indent < 0 ? 0 : flush ? indent : indent + 2;
    for (let i = 0; i < items.length; i++) {
      this.#out.indent(inner);
      this.#out.indicator('-', { space: true, isSpace: false, isIndention: true });
      this.#observer?.enter(i);
      this.#node(items[i], inner, 'list');
      this.#observer?.leave();
    }
    return;
  }

  #empty(open: string, close: string): void {
    this.#out.indicator(open, { space: true, isSpace: true, isIndention: false });
    this.#out.indicator(close, { space: false, isSpace: false, isIndention: false });
  }
}

function isEmpty(value: object): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map ? value.size === 0 : Object.keys(value).length === 0;
}
