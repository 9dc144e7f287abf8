import { formatJsonFloat, type Printable } from '@tiphys/yaml';
import { GoError } from '../failure/go-error.ts';

/** A Go type as encoding/json sees it. */
export type GoType = BareType & {
  /** Names of the embedded structs that have the field, outermost first. */
  readonly via?: readonly string[];
};

type BareType =
  | { readonly kind: 'bool' | 'int64' | 'int' | 'any' }
  | { readonly kind: 'string'; readonly name?: string }
  | { readonly kind: 'slice'; readonly of: GoType; readonly name?: string }
  | { readonly kind: 'map'; readonly of: GoType }
  | { readonly kind: 'struct'; readonly name: string; readonly fields: Readonly<Record<string, GoType>> };

export const goString: GoType = { kind: 'string' };
/** A string type with a name of its own. */
export const namedString = (name: string): GoType => ({ kind: 'string', name });
export const goBool: GoType = { kind: 'bool' };
export const goInt64: GoType = { kind: 'int64' };
export const goInt: GoType = { kind: 'int' };
export const goAny: GoType = { kind: 'any' };
/** A list; `name` is that of a list type with a name of its own. */
export const sliceOf = (of: GoType, name?: string): GoType => ({ kind: 'slice', of, ...(name ? { name } : {}) });
export const mapOf = (of: GoType): GoType => ({ kind: 'map', of });
export const struct = (name: string, fields: Readonly<Record<string, GoType>>): GoType => ({
  kind: 'struct',
  name,
  fields,
});

/** Fields of a struct that is embedded: they count as fields of the outer one, but messages name it. */
export function embedded(name: string, fields: Readonly<Record<string, GoType>>): Readonly<Record<string, GoType>> {
  return Object.fromEntries(
    Object.entries(fields).map(([field, type]) => [field, { ...type, via: [name, ...(type.via ?? [])] }]),
  );
}

export interface DecodeOptions {
  /** Unknown fields are errors. */
  readonly strict: boolean;
  /** Numbers and booleans become strings where one is wanted, as sigs.k8s.io/yaml does; not in embedded structs. */
  readonly lenientStrings?: boolean;
}

/**
 * Reads a JSON value into the shape of a Go struct as encoding/json does: names match without regard to case, a null leaves
 * a field unset, of two names for a field the last wins. Throws GoError with its words for the first problem; `path` of its
 * evidence is where it is.
 */
export function decodeJson<T>(value: Printable, type: GoType, options: DecodeOptions): T {
  const decoder = new Decoder(options);
  const result = decoder.value(value, type, { path: [], fields: [] });
  if (decoder.problem) throw decoder.problem;
  return result as T;
}

/** Where a decoding failed, in the value. */
export class DecodeError extends GoError {
  readonly path: readonly (string | number)[];
  constructor(message: string, path: readonly (string | number)[]) {
    super(message);
    this.path = path;
  }
}

class Decoder {
  readonly #options: DecodeOptions;
  problem: DecodeError | undefined;

  constructor(options: DecodeOptions) {
    this.#options = options;
  }

  value(value: Printable, type: GoType, at: Position): unknown {
    if (value === null || value === undefined) return undefined;
    switch (type.kind) {
      case 'any':
        return value;
      case 'string':
        if (typeof value === 'string') return value;
        if (this.#options.lenientStrings && type.via === undefined && typeof value !== 'object') return String(value);
        return this.#mismatch(value, goName(type), at);
      case 'bool':
        return typeof value === 'boolean' ? value : this.#mismatch(value, 'bool', at);
      case 'int':
      case 'int64':
        return this.#int(value, type.kind, at);
      case 'slice':
        if (!Array.isArray(value)) return this.#mismatch(value, goName(type), at);
        return value.map(
          (item: Printable, i) => this.value(item, type.of, { ...at, path: [...at.path, i] }) ?? zero(type.of),
        );
      case 'map':
        if (!isMap(value)) return this.#mismatch(value, goName(type), at);
        return new Map(
          entriesOf(value).map(([key, item]) => [
            key,
            this.value(item, type.of, { ...at, path: [...at.path, key] }) ?? zero(type.of),
          ]),
        );
      default:
        return this.#struct(value, type, at);
    }
  }

  #int(value: Printable, kind: string, at: Position): unknown {
    if (typeof value === 'bigint') {
      if (BigInt.asIntN(64, value) === value) return Number(value);
      return this.#mismatch(value, kind, at, ` ${value}`);
    }
    if (typeof value !== 'number') return this.#mismatch(value, kind, at);
    const text = formatJsonFloat(value);
    return Number.isInteger(value) && Math.abs(value) < 2 ** 63 && !/[.e]/.test(text)
      ? value
      : this.#mismatch(value, kind, at, ` ${text}`);
  }

  #struct(value: Printable, type: GoType & { kind: 'struct' }, at: Position): unknown {
    if (!isMap(value)) return this.#mismatch(value, goName(type), at);
    const result: Record<string, unknown> = {};
    for (const [key, item] of entriesOf(value)) {
      const name = fieldName(type.fields, key);
      const path = [...at.path, key];
      if (name === undefined) {
        if (this.#options.strict) this.#fail(`json: unknown field ${JSON.stringify(key)}`, path);
        continue;
      }
      const field = type.fields[name] as GoType;
      const inside = {
        path,
        struct: type.name.slice(type.name.indexOf('.') + 1),
        fields: [...at.fields, ...(field.via ?? []), name],
      };
      const decoded = this.value(item, field, inside);
      if (decoded !== undefined) result[name] = decoded;
    }
    return result;
  }

  #fail(message: string, path: readonly (string | number)[]): undefined {
    this.problem ??= new DecodeError(message, path);
    return undefined;
  }

  #mismatch(value: Printable, wanted: string, at: Position, more = ''): undefined {
    const into = at.struct === undefined ? 'Go value' : `Go struct field ${at.struct}.${at.fields.join('.')}`;
    return this.#fail(`json: cannot unmarshal ${jsonType(value)}${more} into ${into} of type ${wanted}`, at.path);
  }
}

/** Where the decoder is: in the value, and in Go's structs. */
interface Position {
  readonly path: readonly (string | number)[];
  /** The struct whose field is read. */
  readonly struct?: string;
  readonly fields: readonly string[];
}

function zero(type: GoType): unknown {
  switch (type.kind) {
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int':
    case 'int64':
      return 0;
    case 'struct':
      return {};
    default:
      return undefined;
  }
}

/** Exact name, else one that differs in case only. */
function fieldName(fields: Readonly<Record<string, GoType>>, key: string): string | undefined {
  if (Object.hasOwn(fields, key)) return key;
  const lower = key.toLowerCase();
  return Object.keys(fields).find((name) => name.toLowerCase() === lower);
}

function goName(type: GoType): string {
  switch (type.kind) {
    case 'slice':
      return type.name ?? `[]${goName(type.of)}`;
    case 'map':
      return `map[string]${goName(type.of)}`;
    case 'struct':
      return type.name.includes('.') ? type.name : `types.${type.name}`;
    case 'any':
      return 'interface {}';
    case 'string':
      return type.name ? `types.${type.name}` : 'string';
    default:
      return type.kind;
  }
}

function jsonType(value: Printable): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}

type PrintableMap = ReadonlyMap<string, Printable> | { readonly [key: string]: Printable };

function isMap(value: Printable): value is PrintableMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In the order in which Go writes maps as JSON. */
function entriesOf(value: PrintableMap): [string, Printable][] {
  const entries: [string, Printable][] =
    value instanceof Map ? [...(value as Map<string, Printable>)] : Object.entries(value);
  return entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
