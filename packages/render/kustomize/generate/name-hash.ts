import { createHash } from 'node:crypto';
import type { Printable } from '@tiphys/yaml';
import type { Resource } from '../resource/resource.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { onResource } from '../transform/field-spec.ts';
import { formatJson } from '../tree/format-json.ts';
import type { Node } from '../tree/node.ts';
import { toValue } from '../tree/to-value.ts';
import { nodeJson } from './node-json.ts';

/** Puts the hash of its content behind the name of each resource that asks for it. */
export function addHashes(resources: ResourceMap): void {
  for (const resource of resources.resources) {
    if (!resource.isEnabled('hashSuffix')) continue;
    onResource(resource, () => {
      const hash = hashOf(resource);
      resource.storePreviousId();
      resource.name = `${resource.name}-${hash}`;
    });
  }
}

/** Ten letters and digits that stand for the content of a ConfigMap or Secret, by Kustomize's algorithm. */
function hashOf(resource: Resource): string {
  const { kind } = resource;
  if (kind !== 'ConfigMap' && kind !== 'Secret') return digits(nodeJson(resource.node));
  const field = (name: string): Printable => {
    const node = resource.node.get(name);
    if (node === undefined) return '';
    if (node.kind === 'scalar') return node.value;
    if (node.kind !== 'map') return toValue(node);
    // Keys are taken as text here, whatever they look like.
    return new Map(node.keys().map((key) => [key, toValue(node.get(key) as Node)]));
  };
  // Kustomize looks the name up by a key with a slash, which is never there.
  const content: Record<string, Printable> = { kind, name: '', data: field('data') };
  if (kind === 'Secret') content.type = field('type');
  const more = kind === 'Secret' ? 'stringData' : 'binaryData';
  if (resource.node.get(more)?.kind === 'map') content[more] = field(more);
  return digits(formatJson(content));
}

function digits(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, 10);
  return hex.replace(/[013ae]/g, (digit) => letters[digit] as string);
}

/** Letters that make no bad words. */
const letters: Record<string, string> = { 0: 'g', 1: 'h', 3: 'k', a: 'm', e: 't' };
