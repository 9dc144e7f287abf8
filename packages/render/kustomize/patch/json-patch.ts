import type { Printable } from '@tiphys/yaml';
import { GoError, wrapped } from '../failure/go-error.ts';
import { refuseHuge } from '../tree/bounded-size.ts';
import { formatJson } from '../tree/format-json.ts';
import { fromValueAt } from '../tree/from-value.ts';
import { Node, nullTag, type Origin } from '../tree/node.ts';
import { toValue } from '../tree/to-value.ts';

/** One operation of a JSON patch as it was read: any field may be missing or of a wrong type. */
export interface JsonPatchOperation {
  readonly fields: ReadonlyMap<string, Printable>;
  readonly origin: Origin | undefined;
  readonly line: number;
}

/**
 * Applies the operations in turn and gives the new tree; the given one changes too. The rules are those of the library that
 * Kustomize uses: `replace` may add a field of a map, indices may be negative, `test` compares numbers as written.
 */
export function applyJsonPatch(document: Node, operations: readonly JsonPatchOperation[]): Node {
  let root = document;
  for (const operation of operations) {
    try {
      root = new Operation(root, operation).apply();
    } catch (error) {
      if (!(error instanceof GoError)) throw error;
      const { origin, line } = operation;
      if (origin) error.place ??= { file: origin.file, line };
      throw error;
    }
  }
  return root;
}

const missingValue = 'missing value';

class Operation {
  readonly #root: Node;
  readonly #operation: JsonPatchOperation;

  constructor(root: Node, operation: JsonPatchOperation) {
    this.#root = root;
    this.#operation = operation;
  }

  apply(): Node {
    const kind = this.#operation.fields.get('op');
    switch (kind) {
      case 'add':
        this.#add();
        return this.#root;
      case 'remove':
        this.#remove();
        return this.#root;
      case 'replace':
        return this.#replace();
      case 'move':
        this.#move();
        return this.#root;
      case 'copy':
        this.#copy();
        refuseHuge(this.#root);
        return this.#root;
      case 'test':
        this.#test();
        return this.#root;
      default:
        throw new GoError(`Unexpected kind: ${typeof kind === 'string' ? kind : 'unknown'}`, {
          remedies: ['Use one of add, remove, replace, move, copy and test'],
        });
    }
  }

  #text(name: 'path' | 'from'): string {
    const value = this.#operation.fields.get(name);
    if (typeof value === 'string') return value;
    if (value === undefined || value === null)
      throw new GoError(`operation${name === 'from' ? ',' : ''} missing ${name} field: ${missingValue}`);
    throw new GoError(`json: cannot unmarshal ${jsonType(value)} into Go value of type string`);
  }

  /** `lossy`: whatever is wrong with it, the library says that it is missing. */
  #path(operation: string, lossy: boolean): string {
    try {
      return this.#text('path');
    } catch (error) {
      const prefix = `${operation} operation failed to decode path`;
      throw lossy ? new GoError(`${prefix}: ${missingValue}`) : wrapped(error, prefix);
    }
  }

  #from(operation: string): string {
    try {
      return this.#text('from');
    } catch (error) {
      throw wrapped(error, `${operation} operation failed to decode from`);
    }
  }

  #value(): Node {
    const { fields, origin, line } = this.#operation;
    return fromValueAt(fields.get('value') ?? null, 'yaml', origin, line);
  }

  /** The map or list that holds the last part of a path. */
  #holder(path: string, told: string): { holder: Node; key: string } {
    const parts = path.split('/').map(unescapePart);
    let holder: Node | undefined = parts.length < 2 ? undefined : this.#root;
    for (const part of parts.slice(1, -1)) {
      holder = holder && child(holder, part);
      if (holder?.isNull || (holder?.kind !== 'map' && holder?.kind !== 'list')) holder = undefined;
    }
    if (holder === undefined)
      throw new GoError(`${told}: ${missingValue}`, {
        evidence: { path, ...this.#nearest(parts) },
        remedies: ['Correct the path, or add the parents that are missing first'],
      });
    return { holder, key: parts.at(-1) as string };
  }

  /** How far a path leads, and what is there. */
  #nearest(parts: readonly string[]): Record<string, string> {
    let at: Node = this.#root;
    const found: string[] = [''];
    for (const part of parts.slice(1)) {
      const next = child(at, part);
      if (next === undefined) break;
      found.push(part.replaceAll('~', '~0').replaceAll('/', '~1'));
      at = next;
    }
    return {
      'leads as far as': found.join('/') || '/',
      'there is': at.kind === 'map' ? at.keys().join(', ') || 'an empty map' : describe(at),
    };
  }

  #add(): void {
    const path = this.#path('add', true);
    const { holder, key } = this.#holder(path, `add operation does not apply: doc is missing path: "${path}"`);
    within(`error in add for path: '${path}'`, () => addTo(holder, key, this.#value()));
  }

  #remove(): void {
    const path = this.#path('remove', true);
    const { holder, key } = this.#holder(path, `remove operation does not apply: doc is missing path: "${path}"`);
    within(`error in remove for path: '${path}'`, () => removeFrom(holder, key));
  }

  #replace(): Node {
    const path = this.#path('replace', false);
    if (path === '') {
      const value = this.#value();
      if (value.kind !== 'map' && value.kind !== 'list')
        throw new GoError('replace operation value must be object or array: %!w(<nil>)', {
          remedies: ['Give path the field that is to be replaced: an empty one means the whole object'],
        });
      return value;
    }
    const { holder, key } = this.#holder(path, `replace operation does not apply: doc is missing path: ${path}`);
    if (holder.kind === 'map') {
      addTo(holder, key, this.#value());
      return this.#root;
    }
    try {
      getFrom(holder, key);
    } catch {
      throw new GoError(`replace operation does not apply: doc is missing key: ${path}: ${missingValue}`, {
        evidence: { path, elements: holder.content.length },
      });
    }
    holder.content[index(key, holder.content.length)] = this.#value();
    return this.#root;
  }

  #move(): void {
    const from = this.#from('move');
    const source = this.#holder(from, `move operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in move for path: '${source.key}'`, () => {
      const found = getFrom(source.holder, source.key);
      removeFrom(source.holder, source.key);
      return found;
    });
    const path = this.#path('move', false);
    const target = this.#holder(path, `move operation does not apply: doc is missing destination path: ${path}`);
    within(`error in move for path: '${path}'`, () =>
      addTo(target.holder, target.key, value ?? Node.scalar('null', nullTag)),
    );
  }

  #copy(): void {
    const from = this.#from('copy');
    const source = this.#holder(from, `copy operation does not apply: doc is missing from path: ${from}`);
    const value = within(`error in copy for from: '${from}'`, () => getFrom(source.holder, source.key));
    const path = this.#path('copy', true);
    const target = this.#holder(path, `copy operation does not apply: doc is missing destination path: ${path}`);
    within('error while adding value during copy', () =>
      addTo(target.holder, target.key, value?.copy() ?? Node.scalar('null', nullTag)),
    );
  }

  #test(): void {
    const path = this.#path('test', false);
    const wanted = this.#operation.fields.get('value');
    let found: Node | undefined = this.#root;
    if (path !== '') {
      const { holder, key } = this.#holder(path, `test operation does not apply: is missing path: ${path}`);
      found = within(`error in test for path: '${path}'`, () => getFrom(holder, key));
    }
    const value = found === undefined || found.isNull ? null : toValue(found);
    if (formatJson(value) === formatJson(wanted ?? null)) return;
    throw new GoError(`testing value ${path} failed: test failed`, {
      evidence: { found: formatJson(value), wanted: formatJson(wanted ?? null) },
    });
  }
}

function within<T>(prefix: string, body: () => T): T {
  try {
    return body();
  } catch (error) {
    throw wrapped(error, prefix);
  }
}

function unescapePart(text: string): string {
  return text.replace(/~[01]/g, (part) => (part === '~1' ? '/' : '~'));
}

function child(node: Node, part: string): Node | undefined {
  if (node.kind === 'map') return node.get(part);
  if (node.kind !== 'list') return undefined;
  try {
    return getFrom(node, part);
  } catch (error) {
    if (error instanceof GoError) return undefined;
    throw error;
  }
}

function describe(node: Node): string {
  return node.kind === 'list' ? `a list of ${node.content.length}` : `${node.value}`;
}

function atoi(text: string): number {
  if (/^[-+]?\d+$/.test(text)) {
    if (Number.isSafeInteger(Number(text))) return Number(text);
    throw new GoError(`strconv.Atoi: parsing ${JSON.stringify(text)}: value out of range`);
  }
  throw new GoError(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function invalidIndex(at: number, length: number): GoError {
  return new GoError(`Unable to access invalid index: ${at}: invalid index referenced`, {
    evidence: { elements: length },
  });
}

/** Counted from the end if negative. */
function index(key: string, length: number): number {
  const at = atoi(key);
  if (at >= length || at < -length) throw invalidIndex(at, length);
  return at < 0 ? at + length : at;
}

function getFrom(holder: Node, key: string): Node | undefined {
  return holder.kind === 'map' ? holder.get(key) : holder.content[index(key, holder.content.length)];
}

function addTo(holder: Node, key: string, value: Node): void {
  const { content } = holder;
  if (holder.kind === 'list') {
    if (key === '-') {
      content.push(value);
      return;
    }
    let at: number;
    try {
      at = atoi(key);
    } catch (error) {
      throw wrapped(error, `value was not a proper array index: '${key}'`);
    }
    const size = content.length + 1;
    if (at >= size || at < -size) throw invalidIndex(at, content.length);
    content.splice(at < 0 ? at + size : at, 0, value);
    return;
  }
  for (let i = 0; i + 1 < content.length; i += 2) {
    if ((content[i] as Node).value !== key) continue;
    content[i + 1] = value;
    return;
  }
  const name = fromValueAt(key, 'yaml', value.origin, value.line);
  content.push(name, value);
}

function removeFrom(holder: Node, key: string): void {
  if (holder.kind === 'list') {
    holder.content.splice(index(key, holder.content.length), 1);
    return;
  }
  if (holder.get(key) === undefined)
    throw new GoError(`Unable to remove nonexistent key: ${key}: ${missingValue}`, {
      evidence: { 'there is': holder.keys().join(', ') || 'an empty map' },
    });
  holder.clear(key);
}

function jsonType(value: Printable): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || typeof value === 'bigint') return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}
