import {
  chargeCopy,
  compareStrings,
  elementsOf,
  entriesOf,
  FunctionError,
  formatTime,
  GoFloat32,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  keyText,
  LimitError,
  limitText,
  TimeValue,
  type Value,
} from '@tiphys/template';
import { formatFloat, type PrintObserver } from '@tiphys/yaml';

/** A value that TOML can't express, in the words of Go's encoder. */
export class TomlEncodeError extends Error {}

/**
 * TOML as BurntSushi's encoder prints it: sorted keys, sub-tables after plain keys, two spaces a level. The observer is
 * told of the scalars and of the keys of plain pairs.
 */
export function encodeToml(value: Value, observer?: PrintObserver): string {
  const encoder = new TomlEncoder(observer);
  encoder.encode([], value);
  return encoder.text;
}

const escapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
};

function quoted(text: string): string {
  const escaped = text.replace(
    /["\\\x00-\x1f\x7f]/g,
    (char) => escapes[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `"${escaped}"`;
}

function keyPart(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

function isNilValue(value: Value): boolean {
  if (value === null || value === undefined || value instanceof GoNil) return true;
  return (value instanceof GoMap || value instanceof GoSlice) && value.nil;
}

function tableEntries(value: Value): ReadonlyMap<Value, Value> | undefined {
  if (value instanceof TimeValue) return undefined;
  return value instanceof GoStruct ? value.fields : entriesOf(value);
}

/** Tables, and lists of nothing but tables, are written below the plain keys. */
function isTable(value: Value): boolean {
  return tableEntries(value) !== undefined || isTableList(value);
}

function isTableList(value: Value): boolean {
  const items = value instanceof Uint8Array ? undefined : elementsOf(value);
  if (!items || items.length === 0) return false;
  if (items.some(isNilValue)) throw new TomlEncodeError('toml: cannot encode array with nil element');
  return items.every((item) => tableEntries(item) !== undefined);
}

const maxDepth = 500;

class TomlEncoder {
  text = '';
  readonly #observer: PrintObserver | undefined;
  #depth = 0;

  constructor(observer: PrintObserver | undefined) {
    this.#observer = observer;
  }

  encode(key: readonly string[], value: Value): void {
    this.#check(key.length);
    if (isNilValue(value)) {
      if (key.length === 0 && (value === null || value === undefined))
        throw new FunctionError('reflect: call of reflect.Value.Type on zero Value');
      if (key.length === 0 && !(value instanceof GoMap)) throw new TomlEncodeError('toml: cannot encode nil value');
      return;
    }
    if (isTableList(value)) {
      this.#tableList(key, elementsOf(value) ?? []);
      return;
    }
    const entries = tableEntries(value);
    if (entries) {
      this.#table(key, entries);
      return;
    }
    this.#pair(key, value, false);
    return;
  }

  /** Go's encoder has no end of a value that contains itself. */
  #check(depth: number): void {
    if (depth > maxDepth) throw new LimitError('depth', maxDepth);
    chargeCopy();
    limitText(this.text.length);
  }

  #indent(key: readonly string[]): string {
    return '  '.repeat(Math.max(0, key.length - 1));
  }

  #newline(): void {
    if (this.text !== '') this.text += '\n';
  }

  #tableList(key: readonly string[], items: readonly Value[]): void {
    if (key.length === 0) throw new TomlEncodeError('toml: top-level values must be Go maps or structs');
    for (const [i, item] of items.entries()) {
      this.#newline();
      this.text += `${this.#indent(key)}[[${key.map(keyPart).join('.')}]]`;
      this.#newline();
      this.#observer?.enter(i);
      this.#entries(key, tableEntries(item) as ReadonlyMap<Value, Value>, false);
      this.#observer?.leave();
    }
  }

  #table(key: readonly string[], entries: ReadonlyMap<Value, Value>): void {
    if (key.length === 1) this.#newline();
    if (key.length > 0) {
      this.text += `${this.#indent(key)}[${key.map(keyPart).join('.')}]`;
      this.#newline();
    }
    this.#entries(key, entries, false);
  }

  #entries(key: readonly string[], entries: ReadonlyMap<Value, Value>, inline: boolean): void {
    const sorted = [...entries]
      .map(([name, value]) => [keyText(name), value] as const)
      .sort(([a], [b]) => compareStrings(a, b));
    const direct = sorted.filter(([, value]) => !isTable(value));
    const tables = sorted.filter(([, value]) => isTable(value));
    const write = (group: typeof sorted, trailing: boolean): void => {
      for (const [i, [name, value]] of group.entries()) {
        if (isNilValue(value)) continue;
        this.#observer?.enter(name);
        if (!inline) this.encode([...key, name], value);
        else {
          this.#pair([name], value, true);
          if (trailing || i < group.length - 1) this.text += ', ';
        }
        this.#observer?.leave();
      }
    };
    write(direct, tables.length > 0);
    write(tables, false);
  }

  #pair(key: readonly string[], value: Value, inline: boolean): void {
    if (key.length > 0) {
      this.text += this.#indent(key);
      const start = this.text.length;
      this.text += keyPart(key.at(-1) as string);
      this.#observer?.key(start, this.text.length);
      this.text += ' = ';
    }
    this.#element(value);
    if (!inline && key.length > 0) this.#newline();
  }

  #element(value: Value): void {
    this.#check(++this.#depth);
    const start = this.text.length;
    this.#write(value);
    if (!tableEntries(value) && !elementsOf(value)?.length) this.#observer?.scalar(start, this.text.length);
    this.#depth--;
  }

  #write(value: Value): void {
    if (value instanceof TimeValue) {
      this.text += timeText(value);
      return;
    }
    const entries = tableEntries(value);
    const items = elementsOf(value);
    if (typeof value === 'string') this.text += quoted(value);
    else if (value instanceof GoString) this.text += quoted(value.value);
    else if (typeof value === 'number') this.text += floatText(value);
    else if (value instanceof GoFloat32) this.text += floatText(value.value);
    else if (value instanceof GoInt) this.text += String(value.value);
    else if (items) {
      this.text += '[';
      for (const [i, item] of items.entries()) {
        if (isNilValue(item)) throw new TomlEncodeError('toml: cannot encode array with nil element');
        this.#observer?.enter(i);
        this.#element(item);
        this.#observer?.leave();
        if (i < items.length - 1) this.text += ', ';
      }
      this.text += ']';
    } else if (entries) {
      this.text += '{';
      this.#entries([], entries, true);
      this.text += '}';
    } else this.text += String(value);
  }
}

const localLayouts: Readonly<Record<string, string>> = {
  'datetime-local': '2006-01-02T15:04:05.999999999',
  'date-local': '2006-01-02',
  'time-local': '15:04:05.999999999',
};

function timeText(time: TimeValue): string {
  const layout = typeof time.zone === 'object' ? localLayouts[time.zone.name] : undefined;
  return formatTime(time, layout ?? '2006-01-02T15:04:05.999999999Z07:00');
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const text = formatFloat(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
