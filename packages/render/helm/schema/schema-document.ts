import { resolveUrl, type Value } from '@tiphys/template';
import { type Draft, draftOf } from './drafts.ts';
import { objectOf } from './json.ts';

/** A schema that can not be used, in the words of Helm's library. */
export class SchemaFault extends Error {}

/** A part of a document that has a name of its own, and so is a base for references. */
export interface Resource {
  readonly pointer: string;
  readonly id: string;
  readonly draft: Draft;
  readonly anchors: Map<string, string>;
  readonly dynamicAnchors: Set<string>;
}

/** Gives the draft of a schema from its `$schema`, or the one around it. */
export type DraftChooser = (schema: Value, where: string, around: Draft) => Draft;

export function join(pointer: string, ...steps: string[]): string {
  return steps.reduce((path, step) => `${path}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`, pointer);
}

export function splitFragment(reference: string): [string, string] {
  const at = reference.indexOf('#');
  if (at < 0) return [reference, ''];
  const fragment = reference.slice(at + 1);
  try {
    return [reference.slice(0, at), decodeURIComponent(fragment)];
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    const bad = /%(?![0-9A-Fa-f]{2}).{0,2}/.exec(fragment)?.[0] ?? fragment.slice(0, 3);
    throw new SchemaFault(`error in parsing ${JSON.stringify(reference)}: invalid URL escape ${JSON.stringify(bad)}`);
  }
}

export function encodeFragment(fragment: string): string {
  return fragment
    .split('/')
    .map((step) =>
      encodeURIComponent(step).replace(/%(24|26|2B|3A|3D|40)|[!'()*]/g, (text) =>
        text.startsWith('%')
          ? String.fromCharCode(Number.parseInt(text.slice(1), 16))
          : `%${text.charCodeAt(0).toString(16).toUpperCase()}`,
      ),
    )
    .join('/');
}

/** One JSON document with the schemas, names and anchors inside. */
export class SchemaDocument {
  readonly url: string;
  readonly root: Value;
  readonly resources = new Map<string, Resource>();
  readonly #known = new Set<string>();
  readonly #draftFor: DraftChooser;

  constructor(url: string, root: Value, around: Draft, draftFor: DraftChooser) {
    this.url = url;
    this.root = root;
    this.#draftFor = draftFor;
    this.#collect(root, url, '', around);
  }

  place(pointer: string): string {
    return `${this.url}#${encodeFragment(pointer)}`;
  }

  resourceOf(pointer: string): Resource {
    for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
      const found = this.resources.get(at);
      if (found) return found;
    }
  }

  /** True if the pointer leads to a place where schemas are expected. */
  knows(pointer: string): boolean {
    return this.#known.has(pointer);
  }

  /** Takes what a reference leads to as a schema, wherever it is. */
  adopt(pointer: string): void {
    const around = this.resourceOf(pointer);
    this.#collect(this.lookup(pointer), around.id, pointer, around.draft);
  }

  lookup(pointer: string): Value {
    let value = this.root;
    for (const step of pointer.split('/').slice(1)) {
      if (/~(?![01])/.test(step)) throw new SchemaFault(`invalid json-pointer ${JSON.stringify(this.place(pointer))}`);
      const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
      const next = Array.isArray(value)
        ? /^\+?[0-9]+$/.test(name)
          ? value[Number(name)]
          : undefined
        : objectOf(value)?.get(name);
      if (next === undefined) throw new SchemaFault(`json-pointer in ${JSON.stringify(this.place(pointer))} not found`);
      value = next;
    }
    return value;
  }

  /** The pointer to which a fragment leads from a resource. */
  resolve(fragment: string, resource: Resource): string {
    if (fragment === '' || fragment.startsWith('/')) return resource.pointer + fragment;
    const anchored = resource.anchors.get(fragment);
    if (anchored !== undefined) return anchored;
    const reference = `${resource.id}#${encodeFragment(fragment)}`;
    throw new SchemaFault(`anchor in ${JSON.stringify(reference)} not found in schema ${JSON.stringify(this.url)}`);
  }

  #collect(schema: Value, base: string, pointer: string, around: Draft): void {
    if (this.#known.has(pointer)) return;
    this.#known.add(pointer);
    const object = objectOf(schema);
    if (!object) {
      if (pointer === '') this.#name('', base, around);
      return;
    }
    let draft = this.#draftFor(schema, this.place(pointer), around);
    let id = idOf(object, draft);
    // Inside of a document only a schema with a name can choose its draft.
    if (id === '' && pointer !== '') {
      draft = around;
      id = idOf(object, draft);
    }
    const url = id === '' ? base : this.#resolveId(base, id, pointer);
    if (id !== '' || pointer === '')
      this.#name(pointer, url, typeof object.get('$schema') === 'string' ? draft : around);
    const resource = [...this.resources.values()].find((one) => one.id === url) as Resource;
    this.#anchors(object, pointer, resource);
    for (const [at, inner] of placesIn(schema, draft.places, pointer)) this.#collect(inner, url, at, resource.draft);
  }

  #resolveId(base: string, id: string, pointer: string): string {
    try {
      return resolveUrl(base, id);
    } catch (error) {
      throw new SchemaFault(`error in parsing id at ${JSON.stringify(this.place(pointer))}`, { cause: error });
    }
  }

  #name(pointer: string, id: string, draft: Draft): void {
    for (const other of this.resources.values()) {
      if (other.id !== id) continue;
      if (other.pointer === pointer) return;
      throw new SchemaFault(
        `duplicate id ${JSON.stringify(id)} in ${JSON.stringify(this.url)} at ${JSON.stringify(pointer)} and ${JSON.stringify(other.pointer)}`,
      );
    }
    this.resources.set(pointer, { pointer, id, draft, anchors: new Map(), dynamicAnchors: new Set() });
  }

  #anchors(object: ReadonlyMap<string, Value>, pointer: string, resource: Resource): void {
    const { version, id } = resource.draft;
    const add = (anchor: string): void => {
      const old = resource.anchors.get(anchor);
      if (old !== undefined && old !== pointer) {
        throw new SchemaFault(
          `duplicate anchor ${JSON.stringify(anchor)} in ${JSON.stringify(this.url)} at ${JSON.stringify(old)} and ${JSON.stringify(pointer)}`,
        );
      }
      resource.anchors.set(anchor, pointer);
    };
    const text = (name: string): string | undefined => {
      const value = object.get(name);
      return typeof value === 'string' ? value : undefined;
    };
    if (version < 2019) {
      if (object.has('$ref')) return;
      const [, fragment] = splitFragment(text(id) ?? '');
      if (fragment !== '' && !fragment.startsWith('/')) add(fragment);
      return;
    }
    const anchor = text('$anchor');
    if (anchor !== undefined) add(anchor);
    const dynamic = version >= 2020 ? text('$dynamicAnchor') : undefined;
    if (dynamic === undefined) return;
    add(dynamic);
    resource.dynamicAnchors.add(dynamic);
  }
}

function idOf(object: ReadonlyMap<string, Value>, draft: Draft): string {
  if (draft.version < 2019 && object.has('$ref')) return '';
  const id = object.get(draft.id);
  return typeof id === 'string' ? (id.split('#', 1)[0] as string) : '';
}

/** The schemas inside of a schema, at the places of a draft. */
function placesIn(schema: Value, places: readonly string[], pointer: string): Map<string, Value> {
  const found = new Map<string, Value>();
  for (const place of places) {
    const [name = '', all] = place.split('/');
    const value = objectOf(schema)?.get(name);
    if (value === undefined) continue;
    const at = join(pointer, name);
    if (all === undefined) found.set(at, value);
    else if (all === '*') for (const [key, item] of objectOf(value) ?? []) found.set(join(at, key), item);
    else if (Array.isArray(value)) for (const [i, item] of value.entries()) found.set(join(at, String(i)), item);
  }
  return found;
}

/** The draft of a schema, by its `$schema`; `load` gives the document of one that is not standard. */
export function chooseDraft(load: (url: string) => Value): DraftChooser {
  const choose = (schema: Value, where: string, around: Draft, seen: readonly string[]): Draft => {
    const name = objectOf(schema)?.get('$schema');
    if (typeof name !== 'string') return around;
    const draft = draftOf(name);
    if (draft) return draft;
    const url = name.split('#', 1)[0] as string;
    if (where === `${url}#`) throw new SchemaFault(`draft ${JSON.stringify(url)} is not supported`);
    if (seen.includes(url)) throw new SchemaFault(`cycle in resolving $schema in ${JSON.stringify(url)}`);
    return choose(load(url), `${url}#`, around, [...seen, url]);
  };
  return (schema, where, around) => choose(schema, where, around, []);
}
