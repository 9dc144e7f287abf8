import { GoError, goMessageOf, reworded, wrapped } from '../failure/go-error.ts';
import { splitApiVersion } from '../kustomization/gvk.ts';
import type { FieldSpec } from '../kustomization/kustomization.ts';
import type { Resource, Stamp } from '../resource/resource.ts';
import { formatId } from '../resource/resource-id.ts';
import { lookup, lookupCreate, setField, setScalar } from '../tree/fields.ts';
import { Node, type NodeKind } from '../tree/node.ts';

export interface FieldSpecOptions {
  readonly set: (node: Node) => void;
  /** What is made where the spec says `create`; nothing is made without it. */
  readonly createKind?: NodeKind;
  readonly createTag?: string;
}

/** Calls `set` on every node that the spec's path leads to, if the spec is for the resource's kind. */
export function applyFieldSpec(resource: Resource, spec: FieldSpec, options: FieldSpecOptions): void {
  if (!matches(spec, resource)) return;
  const path = splitPath(spec.path ?? '');
  try {
    new Walk(spec, options).visit(resource.node, path);
  } catch (error) {
    const id = formatId({ ...resource.id, clusterScoped: false });
    throw wrapped(error, `considering field '${spec.path ?? ''}' of object ${id}`);
  }
}

export function applyFieldSpecs(resource: Resource, specs: readonly FieldSpec[], options: FieldSpecOptions): void {
  for (const spec of specs) applyFieldSpec(resource, spec, options);
}

function matches(spec: FieldSpec, resource: Resource): boolean {
  if (spec.kind && spec.kind !== resource.kind) return false;
  if (!spec.group && !spec.version) return true;
  const { group, version } = splitApiVersion(resource.apiVersion);
  return (!spec.group || spec.group === group) && (!spec.version || spec.version === version);
}

/** Parts of a path between `/`; `\/` is a slash inside a part. */
export function splitPath(path: string, delimiter = '/'): string[] {
  const parts = path.split(delimiter);
  if (parts.length > 1 && parts[0] === '') parts.shift();
  const result: string[] = [];
  for (let i = 0; i < parts.length; i++) {
    let part = parts[i] as string;
    while (part.endsWith('\\') && i + 1 < parts.length) part = `${part.slice(0, -1)}${delimiter}${parts[++i]}`;
    result.push(part);
  }
  return result;
}

class Walk {
  readonly #create: boolean;
  readonly #options: FieldSpecOptions;

  constructor(spec: FieldSpec, options: FieldSpecOptions) {
    this.#create = spec.create === true && options.createKind !== undefined;
    this.#options = options;
  }

  visit(node: Node, path: readonly string[]): void {
    if (path.length === 0) {
      this.#options.set(node);
      return;
    }
    if (node.isNull) return;
    if (node.kind === 'list') {
      try {
        for (const item of node.content) this.visit(item, path);
      } catch (error) {
        throw wrapped(error, `visit traversal on path: [${path.join(' ')}]`);
      }
    } else if (node.kind === 'map') this.#map(node, path);
    else throw new GoError('expected sequence or mapping node');
  }

  #map(node: Node, path: readonly string[]): void {
    const [part = ''] = path;
    const isList = part.endsWith('[]');
    const name = isList ? part.slice(0, -2) : part;
    if (name === '') throw new GoError('cannot set or create an empty field name');
    let field: Node | undefined;
    let kind: NodeKind | undefined;
    let tag = '';
    try {
      if (!this.#create || isList) {
        field = lookup(node, name);
        if (isList) kind = 'list';
      } else if (path.length === 1) {
        kind = this.#options.createKind as NodeKind;
        tag = this.#options.createTag ?? '';
        field = lookupCreate(node, kind, name);
      } else {
        kind = 'map';
        tag = '!!map';
        field = lookupCreate(node, 'map', name);
      }
    } catch (error) {
      throw wrapped(error, `fieldName: ${name}`);
    }
    if (field === undefined) return;
    if (field.isNull && kind !== undefined) {
      field.kind = kind;
      field.tag = tag;
    }
    this.visit(field, path.slice(1));
  }
}

/** Sets the text of a scalar; its type is found from the text unless a tag is given. */
export function scalarSetter(value: string, tag: string, stamp: Stamp): (node: Node) => void {
  return (node) => setScalar(node, stamped(Node.scalar(value, tag), stamp));
}

/**
 * Sets a field of a map to a string. As in Kustomize, the maps that get the field from one setter share its node: who sets
 * it in one of them later sets it in all, so a setter is made anew for each resource.
 */
export function entrySetter(name: string, value: string, stamp: Stamp): (node: Node) => void {
  const shared = stamped(Node.string(value), stamp);
  return (node) => {
    setField(node, name, shared);
  };
}

export function stamped(node: Node, stamp: Stamp): Node {
  node.origin = stamp.origin;
  node.line = stamp.line;
  return node;
}

/** Runs a step on a resource and adds to a failure which resource it was. */
export function onResource<T>(resource: Resource, body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof GoError)) throw error;
    const { origin, line } = resource.node;
    throw reworded(error, goMessageOf(error), {
      evidence: { resource: formatId(resource.id), 'defined at': origin ? `${origin.file}:${line}` : undefined },
    });
  }
}
