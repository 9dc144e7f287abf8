import { goQuote } from '@tiphys/go';
import { GoSlice, mapOfAny, sliceOf, type Value, type ValueMap } from '@tiphys/template';
import { charOrEnd, end, quoteChar, type Token, TomlFault, TomlReader } from './toml-reader.ts';
import { readTomlNumber, readTomlTime } from './toml-scalars.ts';
import { readTomlString } from './toml-string.ts';

/** A text that is not TOML, in the words of Go's decoder. */
export class TomlError extends Error {}

/** A document nested deeper than this is refused. */
const maxDepth = 500;

/** A TOML document as template values: integers are int64, dates are times. */
export function decodeToml(text: string): ValueMap {
  const decoder = new TomlDecoder(text.replace(/^\ufeff/, ''));
  try {
    return decoder.decode();
  } catch (error) {
    if (!(error instanceof TomlFault)) throw error;
    const key = decoder.lastKey;
    const place = `toml: line ${error.line}${key === '' ? '' : ` (last key ${goQuote(key)})`}`;
    throw new TomlError(`${place}: ${error.message}`);
  }
}

/** Tables made by `[[name]]`, the last of which is open. */
class TableList {
  readonly tables: Table[] = [];
}

type Table = Map<string, Value | TableList | Table>;

function keyText(key: readonly string[]): string {
  return key.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : `"${escapeKey(part)}"`)).join('.');
}

function escapeKey(part: string): string {
  const short: Readonly<Record<string, string>> = { '\b': '\\b', '\t': '\\t', '\n': '\\n', '\f': '\\f', '\r': '\\r' };
  return part
    .replace(/["\\]/g, '\\$&')
    .replace(/[\x00-\x1f\x7f]/g, (char) => short[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

class TomlDecoder {
  readonly #reader: TomlReader;
  readonly #root: Table = new Map();
  /** Tables that are there only because a name inside of them was used: they can still be opened. */
  readonly #implicit = new Set<string>();
  readonly #arrays = new Set<string>();
  #context: string[] = [];
  #key = '';
  /** Line of the first part of the last name. */
  #line = 0;
  #depth = 0;

  constructor(text: string) {
    this.#reader = new TomlReader(text);
  }

  get lastKey(): string {
    if (this.#key === '') return keyText(this.#context);
    return this.#context.length === 0 ? this.#key : `${keyText(this.#context)}.${this.#key}`;
  }

  decode(): ValueMap {
    const reader = this.#reader;
    for (;;) {
      reader.gaps();
      const char = reader.peek();
      if (char === end) return plain(this.#root);
      if (char === '[') this.#header();
      else {
        this.#pair(this.#context);
        this.#key = '';
      }
      this.#endOfLine();
    }
  }

  #refuse(message: string): never {
    throw new TomlFault(this.#line, message);
  }

  #endOfLine(): void {
    const reader = this.#reader;
    reader.blanks();
    if (reader.peek() === '#') reader.comment();
    else if (!/^[\r\n]?$/.test(reader.peek())) {
      const char = quoteChar(reader.next());
      throw reader.fault(`expected a top-level item to end with a newline, comment, or EOF, but got ${char} instead`);
    }
  }

  #header(): void {
    const reader = this.#reader;
    reader.next();
    const isList = reader.accept('[');
    const key: string[] = [];
    for (;;) {
      reader.blanks();
      const char = reader.peek();
      if (char === ']' || char === end)
        throw reader.fault('unexpected end of table name (table names cannot be empty)');
      if (char === '.') throw reader.fault('unexpected table separator (table names cannot be empty)');
      key.push(this.#keyPart(key.length === 0));
      if (key.length > maxDepth) throw reader.fault(`nested deeper than ${maxDepth}`);
      reader.blanks();
      const after = reader.next();
      if (after === ']') break;
      if (after !== '.')
        throw reader.fault(`expected '.' or ']' to end table name, but got ${quoteChar(after)} instead`);
    }
    if (isList) {
      const char = reader.next();
      if (char !== ']')
        throw reader.fault(`expected end of table array name delimiter ']', but got ${quoteChar(char)} instead`);
    }
    this.#open(key, isList);
  }

  #keyPart(isFirst: boolean): string {
    const reader = this.#reader;
    const char = reader.peek();
    let token: Token;
    if (char === '"' || char === "'") {
      reader.next();
      token = readTomlString(reader, char, false);
    } else token = { text: reader.while((next) => /[A-Za-z0-9_-]/.test(next)), line: reader.line };
    if (isFirst) this.#line = token.line;
    return token.text;
  }

  /** `a.b = value` in a table; its value too, for inline tables. */
  #pair(context: string[]): { readonly key: string[]; readonly value: Value | Table } {
    const key = this.#name();
    this.#key = key.at(-1) as string;
    for (const part of key.slice(0, -1)) {
      const inner = [...this.#context, part];
      this.#implicit.add(keyText(inner));
      this.#open(inner, false);
    }
    const value = this.#value(false);
    this.#set(this.#key, value);
    this.#context = context;
    return { key, value };
  }

  #name(): string[] {
    const reader = this.#reader;
    reader.blanks();
    const char = reader.peek();
    if (char === '=' || char === end) throw reader.fault("unexpected '=': key name appears blank");
    if (char === '.') throw reader.fault("unexpected '.': keys cannot start with a '.'");
    const key: string[] = [];
    for (;;) {
      reader.blanks();
      const next = reader.peek();
      if (key.length > 0 && (next === '=' || next === end)) throw reader.fault("unexpected '='");
      if (key.length > 0 && next === '.') throw reader.fault("unexpected '.'");
      key.push(this.#keyPart(key.length === 0));
      if (key.length > maxDepth) throw reader.fault(`nested deeper than ${maxDepth}`);
      reader.blanks();
      const line = reader.line;
      const after = reader.next();
      if (after === '=') return key;
      if (after === end) throw reader.fault("unexpected EOF; expected key separator '='");
      if (after === '\n') throw new TomlFault(line, `expected '.' or '=', but got '\\n' instead`);
      if (after !== '.') throw reader.fault(`expected '.' or '=', but got ${quoteChar(after)} instead`);
    }
  }

  #value(isInList: boolean): Value | Table {
    const reader = this.#reader;
    reader.blanks();
    const char = reader.peek();
    if (/[0-9+-]/.test(char)) return this.#number();
    if (char === '[') return this.#list();
    if (char === '{') return this.#inlineTable(isInList);
    if (char === '"' || char === "'") {
      reader.next();
      return readTomlString(reader, char, true).text;
    }
    if (char === '.') {
      reader.next();
      throw reader.fault("floats must start with a digit, not '.'");
    }
    if (char === 'i' || char === 'n' || /\p{L}/u.test(char)) return this.#word();
    const line = reader.line;
    reader.next();
    if (char === end) throw reader.fault('unexpected EOF; expected value');
    if (char === '\n') throw new TomlFault(line, "expected value but found '\\n' instead");
    throw reader.fault(`expected value but found ${quoteChar(char)} instead`);
  }

  #number(): Value {
    return readTomlNumber(this.#reader) ?? readTomlTime(this.#reader);
  }

  #word(): Value {
    const reader = this.#reader;
    const first = reader.peek();
    let accepted = '';
    if (first === 'i' || first === 'n') {
      accepted = reader.next();
      // Go takes "inf", "nan", and what begins like one but goes on like the other.
      if (reader.accept('n')) {
        if (reader.accept('f')) return Number.POSITIVE_INFINITY;
        accepted += 'n';
      }
      if (reader.accept('a')) {
        if (reader.accept('n')) return Number.NaN;
        accepted += 'a';
      }
    }
    // Go goes back by one letter before it reads the word.
    const word = accepted.slice(-1) + reader.while((char) => /\p{L}/u.test(char));
    if (word === 'true' || word === 'false') return word === 'true';
    throw reader.fault(`expected value but found ${goQuote(word)} instead`);
  }

  #nested<T>(body: () => T): T {
    if (++this.#depth > maxDepth) throw this.#reader.fault(`nested deeper than ${maxDepth}`);
    const result = body();
    this.#depth--;
    return result;
  }

  #list(): Value {
    const reader = this.#reader;
    reader.next();
    this.#arrays.add(keyText([...this.#context, this.#key]));
    return this.#nested(() => {
      const items: Value[] = [];
      for (;;) {
        reader.gaps();
        if (reader.peek() === ',') {
          reader.next();
          throw reader.fault('unexpected comma');
        }
        if (reader.accept(']')) return items;
        items.push(this.#value(true) as Value);
        reader.gaps();
        const char = reader.next();
        if (char === ']') return items;
        if (char !== ',')
          throw reader.fault(`expected a comma (',') or array terminator (']'), but got ${charOrEnd(char)}`);
      }
    });
  }

  #inlineTable(isInList: boolean): Table {
    const reader = this.#reader;
    reader.next();
    const [outer, outerKey] = [this.#context, this.#key];
    const context = [...outer, outerKey];
    this.#context = context;
    this.#key = '';
    this.#implicit.add(keyText(context));
    this.#open(context, isInList);
    const table: Table = new Map();
    return this.#nested(() => {
      for (;;) {
        reader.gaps();
        const char = reader.peek();
        if (char === ',') {
          reader.next();
          throw reader.fault('unexpected comma');
        }
        if (reader.accept('}')) break;
        const { key, value } = this.#pair(context);
        this.#put(table, key, value);
        reader.gaps();
        const after = reader.next();
        if (after === '}') break;
        if (after !== ',')
          throw reader.fault(`expected a comma or an inline table terminator '}', but got ${charOrEnd(after)} instead`);
      }
      this.#context = outer;
      this.#key = outerKey;
      return table;
    });
  }

  #put(into: Table, key: readonly string[], value: Value | Table): void {
    let table = into;
    for (const part of key.slice(0, -1)) {
      let inner = table.get(part);
      if (inner === undefined) {
        inner = new Map();
        table.set(part, inner);
      }
      if (!(inner instanceof Map)) this.#refuse(`${goQuote(keyText(this.#context))} is not a table`);
      table = inner as Table;
    }
    table.set(key.at(-1) as string, value);
  }

  /** Makes a table the one that is written to. */
  #open(key: readonly string[], isList: boolean): void {
    let table = this.#root;
    const context: string[] = [];
    for (const part of key.slice(0, -1)) {
      context.push(part);
      if (!table.has(part)) {
        this.#implicit.add(keyText(context));
        table.set(part, new Map());
      }
      const inner = table.get(part);
      if (inner instanceof TableList) table = inner.tables.at(-1) as Table;
      else if (inner instanceof Map) table = inner as Table;
      else this.#refuse(`Key '${keyText(context)}' was already created as a hash.`);
    }
    this.#context = context;
    const last = key.at(-1) as string;
    if (isList) {
      const list = table.get(last) ?? new TableList();
      if (!(list instanceof TableList))
        this.#refuse(`Key '${keyText(key)}' was already created and cannot be used as an array.`);
      table.set(last, list);
      (list as TableList).tables.push(new Map());
    } else this.#set(last, new Map());
    this.#context = [...context, last];
  }

  /** Sets a key of the open table. */
  #set(key: string, value: Value | Table): void {
    let table = this.#root;
    const context: string[] = [];
    for (const part of this.#context) {
      context.push(part);
      const inner = table.get(part);
      if (inner instanceof TableList) table = inner.tables.at(-1) as Table;
      else if (inner instanceof Map) table = inner as Table;
      else this.#refuse(`Key '${keyText(context)}' has already been defined.`);
    }
    const name = keyText([...context, key]);
    if (table.has(key)) {
      const isOpen = this.#implicit.delete(name);
      if (!isOpen) this.#refuse(`Key '${name}' has already been defined.`);
      if (!this.#arrays.has(name)) return;
    }
    table.set(key, value);
  }
}

const listOfTables = sliceOf(mapOfAny);

function plain(table: Table): ValueMap {
  const map: ValueMap = new Map();
  for (const [key, value] of table) map.set(key, plainValue(value));
  return map;
}

function plainValue(value: Value | TableList | Table): Value {
  if (value instanceof TableList) return new GoSlice(listOfTables, value.tables.map(plain));
  if (value instanceof Map) return plain(value as Table);
  return Array.isArray(value) ? value.map(plainValue) : (value as Value);
}
