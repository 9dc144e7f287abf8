import { isUtf8 } from 'node:buffer';
import { type Printable, YamlReader } from '@tiphys/yaml';
import { GoError, goMessageOf, reworded } from '../failure/go-error.ts';
import { fromValue } from '../tree/from-value.ts';
import type { Node, Origin } from '../tree/node.ts';
import { readTrees } from '../tree/read-tree.ts';
import { toValue } from '../tree/to-value.ts';
import { localConfigAnnotation } from './build-annotations.ts';
import type { Scopes } from './cluster-scope.ts';
import { Resource } from './resource.ts';

/**
 * The objects of a text: documents without content are left out, lists are replaced by their items. Throws GoError for what
 * is no object with kind and name.
 */
export function readResources(
  data: string | Uint8Array,
  origin: Origin,
  scopes: Scopes,
  options: { readonly positions?: boolean } = {},
): Resource[] {
  const text = typeof data === 'string' ? data : decodeText(data, origin);
  return resourcesOf(readTrees(text, origin, options.positions), scopes);
}

/** The same for documents that were read already. */
export function resourcesOf(trees: readonly Node[], scopes: Scopes): Resource[] {
  return inlined(checked(trees)).map((tree) => new Resource(tree, scopes));
}

function decodeText(data: Uint8Array, origin: Origin): string {
  if (isUtf8(data)) return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  try {
    // Says what is wrong with the bytes.
    new YamlReader(data, { file: origin.file });
  } catch (error) {
    const failed = reworded(error, `MalformedYAMLError: ${goMessageOf(error)}`);
    failed.marks.add('malformed-yaml');
    throw failed;
  }
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('latin1');
}

function checked(trees: readonly Node[]): Node[] {
  const kept: Node[] = [];
  for (const tree of trees) {
    if (tree.isEmpty) continue;
    validateMetadata(tree);
    kept.push(tree);
  }
  return kept;
}

interface Meta {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
}

/** Throws unless the object has a kind, and a name if it is no list. */
export function validateMetadata(node: Node): void {
  const meta = readMeta(node);
  const place = node.origin ? { place: { file: node.origin.file, line: node.line } } : {};
  if (meta === undefined) throw new GoError('missing Resource metadata', place);
  if (meta.kind === '') throw new GoError(`missing kind in object ${formatMeta(meta)}`, place);
  if (meta.kind.endsWith('List')) return;
  if (meta.name === '') throw new GoError(`missing metadata.name in object ${formatMeta(meta)}`, place);
}

function readMeta(node: Node): Meta | undefined {
  if (node.kind !== 'map') return undefined;
  const text = (field: Node | undefined): string => (field === undefined || field.isEmpty ? '' : field.value);
  const map = (field: Node | undefined): Map<string, string> => {
    const result = new Map<string, string>();
    if (field?.kind === 'map')
      for (const key of field.keys()) result.set(key, field.get(key)?.isNull ? '' : (field.get(key)?.value ?? ''));
    return result;
  };
  const metadata = node.get('metadata');
  const present = (field: Node | undefined): boolean => field !== undefined && !field.isEmpty;
  const fields = [node.get('apiVersion'), node.get('kind')];
  const inner = present(metadata)
    ? ['name', 'namespace', 'labels', 'annotations'].map((name) =>
        metadata?.kind === 'map' ? metadata.get(name) : undefined,
      )
    : [];
  if (![...fields, ...inner].some(present)) return undefined;
  return {
    apiVersion: text(fields[0]),
    kind: text(fields[1]),
    name: text(inner[0]),
    namespace: text(inner[1]),
    labels: map(inner[2]),
    annotations: map(inner[3]),
  };
}

/** As Go's %v shows the metadata of an object. */
function formatMeta({ apiVersion, kind, name, namespace, labels, annotations }: Meta): string {
  const map = (values: ReadonlyMap<string, string>): string =>
    `map[${[...values]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}:${value}`)
      .join(' ')}]`;
  return `{{${apiVersion} ${kind}} {{${name} ${namespace}} ${map(labels)} ${map(annotations)}}}`;
}

function inlined(trees: readonly Node[]): Node[] {
  const queue = [...trees];
  const result: Node[] = [];
  for (let tree = queue.shift(); tree !== undefined; tree = queue.shift()) {
    const kind = tree.get('kind')?.value ?? '';
    const items = tree.get('items');
    if (!kind.endsWith('List') || items === undefined) {
      result.push(tree);
      continue;
    }
    if (items.isNull) continue;
    if (items.kind !== 'list')
      throw new GoError(`expected array in ${kind}/items, but found ${goType(toValue(items))}`);
    // Kustomize writes each item as JSON and reads it again.
    queue.push(...checked(items.content.map((item) => reread(item))));
  }
  return result;
}

function reread(item: Node): Node {
  const tree = fromValue(toValue(item), item);
  return tree;
}

function goType(value: Printable): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  return 'map[string]interface {}';
}

/** True for an object that is only read by tools: it never comes to the output. */
export function isLocalConfig(resource: Resource): boolean {
  const value = resource.annotation(localConfigAnnotation);
  return value !== undefined && value !== 'false';
}
