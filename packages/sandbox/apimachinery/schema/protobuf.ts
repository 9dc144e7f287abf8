import { builtin, type TypeField } from './builtin.ts';

const MAGIC = Buffer.from('k8s\0', 'latin1');

/** A body is not what Kubernetes sends as protobuf. */
export class ProtobufError extends Error {}

class Reader {
  readonly bytes: Uint8Array;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.bytes.length;
  }

  varint(): bigint {
    let result = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.bytes[this.at++];
      if (byte === undefined || shift > 63n) throw new ProtobufError('unexpected end of a protobuf message');
      result |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, result);
    }
  }

  chunk(length: number): Uint8Array {
    const end = this.at + length;
    if (length < 0 || end > this.bytes.length) throw new ProtobufError('unexpected end of a protobuf message');
    const part = this.bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  /** Field number and value: a bigint for numbers, bytes for the rest. */
  field(): { number: number; value: bigint | Uint8Array } {
    const tag = Number(this.varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        return { number, value: this.varint() };
      case 1:
        return { number, value: this.chunk(8) };
      case 2:
        return { number, value: this.chunk(Number(this.varint())) };
      case 5:
        return { number, value: this.chunk(4) };
      default:
        throw new ProtobufError(`wire type ${tag & 7} is not used by Kubernetes`);
    }
  }
}

function* fields(value: bigint | Uint8Array): Generator<{ number: number; value: bigint | Uint8Array }> {
  if (typeof value === 'bigint') throw new ProtobufError('a message was expected, a number was found');
  const reader = new Reader(value);
  while (!reader.done) yield reader.field();
}

const text = (value: bigint | Uint8Array | undefined): string =>
  value === undefined || typeof value === 'bigint' ? '' : Buffer.from(value).toString();
const number = (value: bigint | Uint8Array | undefined): number => (typeof value === 'bigint' ? Number(value) : 0);

/** Fields by number; those of a struct that JSON inlines are below its own. */
type Numbered = Map<number, TypeField | Numbered>;

const numbered = new Map<string, Numbered>();

function typeFields(type: string): Numbered {
  let byNumber = numbered.get(type);
  if (!byNumber) {
    byNumber = new Map();
    for (const field of builtin().types[type] ?? []) {
      const path = field[3].split('.').map(Number);
      let place = byNumber;
      for (const step of path.slice(0, -1)) {
        const inner = place.get(step);
        const next: Numbered = inner instanceof Map ? inner : new Map();
        place.set(step, next);
        place = next;
      }
      place.set(path.at(-1) as number, field);
    }
    numbered.set(type, byNumber);
  }
  return byNumber;
}

/** Decodes `application/vnd.kubernetes.protobuf` of a built-in kind into the JSON that the same object has. */
export function decodeProtobuf(body: Uint8Array): Record<string, unknown> {
  if (!MAGIC.equals(body.subarray(0, 4)))
    throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix k8s');
  let apiVersion = '';
  let kind = '';
  let raw: Uint8Array = new Uint8Array();
  for (const { number: tag, value } of fields(body.subarray(4))) {
    if (tag === 1)
      for (const meta of fields(value)) {
        if (meta.number === 1) apiVersion = text(meta.value);
        if (meta.number === 2) kind = text(meta.value);
      }
    if (tag === 2 && typeof value !== 'bigint') raw = value;
  }
  const { kinds } = builtin();
  const type = kinds[`${apiVersion}/${kind}`] ?? kinds[`v1/${kind}`];
  if (!type) throw new ProtobufError(`no kind ${JSON.stringify(kind)} is registered for ${JSON.stringify(apiVersion)}`);
  return { ...message(type, raw), apiVersion, kind };
}

function message(type: string, bytes: bigint | Uint8Array): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  read(typeFields(type), bytes, result);
  return result;
}

function read(byNumber: Numbered, bytes: bigint | Uint8Array, result: Record<string, unknown>): void {
  for (const { number: tag, value } of fields(bytes)) {
    const field = byNumber.get(tag);
    if (!field) continue;
    if (field instanceof Map) {
      read(field, value, result);
      continue;
    }
    const [name, expression] = field;
    if (expression.startsWith('[')) {
      const list = (result[name] ?? []) as unknown[];
      list.push(single(expression.slice(1), value));
      result[name] = list;
    } else if (expression.startsWith('{')) {
      const map = (result[name] ?? {}) as Record<string, unknown>;
      let key = '';
      let item: bigint | Uint8Array | undefined;
      for (const entry of fields(value)) {
        if (entry.number === 1) key = text(entry.value);
        else item = entry.value;
      }
      map[key] = single(expression.slice(1), item ?? new Uint8Array());
      result[name] = map;
    } else result[name] = single(expression, value);
  }
}

function single(expression: string, value: bigint | Uint8Array): unknown {
  switch (expression) {
    case 's':
      return text(value);
    case 'b':
      return value !== 0n;
    case 'i32':
    case 'i64':
    case 'int':
      return number(value);
    case 'f64':
      return typeof value === 'bigint' ? Number(value) : Buffer.from(value).readDoubleLE();
    case 'y':
      return typeof value === 'bigint' ? '' : Buffer.from(value).toString('base64');
    case 'extra':
      return [...fields(value)].map((item) => text(item.value));
    case 'quantity':
      return text([...fields(value)].find((item) => item.number === 1)?.value) || '0';
    case 'intorstring': {
      const parts = new Map([...fields(value)].map((item) => [item.number, item.value]));
      return number(parts.get(1)) === 1 ? text(parts.get(3)) : number(parts.get(2));
    }
    case 'time':
    case 'microtime': {
      const parts = new Map([...fields(value)].map((item) => [item.number, item.value]));
      const seconds = number(parts.get(1));
      if (seconds === 0 || seconds === -62135596800) return null;
      const whole = new Date(seconds * 1000).toISOString().slice(0, 19);
      return expression === 'time'
        ? `${whole}Z`
        : `${whole}.${String(Math.trunc(number(parts.get(2)) / 1000)).padStart(6, '0')}Z`;
    }
    case 'duration': {
      const nanoseconds = number([...fields(value)][0]?.value);
      return `${nanoseconds / 1e9}s`;
    }
    case 'any': {
      const raw = text([...fields(value)].find((item) => item.number === 1)?.value);
      return raw ? JSON.parse(raw) : null;
    }
  }
  if (expression.startsWith('or:')) return either(expression.slice(3), value);
  if (expression.startsWith('[')) return message(expression.slice(1), value);
  return message(expression, value);
}

/** JSONSchemaPropsOrBool, OrArray and OrStringArray. */
function either(name: string, value: bigint | Uint8Array): unknown {
  const schema = (bytes: bigint | Uint8Array) => message('apiextensions/v1.JSONSchemaProps', bytes);
  const parts = [...fields(value)];
  if (name.endsWith('OrBool')) {
    const nested = parts.find((item) => item.number === 2);
    return nested ? schema(nested.value) : parts.find((item) => item.number === 1)?.value !== 0n;
  }
  const nested = parts.find((item) => item.number === 1);
  if (nested) return schema(nested.value);
  const rest = parts.filter((item) => item.number === 2).map((item) => item.value);
  return name.endsWith('OrArray') ? rest.map(schema) : rest.map(text);
}
