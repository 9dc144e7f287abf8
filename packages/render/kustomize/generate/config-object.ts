import { isUtf8 } from 'node:buffer';
import { GoError } from '../failure/go-error.ts';
import type { GeneratorArgs, GeneratorOptions } from '../kustomization/kustomization.ts';
import type { Loader } from '../load/loader.ts';
import type { Scopes } from '../resource/cluster-scope.ts';
import { Resource, type Stamp } from '../resource/resource.ts';
import { lookupCreate, setField } from '../tree/fields.ts';
import { boolTag, Node } from '../tree/node.ts';
import { type KeyValue, readKeyValues } from './key-values.ts';

interface ObjectContext {
  readonly loader: Loader;
  readonly scopes: Scopes;
  readonly stamp: Stamp;
}

/** Makes a ConfigMap or a Secret of its sources. Throws in Kustomize's words. */
export async function makeConfigObject(
  kind: 'ConfigMap' | 'Secret',
  args: GeneratorArgs,
  { loader, scopes, stamp }: ObjectContext,
): Promise<Resource> {
  const { name = '', namespace = '', options } = args;
  if (name === '') throw new GoError('a configmap must have a name', { remedies: ['Give the entry a name'] });
  const root = new Node('map');
  root.append('apiVersion', Node.scalar('v1'));
  root.append('kind', Node.scalar(kind));
  root.append('metadata', new Node('map'));
  const metadata = root.get('metadata') as Node;
  metadata.append('name', Node.string(name));
  if (namespace !== '') metadata.append('namespace', Node.string(namespace));
  if (kind === 'Secret') root.append('type', Node.string(args.type || 'Opaque'));
  root.stamped(stamp.origin, stamp.line);
  const pairs = await readKeyValues(args, loader, stamp);
  pairs.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  if (kind === 'Secret') addSecretData(root, pairs, stamp);
  else addConfigData(root, pairs);
  addOptions(root, options, stamp);
  const resource = new Resource(root, scopes);
  if (!options?.disableNameSuffixHash) resource.enable('hashSuffix');
  resource.behaviour = args.behavior ?? '';
  return resource;
}

/** What is no text goes to binaryData. */
function addConfigData(root: Node, pairs: readonly KeyValue[]): void {
  for (const { key, value, stamp } of pairs) {
    const text = isUtf8(value);
    const map = lookupCreate(root, 'map', text ? 'data' : 'binaryData') as Node;
    if (map.origin === undefined) map.stamped(stamp.origin, stamp.line);
    setField(map, key, Node.string(text ? value.toString('utf8') : base64(value)).stamped(stamp.origin, stamp.line));
  }
}

function addSecretData(root: Node, pairs: readonly KeyValue[], stamp: Stamp): void {
  const data = new Node('map').stamped(stamp.origin, stamp.line);
  root.append('data', data);
  for (const pair of pairs)
    setField(data, pair.key, Node.string(base64(pair.value)).stamped(pair.stamp.origin, pair.stamp.line));
}

/** Lines of 70 characters, if there is more than one. */
function base64(value: Buffer): string {
  const text = value.toString('base64');
  if (text.length < 70) return text;
  return (text.match(/.{1,70}/g) ?? []).map((line) => `${line}\n`).join('');
}

function addOptions(root: Node, options: GeneratorOptions | undefined, stamp: Stamp): void {
  for (const field of ['labels', 'annotations'] as const) {
    const entries = [...(options?.[field] ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [key, value] of entries) {
      const map = lookupCreate(root, 'map', 'metadata', field) as Node;
      setField(map, key, Node.string(value).stamped(stamp.origin, stamp.line));
    }
  }
  if (options?.immutable) root.append('immutable', Node.scalar('true', boolTag).stamped(stamp.origin, stamp.line));
}

/** The options of one entry with those of all; the entry's own labels and annotations win. */
export function mergeOptions(
  own: GeneratorOptions | undefined,
  all: GeneratorOptions | undefined,
): GeneratorOptions | undefined {
  if (all === undefined) return own;
  const merged: GeneratorOptions = { ...own };
  for (const field of ['labels', 'annotations'] as const)
    if (all[field]) merged[field] = new Map([...all[field], ...(own?.[field] ?? [])]);
  if (all.disableNameSuffixHash) merged.disableNameSuffixHash = true;
  if (all.immutable) merged.immutable = true;
  return merged;
}
