import { GobWriter } from './bytes.ts';
import { specialStruct, timeBytes } from './go-json.ts';
import { fieldsOf, type GobType, registeredType } from './schema.ts';

/** Ids that gob gives to its own types. */
const builtin: Readonly<Record<string, number>> = { bool: 1, int: 2, uint: 3, float: 4, bytes: 5, json: 5, string: 6 };
const interfaceId = 8;
const firstOwnId = 64;
/** Kinds of definitions, by the number of their field in gob's wireType. */
const kinds = { slice: 2, struct: 3, map: 4, gobEncoder: 5 } as const;

/** A value for an argument that is an interface in Go: registered by name, or nothing. */
export interface InterfaceValue {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Encodes a stream of gob: JSON data as the Go structs of the table. Definitions of types are sent once in a stream, before the first
 * value that needs them.
 */
export class GobEncoder {
  readonly #ids = new Map<string, number>();
  #definitions: Uint8Array[] = [];

  /** The bytes of a struct of the table. */
  struct(registered: string, value: unknown): Uint8Array {
    const type = registeredType(registered);
    const body = new GobWriter();
    body.int(this.#id(type));
    this.#value(body, type, value);
    return this.#message(body);
  }

  /** The bytes of a value of a basic type. */
  basic(type: 'bool' | 'string', value: boolean | string): Uint8Array {
    const body = new GobWriter();
    body.int(builtin[type] as number);
    body.uint(0);
    this.#value(body, type, value);
    return this.#message(body);
  }

  /** The bytes of an interface; undefined is nil. */
  interface(wanted: InterfaceValue | undefined): Uint8Array {
    const body = new GobWriter();
    body.int(interfaceId);
    body.uint(0);
    body.text(wanted?.name ?? '');
    if (wanted) {
      const type = registeredType(wanted.name);
      const id = this.#id(type);
      const inner = new GobWriter();
      this.#value(inner, type, wanted.value);
      body.int(id);
      body.bytes(inner.finish());
    }
    return this.#message(body);
  }

  #message(body: GobWriter): Uint8Array {
    const definitions = this.#definitions;
    this.#definitions = [];
    return Buffer.concat([...definitions, framed(body)]);
  }

  #value(out: GobWriter, type: GobType, value: unknown): void {
    if (typeof type === 'string') this.#scalar(out, type, value);
    else if (type[0] === 'struct') this.#struct(out, type[1], value);
    else if (type[0] === 'slice') {
      const items = value as unknown[];
      out.uint(items.length);
      for (const item of items) this.#value(out, type[1], item);
    } else {
      const entries = Object.entries(value as object);
      out.uint(entries.length);
      for (const [key, item] of entries) {
        this.#value(out, type[1], key);
        this.#value(out, type[2], item);
      }
    }
  }

  #scalar(out: GobWriter, type: string, value: unknown): void {
    if (type === 'bool') out.uint(value ? 1 : 0);
    else if (type === 'int') out.int(integer(value));
    else if (type === 'uint') out.uint(integer(value));
    else if (type === 'float') out.float(Number(value));
    else if (type === 'string') out.text(String(value ?? ''));
    else if (type === 'bytes') out.bytes(Buffer.from(String(value ?? ''), 'base64'));
    else if (type === 'json') out.bytes(Buffer.from(JSON.stringify(value)));
    else out.bytes(timeBytes(String(value)));
  }

  /** The fields that are set, each with its distance from the one before; zero values are left out. */
  #struct(out: GobWriter, struct: string, json: unknown): void {
    const special = specialStruct(struct, json);
    const data = (special ?? json ?? {}) as Record<string, unknown>;
    let last = -1;
    for (const [index, [name, jsonName, type]] of fieldsOf(struct).entries()) {
      const isInline = jsonName === '' && !special;
      const value = isInline ? data : ownMember(data, special ? name : jsonName);
      if (isAbsent(type, value) || (isInline && !hasAny(type, data))) continue;
      out.uint(index - last);
      last = index;
      this.#value(out, type, value);
    }
    out.uint(0);
  }

  #id(type: GobType): number {
    if (typeof type === 'string' && type !== 'time') return builtin[type] as number;
    const key = JSON.stringify(type);
    const known = this.#ids.get(key);
    if (known !== undefined) return known;
    const id = firstOwnId + this.#ids.size;
    this.#ids.set(key, id);
    this.#define(id, type as Exclude<GobType, string> | 'time');
    return id;
  }

  /** Sends the definition of a type; those of its parts follow it, as their ids are taken here. */
  #define(id: number, type: Exclude<GobType, string> | 'time'): void {
    const out = new GobWriter();
    out.int(-id);
    const at = this.#definitions.length;
    this.#definitions.push(new Uint8Array());
    if (type === 'time') {
      out.uint(kinds.gobEncoder);
      commonType(out, 'Time', id);
      out.uint(0);
    } else {
      out.uint(kinds[type[0]]);
      commonType(out, type[0] === 'struct' ? (type[1].split('.').at(-1) as string) : '', id);
      this.#defineParts(out, type);
      out.uint(0);
    }
    out.uint(0);
    this.#definitions[at] = framed(out);
  }

  #defineParts(out: GobWriter, type: Exclude<GobType, string>): void {
    if (type[0] !== 'struct') {
      for (const part of type.slice(1) as GobType[]) {
        out.uint(1);
        out.int(this.#id(part));
      }
      return;
    }
    const fields = fieldsOf(type[1]);
    if (fields.length === 0) return;
    out.uint(1);
    out.uint(fields.length);
    for (const [name, , fieldType] of fields) {
      out.uint(1);
      out.text(name);
      out.uint(1);
      out.int(this.#id(fieldType));
      out.uint(0);
    }
  }
}

/** The name and id with which every definition begins. */
function commonType(out: GobWriter, name: string, id: number): void {
  out.uint(1);
  if (name !== '') {
    out.uint(1);
    out.text(name);
  }
  out.uint(name === '' ? 2 : 1);
  out.int(id);
  out.uint(0);
}

function framed(body: GobWriter): Uint8Array {
  const out = new GobWriter();
  out.bytes(body.finish());
  return out.finish();
}

function integer(value: unknown): number | bigint {
  return typeof value === 'bigint' ? value : Math.trunc(Number(value));
}

function ownMember(data: Record<string, unknown>, name: string): unknown {
  return typeof data === 'object' && data !== null && Object.hasOwn(data, name) ? data[name] : undefined;
}

/** What gob leaves out of a struct: what is absent, zero or empty. An object that is there is sent though it is empty. */
function isAbsent(type: GobType, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (type === 'json') return false;
  if (typeof type === 'string') return value === 0 || value === '' || value === false;
  return type[0] === 'slice' && (value as unknown[]).length === 0;
}

/** Whether a struct whose fields stand in another's place has any of them. */
function hasAny(type: GobType, data: Record<string, unknown>): boolean {
  if (typeof type === 'string' || type[0] !== 'struct') return true;
  return fieldsOf(type[1]).some(([, json, inner]) => (json === '' ? hasAny(inner, data) : data[json] !== undefined));
}
