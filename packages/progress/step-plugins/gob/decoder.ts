import { GobError, GobReader } from './bytes.ts';

/** A type as a stream defines it. */
type WireType =
  | { readonly kind: 'array' | 'slice'; readonly element: number }
  | { readonly kind: 'struct'; readonly fields: readonly { readonly name: string; readonly type: number }[] }
  | { readonly kind: 'map'; readonly key: number; readonly element: number }
  | { readonly kind: 'opaque' };

const wireKinds = ['array', 'slice', 'struct', 'map', 'opaque', 'opaque', 'opaque'] as const;
/** Values in values that are followed; no answer of a plugin is that deep. */
const maxDepth = 64;

/**
 * Decodes a stream of gob by the definitions that it carries: structs become objects by the names of Go's fields (those that are zero
 * are absent), maps Maps, bytes and what encodes itself `Uint8Array`s, integers numbers where they fit.
 */
export class GobDecoder {
  readonly #types = new Map<number, WireType>();

  /** Takes a message; answers the value that it carries, or undefined if it defines a type. */
  message(bytes: Uint8Array): { readonly value: unknown } | undefined {
    const reader = new GobReader(bytes);
    const id = reader.int();
    if (id < 0) {
      this.#types.set(-id, this.#definition(reader));
      return undefined;
    }
    const isStruct = this.#types.get(id)?.kind === 'struct';
    if (!isStruct) reader.uint();
    return { value: this.#value(reader, id, 0) };
  }

  #value(reader: GobReader, id: number, depth: number): unknown {
    if (depth > maxDepth) throw new GobError('values nested too deep');
    switch (id) {
      case 1:
        return reader.uint() !== 0;
      case 2:
        return narrowed(reader.wideInt());
      case 3:
        return narrowed(reader.wideUint());
      case 4:
        return reader.float();
      case 5:
        return reader.bytes();
      case 6:
        return reader.text();
      case 8:
        return this.#interface(reader, depth);
      default:
        return this.#defined(reader, this.#type(id), depth);
    }
  }

  #defined(reader: GobReader, type: WireType, depth: number): unknown {
    switch (type.kind) {
      case 'opaque':
        return reader.bytes();
      case 'struct':
        return this.#struct(reader, type.fields, depth);
      case 'map': {
        const map = new Map<unknown, unknown>();
        for (let left = this.#count(reader); left > 0; left -= 1)
          map.set(this.#value(reader, type.key, depth + 1), this.#value(reader, type.element, depth + 1));
        return map;
      }
      default:
        return Array.from({ length: this.#count(reader) }, () => this.#value(reader, type.element, depth + 1));
    }
  }

  /** A count of items, each of which takes at least a byte. */
  #count(reader: GobReader): number {
    const count = reader.uint();
    if (count > reader.left) throw new GobError(`${count} items where ${reader.left} bytes are left`);
    return count;
  }

  #struct(reader: GobReader, fields: readonly { name: string; type: number }[], depth: number): unknown {
    const object: Record<string, unknown> = Object.create(null);
    let at = -1;
    for (let delta = reader.uint(); delta !== 0; delta = reader.uint()) {
      at += delta;
      const field = fields[at];
      if (!field) throw new GobError(`field ${at} of a struct of ${fields.length}`);
      object[field.name] = this.#value(reader, field.type, depth + 1);
    }
    return object;
  }

  #interface(reader: GobReader, depth: number): unknown {
    const name = reader.text();
    if (name === '') return null;
    const id = reader.int();
    if (id < 0) throw new GobError('a type is defined within a value');
    const inner = new GobReader(reader.bytes());
    if (this.#types.get(id)?.kind !== 'struct') inner.uint();
    return this.#value(inner, id, depth + 1);
  }

  #type(id: number): WireType {
    const type = this.#types.get(id);
    if (!type) throw new GobError(`type ${id} is not defined`);
    return type;
  }

  /** Reads gob's wireType: one of its fields is set, by the kind of the type. */
  #definition(reader: GobReader): WireType {
    const number = reader.uint();
    const kind = wireKinds[number - 1];
    if (!kind) throw new GobError(`a definition of kind ${number}`);
    const parts = this.#definitionParts(reader, kind === 'struct');
    switch (kind) {
      case 'array':
      case 'slice':
        return { kind, element: parts.ids[0] ?? 0 };
      case 'map':
        return { kind, key: parts.ids[0] ?? 0, element: parts.ids[1] ?? 0 };
      case 'struct':
        return { kind, fields: parts.fields };
      default:
        return { kind };
    }
  }

  #definitionParts(reader: GobReader, isStruct: boolean) {
    const ids: number[] = [];
    const fields: { name: string; type: number }[] = [];
    for (let delta = reader.uint(), at = delta; delta !== 0; delta = reader.uint(), at += delta) {
      if (at === 1) this.#skipCommon(reader);
      else if (isStruct) for (let left = this.#count(reader); left > 0; left -= 1) fields.push(this.#field(reader));
      else ids.push(reader.int());
    }
    return { ids, fields };
  }

  #skipCommon(reader: GobReader): void {
    for (let delta = reader.uint(), at = delta; delta !== 0; delta = reader.uint(), at += delta) {
      if (at === 1) reader.text();
      else reader.int();
    }
  }

  #field(reader: GobReader): { name: string; type: number } {
    let name = '';
    let type = 0;
    for (let delta = reader.uint(), at = delta; delta !== 0; delta = reader.uint(), at += delta) {
      if (at === 1) name = reader.text();
      else type = reader.int();
    }
    return { name, type };
  }
}

function narrowed(value: bigint): number | bigint {
  const narrow = Number(value);
  return Number.isSafeInteger(narrow) ? narrow : value;
}
