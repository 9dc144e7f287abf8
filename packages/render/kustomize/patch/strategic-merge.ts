import type { Schemas } from '../config/openapi-schema.ts';
import type { SchemaNode } from '../config/schema-node.ts';
import { GoError } from '../failure/go-error.ts';
import { setScalar } from '../tree/fields.ts';
import { requireKind } from '../tree/invalid-kind.ts';
import { Node, nullTag, stringTag } from '../tree/node.ts';
import { isYaml11NonString } from '../tree/resolve-scalar.ts';
import { type ElementKeys, findElement, setElement } from './list-elements.ts';
import { mergeKeyTuples, usableKeys } from './merge-keys.ts';
import { takeDirective } from './patch-directive.ts';

/**
 * Merges a patch into a tree as kyaml does: maps field by field, lists as the schema of the object's kind says (the patch's
 * elements come first), all else is replaced; a null takes a field away. Both trees change. Undefined if the patch deletes
 * the whole.
 */
export function strategicMerge(target: Node, patch: Node, schemas: Schemas): Node | undefined {
  return new Merge(schemas).nodes(target, patch, undefined);
}

class Merge {
  readonly #schemas: Schemas;
  /** Nulls of the target that stay, as the patch does not name them. */
  readonly #kept = new Set<Node>();

  constructor(schemas: Schemas) {
    this.#schemas = schemas;
  }

  nodes(target: Node | undefined, patch: Node | undefined, known: SchemaNode | undefined): Node | undefined {
    const schema = known ?? this.#schemaOf(target) ?? this.#schemaOf(patch);
    const kind = present(target)?.kind ?? present(patch)?.kind ?? 'map';
    if (kind === 'none') return undefined;
    requireKind(target, kind);
    requireKind(patch, kind);
    if (kind === 'scalar') return patch ?? target;
    // An empty list or map is written in brackets; what it gets is not.
    if (target && patch && target.kind !== 'scalar' && target.content.length === 0) target.style = patch.style;
    if (kind === 'map') return this.#maps(target, patch, schema);
    if (schema?.k === undefined) return patch ?? target;
    return this.#lists(target, patch, schema, schema.k);
  }

  #schemaOf(node: Node | undefined): SchemaNode | undefined {
    if (node?.kind !== 'map' || node.isNull) return undefined;
    const apiVersion = textOf(node.get('apiVersion'));
    const kind = textOf(node.get('kind'));
    return apiVersion === '' || kind === '' ? undefined : this.#schemas.ofKind(apiVersion, kind);
  }

  #maps(target: Node | undefined, patch: Node | undefined, schema: SchemaNode | undefined): Node | undefined {
    const merged = this.#startOfMaps(target, patch);
    if (merged === undefined) return undefined;
    const names = new Set([...(present(merged)?.keys() ?? []), ...(present(patch)?.keys() ?? [])]);
    for (const name of [...names].sort()) {
      const value = this.nodes(
        present(merged)?.get(name),
        present(patch)?.get(name),
        schema && this.#schemas.field(schema, name),
      );
      this.#setField(merged, name, value, patch);
    }
    return merged;
  }

  #startOfMaps(target: Node | undefined, patch: Node | undefined): Node | undefined {
    if (present(target) === undefined) {
      if (patch !== undefined && patch.kind === 'map') {
        if (ignoringUnknown(patch) === 'delete') return undefined;
      } else if (patch === undefined && target !== undefined && target.value !== '') {
        const kept = Node.scalar(target.value, nullTag);
        kept.origin = target.origin;
        kept.line = target.line;
        this.#kept.add(kept);
        return kept;
      }
      return patch;
    }
    if (patch?.isNull) return undefined;
    switch (takeDirective(patch)) {
      case 'delete':
        return undefined;
      case 'replace':
        return patch;
      default:
        return target;
    }
  }

  /** Style of what is there stays; a key that is new is written as in the patch. */
  #setField(map: Node, name: string, value: Node | undefined, patch: Node | undefined): void {
    if (value === undefined || (value.isNull && !this.#kept.has(value))) {
      map.clear(name);
      return;
    }
    guard(value);
    const field = map.get(name);
    if (field === value) return;
    if (field !== undefined) {
      value.style = field.style;
      // Who says the same again did not make it so.
      if (value.kind === 'scalar' && field.kind === 'scalar' && value.value === field.value && field.origin) {
        value.origin = field.origin;
        value.line = field.line;
      }
      field.become(value);
      return;
    }
    const key = Node.scalar(name);
    const written = present(patch)?.get(name) === value ? patch?.keyNode(name) : undefined;
    if (written) key.style = written.style;
    key.origin = value.origin;
    key.line = value.line;
    map.content.push(key, value);
  }

  #lists(
    target: Node | undefined,
    patch: Node | undefined,
    schema: SchemaNode,
    keys: readonly string[],
  ): Node | undefined {
    let merged = target;
    if (present(target) === undefined) merged = patch;
    else if (patch?.isNull) merged = undefined;
    else {
      const directive = takeDirective(patch);
      if (directive === 'delete') merged = undefined;
      else if (directive === 'replace') merged = patch;
    }
    if (merged === undefined) return undefined;
    const sources = [merged, patch];
    const elements = this.#schemas.elements(schema);
    return keys.length > 0
      ? this.#elements(sources, elements, keys, keyTuples(sources, keys))
      : this.#elements(sources, elements, [''], scalarTuples(sources));
  }

  /** `tuples` are the values of the keys of every element, those of the patch first. */
  #elements(
    sources: readonly (Node | undefined)[],
    schema: SchemaNode | undefined,
    keys: readonly string[],
    found: string[][],
  ): Node {
    const target = sources[0] as Node;
    const tuples = keys.length > 1 ? mergeKeyTuples(found) : found;
    const added = new Node('list').stamped(target.origin, target.line);
    let last: ElementKeys = { keys, values: [] };
    for (const tuple of tuples) {
      last = usableKeys(tuples, tuple, keys);
      const own = usableKeys([last.values], last.values, last.keys);
      const [before, patch] = sources.map((source) => (source?.kind === 'list' ? findElement(source, own) : undefined));
      const element = this.nodes(before, patch, schema);
      if (element === undefined || element.isNull || (element.kind === 'map' && element.content.length === 0)) {
        for (let i = 0; i < last.keys.length; i++) setElement(target, last, undefined);
        continue;
      }
      for (const [i, key] of last.keys.entries()) ensureKey(element, key, last.values[i] ?? '');
      setElement(added, last, element);
    }
    if (tuples.length === 0) return target;
    return appendElements(added, target, last.keys);
  }
}

function present(node: Node | undefined): Node | undefined {
  return node === undefined || node.isNull ? undefined : node;
}

function textOf(node: Node | undefined): string {
  return node === undefined || node.isEmpty ? '' : node.value;
}

/** In what is new, a word that is not known is not refused until it is merged with itself. */
function ignoringUnknown(patch: Node): string {
  try {
    return takeDirective(patch);
  } catch (error) {
    if (error instanceof GoError) return 'unknown';
    throw error;
  }
}

/** Quotes a string that a reader of YAML 1.1 takes for something else. */
function guard(value: Node): void {
  const isString = value.kind === 'scalar' && (value.tag === stringTag || value.tag === '');
  if (isString && value.style === '' && isYaml11NonString(value.value)) value.style = 'quoted';
}

function ensureKey(element: Node, key: string, value: string): void {
  if (value === '' || (element.kind === 'map' && element.get(key) !== undefined)) return;
  const scalar = Node.scalar(value);
  scalar.origin = element.origin;
  scalar.line = element.line;
  if (key === '') {
    setScalar(element, scalar);
    return;
  }
  requireKind(element, 'map');
  guard(scalar);
  element.append(key, scalar);
}

function keyTuples(sources: readonly (Node | undefined)[], keys: readonly string[]): string[][] {
  const seen = new Set<string>();
  const tuples: string[][] = [];
  for (const source of [sources[1], sources[0]]) {
    for (const item of source?.kind === 'list' ? source.content : []) {
      const tuple = keys.map((key) => (item.kind === 'map' ? textOf(item.get(key)) : ''));
      const id = JSON.stringify(tuple);
      if (!seen.has(id)) tuples.push(tuple);
      seen.add(id);
    }
  }
  return tuples;
}

function scalarTuples(sources: readonly (Node | undefined)[]): string[][] {
  const values = new Set<string>();
  for (const source of [sources[1], sources[0]])
    for (const item of source?.kind === 'list' ? source.content : []) values.add(item.value);
  return [...values].map((value) => [value]);
}

/** Adds what the list had to the merged elements; one with the same keys takes the place of the one before. */
function appendElements(list: Node, rest: Node, keys: readonly string[]): Node {
  for (const element of rest.content) {
    if (keys[0] === '') {
      setElement(list, { keys: [''], values: [element.value] }, element);
      continue;
    }
    const values: string[] = [];
    for (const key of keys) {
      requireKind(element, 'map');
      const value = element.isNull ? undefined : element.get(key);
      if (value === undefined) list.content.push(element);
      else values.push(value.value);
    }
    if (keys.length > 1) setElement(list, { keys, values }, undefined);
    setElement(list, { keys, values }, element);
  }
  return list;
}
