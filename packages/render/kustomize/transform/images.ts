import { RE2JS } from 're2js';
import type { FieldSpec, Image } from '../kustomization/kustomization.ts';
import type { Stamp } from '../resource/resource.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { lookup } from '../tree/fields.ts';
import { requireKind } from '../tree/invalid-kind.ts';
import type { Node } from '../tree/node.ts';
import { applyFieldSpecs, onResource, scalarSetter } from './field-spec.ts';
import type { Transformer } from './transformer.ts';

/** Changes names, tags and digests of images, in `containers` and `initContainers` anywhere and where the specs say. */
export function imageTransformer(image: Image, fieldSpecs: readonly FieldSpec[], stamp: Stamp): Transformer {
  const pattern = RE2JS.compile(`^${image.name ?? ''}(:[a-zA-Z0-9_.{}-]*)?(@sha256:[a-zA-Z0-9_.{}-]*)?$`);
  const seen = new Set<string>();
  let fits = false;
  const update = (node: Node): void => {
    requireKind(node, 'scalar');
    seen.add(splitImage(node.value).name);
    if (!pattern.matcher(node.value).find()) return;
    fits = true;
    scalarSetter(changed(node.value, image), '', stamp)(node);
  };
  return {
    name: 'ImageTagTransformer',
    choice: {
      wanted: `no container has the image ${image.name ?? ''}`,
      fits: () => fits,
      there: () => [...seen].sort(),
    },
    transform(resources: ResourceMap) {
      for (const resource of resources.resources) {
        if (resource.kind === 'CustomResourceDefinition') continue;
        onResource(resource, () => updateContainers(resource.node, update));
      }
      for (const resource of resources.resources) {
        if (resource.kind === 'CustomResourceDefinition') continue;
        onResource(resource, () => applyFieldSpecs(resource, fieldSpecs, { set: update }));
      }
      resources.dropEmpty();
    },
  };
}

function updateContainers(node: Node, update: (node: Node) => void): void {
  if (node.kind === 'list') for (const item of node.content) updateContainers(item, update);
  if (node.kind !== 'map') return;
  for (const key of node.keys()) {
    const value = node.get(key) as Node;
    updateContainers(value, update);
    if ((key !== 'containers' && key !== 'initContainers') || value.kind !== 'list') continue;
    for (const container of value.content) {
      const image = lookup(container, 'image');
      if (image) update(image);
    }
  }
}

function changed(reference: string, image: Image): string {
  const parts = splitImage(reference);
  const name = image.newName || parts.name;
  let { tag, digest } = parts;
  if (image.newTag) {
    tag = image.newTag;
    digest = image.digest ?? '';
  } else if (image.digest) {
    tag = '';
    digest = image.digest;
  } else if (image.tagSuffix) {
    tag += image.tagSuffix;
    digest = '';
  }
  return `${name}${tag === '' ? '' : `:${tag}`}${digest === '' ? '' : `@${digest}`}`;
}

/** Name, tag and digest of `[host[:port]/]name[:tag][@digest]`. */
export function splitImage(reference: string): { name: string; tag: string; digest: string } {
  const slash = Math.max(reference.indexOf('/'), 0);
  const at = reference.indexOf('@', slash);
  const colon = reference.indexOf(':', slash);
  if (at < 0 && colon < 0) return { name: reference, tag: '', digest: '' };
  if (at >= 0 && (at < colon || colon < 0))
    return { name: reference.slice(0, at), tag: '', digest: reference.slice(at + 1) };
  const end = at < 0 ? reference.length : at;
  return {
    name: reference.slice(0, colon),
    tag: reference.slice(colon + 1, end),
    digest: at < 0 ? '' : reference.slice(at + 1),
  };
}
