import { formatDuration } from '@tiphys/go';
import { charge, limitText } from '../bounds/active-budget.ts';
import { sortedEntries } from '../value/sorted-entries.ts';
import { bytesType, type GoType } from '../value/type.ts';
import {
  elementsOf,
  GoComplex,
  GoError,
  GoFloat32,
  GoFunction,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  integerOf,
  typeOf,
  type Value,
} from '../value/value.ts';
import { dayNames, monthNames } from './calendar-names.ts';
import { TextFormatter } from './text-formatter.ts';

/** Where fmt prints an address, which no two runs have in common. */
const address = 0xc000012345n;
const maxDepth = 1000;

/** The part of Go's fmt that prints values: one verb with its flags at a time. */
export class ValueFormatter extends TextFormatter {
  #erroring = false;

  /** An argument of Printf. */
  argument(value: Value, verb: string): void {
    if (value === null || value === undefined) {
      if (verb === 'T' || verb === 'v') this.pad('<nil>');
      else this.out += `%!${verb}(<nil>)`;
      return;
    }
    if (verb === 'T') this.string((typeOf(value) as GoType).name);
    else if (verb === 'p') this.#pointer(value, verb);
    else if (value instanceof Uint8Array) this.#bytes(value, verb, '[]byte', 0);
    else this.#value(value, verb, 0);
  }

  #bad(value: Value, verb: string): void {
    this.#erroring = true;
    this.out += `%!${verb}(`;
    const type = typeOf(value);
    if (type) {
      this.out += `${type.name}=`;
      this.argument(value, 'v');
    } else this.out += '<nil>';
    this.out += ')';
    this.#erroring = false;
  }

  /** What `Error`, `String` and `GoString` methods print; true if they did. */
  #methods(value: Value, verb: string): boolean {
    if (this.#erroring) return false;
    if (verb === 'w') {
      this.#bad(value, verb);
      return true;
    }
    if (this.sharpV) {
      const syntax = value instanceof GoStruct ? value.toGoSyntax() : undefined;
      if (syntax === undefined) return false;
      this.string(syntax);
      return true;
    }
    if (!['v', 's', 'x', 'X', 'q'].includes(verb)) return false;
    const text = textOfMethod(value);
    if (text === undefined) return false;
    this.#string(text, verb, value);
    return true;
  }

  #value(value: Value, verb: string, depth: number): void {
    charge();
    limitText(this.out.length);
    if (depth > maxDepth) {
      this.out += '...';
      return;
    }
    if (value === null || value === undefined) {
      this.out += this.sharpV ? 'interface {}(nil)' : '<nil>';
      return;
    }
    const isPlain = depth === 0 && (typeof value !== 'object' || (value instanceof GoInt && !value.type.named));
    if (!isPlain && this.#methods(value, verb)) return;
    if (typeof value === 'string') this.#string(value, verb, value);
    else if (typeof value === 'number') this.#float(value, 64, verb, value);
    else if (typeof value === 'boolean') {
      if (verb === 't' || verb === 'v') this.pad(String(value));
      else this.#bad(value, verb);
    } else if (value instanceof Map || value instanceof GoMap) this.#map(value, verb, depth);
    else if (value instanceof GoString) this.#string(value.value, verb, value);
    else if (value instanceof GoFloat32) this.#float(value.value, 32, verb, value);
    else if (value instanceof GoComplex) this.#complex(value, verb);
    else if (value instanceof GoStruct) this.#struct(value, verb, depth);
    else if (value instanceof GoError) this.#error(value, verb, depth);
    else if (value instanceof GoNil || value instanceof GoFunction) this.#pointer(value, verb);
    else {
      const integer = integerOf(value);
      if (integer !== undefined) this.#integer(integer, verb, value);
      else this.#list(value as Value[] | GoSlice | Uint8Array, verb, depth);
    }
  }

  #string(text: string, verb: string, value: Value): void {
    if (verb === 's' || (verb === 'v' && !this.sharpV)) this.string(text);
    else if (verb === 'q' || verb === 'v') this.quoted(text);
    else if (verb === 'x' || verb === 'X') this.hex(text, verb === 'X');
    else this.#bad(value, verb);
  }

  #float(number: number, bits: 32 | 64, verb: string, value: Value): void {
    switch (verb) {
      case 'v':
        this.float(number, bits, 'g', -1);
        return;
      case 'b':
      case 'g':
      case 'G':
      case 'x':
      case 'X':
        this.float(number, bits, verb, -1);
        return;
      case 'f':
      case 'e':
      case 'E':
        this.float(number, bits, verb, 6);
        return;
      case 'F':
        this.float(number, bits, 'f', 6);
        return;
    }
    this.#bad(value, verb);
  }

  #complex(value: GoComplex, verb: string): void {
    if (!'vbgGxXfFeE'.includes(verb)) {
      this.#bad(value, verb);
      return;
    }
    const { plus } = this;
    this.out += '(';
    this.#float(value.real, 64, verb, value);
    this.plus = true;
    this.#float(value.imaginary, 64, verb, value);
    this.out += 'i)';
    this.plus = plus;
  }

  #integer(integer: bigint, verb: string, value: Value): void {
    switch (verb) {
      case 'v':
        if (this.sharpV && typeOf(value)?.kind.startsWith('u')) this.#hexNumber(integer, true);
        else this.integer(integer, 10, verb);
        return;
      case 'd':
        this.integer(integer, 10, verb);
        return;
      case 'b':
        this.integer(integer, 2, verb);
        return;
      case 'o':
      case 'O':
        this.integer(integer, 8, verb);
        return;
      case 'x':
      case 'X':
        this.integer(integer, 16, verb, verb === 'X');
        return;
      case 'c':
        this.character(integer);
        return;
      case 'q':
        this.quotedCharacter(integer);
        return;
      case 'U':
        this.unicode(integer);
        return;
    }
    this.#bad(value, verb);
  }

  #hexNumber(value: bigint, prefix: boolean): void {
    const { sharp } = this;
    this.sharp = prefix;
    this.integer(value, 16, 'v');
    this.sharp = sharp;
  }

  #bytes(bytes: Uint8Array, verb: string, typeName: string, depth: number): void {
    switch (verb) {
      case 'v':
      case 'd': {
        this.out += this.sharpV ? `${typeName}{` : '[';
        for (const [i, byte] of bytes.entries()) {
          if (i > 0) this.out += this.sharpV ? ', ' : ' ';
          if (this.sharpV) this.#hexNumber(BigInt(byte), true);
          else this.integer(BigInt(byte), 10, verb);
        }
        this.out += this.sharpV ? '}' : ']';
        return;
      }
      case 's':
        this.string(Buffer.from(bytes).toString());
        return;
      case 'q':
        this.quoted(Buffer.from(bytes).toString());
        return;
      case 'x':
      case 'X':
        this.hex(bytes, verb === 'X');
        return;
    }
    this.#items(elementsOf(bytes) as readonly Value[], bytesType, verb, depth);
  }

  #list(value: Value[] | GoSlice | Uint8Array, verb: string, depth: number): void {
    const type = typeOf(value) as GoType;
    if (value instanceof Uint8Array && ['s', 'q', 'x', 'X'].includes(verb)) this.#bytes(value, verb, type.name, depth);
    else if (this.sharpV && value instanceof GoSlice && value.nil)
      this.out += `${type === bytesType && depth === 0 ? '[]byte' : type.name}(nil)`;
    else if (value instanceof Uint8Array && verb === 'v' && this.#isBare()) this.#byteNumbers(value);
    else this.#items(elementsOf(value) as readonly Value[], type, verb, depth);
  }

  /** True if the directive has nothing but its verb. */
  #isBare(): boolean {
    return !(
      this.plus ||
      this.minus ||
      this.sharp ||
      this.space ||
      this.zero ||
      this.plusV ||
      this.sharpV ||
      this.width !== undefined ||
      this.precision !== undefined
    );
  }

  /** Bytes as a list of numbers: what printing `.Files` and so a chart's whole data comes to. */
  #byteNumbers(bytes: Uint8Array): void {
    charge(bytes.length >>> 4);
    limitText(this.out.length + 2 * bytes.length);
    this.out += `[${bytes.join(' ')}]`;
  }

  #items(items: readonly Value[], type: GoType, verb: string, depth: number): void {
    this.out += this.sharpV ? `${type.name}{` : '[';
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.out += this.sharpV ? ', ' : ' ';
      this.#value(items[i], verb, depth + 1);
    }
    this.out += this.sharpV ? '}' : ']';
  }

  #map(value: Map<string, Value> | GoMap, verb: string, depth: number): void {
    const { name } = typeOf(value) as GoType;
    if (this.sharpV && value instanceof GoMap && value.nil) {
      this.out += `${name}(nil)`;
      return;
    }
    this.out += this.sharpV ? `${name}{` : 'map[';
    for (const [i, [key, item]] of sortedEntries(value).entries()) {
      if (i > 0) this.out += this.sharpV ? ', ' : ' ';
      this.#value(key, verb, depth + 1);
      this.out += ':';
      this.#value(item, verb, depth + 1);
    }
    this.out += this.sharpV ? '}' : ']';
  }

  #struct(value: GoStruct, verb: string, depth: number): void {
    const isPointer = value.type.kind === 'ptr';
    if (isPointer && depth > 0) {
      this.#pointer(value, verb);
      return;
    }
    const type = isPointer ? (value.type.elem as GoType) : value.type;
    this.out += `${isPointer ? '&' : ''}${this.sharpV ? type.name : ''}{`;
    for (const [i, [name, item]] of [...value.fields].entries()) {
      if (i > 0) this.out += this.sharpV ? ', ' : ' ';
      if (this.plusV || this.sharpV) this.out += `${name}:`;
      this.#value(item, verb, depth + 1);
    }
    this.out += '}';
  }

  #error(value: GoError, verb: string, depth: number): void {
    if (depth > 0) {
      this.#pointer(value, verb);
      return;
    }
    this.out += this.sharpV ? `&${value.type.elem?.name ?? value.type.name}{` : '&{';
    if (this.sharpV || this.plusV) this.out += 's:';
    this.#string(value.message, verb, value.message);
    this.out += '}';
  }

  #pointer(value: Value, verb: string): void {
    const type = typeOf(value) as GoType;
    if (!['ptr', 'map', 'slice', 'func'].includes(type.kind)) {
      this.#bad(value, verb);
      return;
    }
    const isNil = value instanceof GoNil || ((value instanceof GoMap || value instanceof GoSlice) && value.nil);
    const at = isNil ? 0n : address;
    if (verb === 'v') {
      if (this.sharpV) this.out += `(${type.name})(${isNil ? 'nil' : `0x${at.toString(16)}`})`;
      else if (isNil) this.pad('<nil>');
      else this.#hexNumber(at, !this.sharp);
    } else if (verb === 'p') this.#hexNumber(at, !this.sharp);
    else if ('bodxX'.includes(verb))
      this.#integer(at, verb, new GoInt({ name: 'uintptr', kind: 'uintptr', named: false }, at));
    else this.#bad(value, verb);
  }
}

/** What the value's `Error` or `String` method gives, if its type has one. */
export function textOfMethod(value: Value): string | undefined {
  if (value instanceof GoError) return value.message;
  if (value instanceof GoStruct) return value.toGoString();
  if (!(value instanceof GoInt) || !value.type.named) return undefined;
  switch (value.type.name) {
    case 'time.Duration':
      return formatDuration(value.value);
    case 'time.Month':
      return monthNames[Number(value.value) - 1];
    case 'time.Weekday':
      return dayNames[Number(value.value)];
  }
  return undefined;
}
