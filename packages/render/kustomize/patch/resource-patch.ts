import type { Resource } from '../resource/resource.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { onResource } from '../transform/field-spec.ts';
import { Node, nullTag } from '../tree/node.ts';
import { strategicMerge } from './strategic-merge.ts';

/**
 * Merges a patch into a resource. Name and kind stay unless the patch may change them; the namespace always stays. A
 * resource that the patch deletes is empty afterwards. The patch must not be used again.
 */
export function applyPatch(resource: Resource, patch: Resource): void {
  const { name, namespace, kind } = resource;
  const renames = patch.isEnabled('allowNameChange');
  const changesKind = patch.isEnabled('allowKindChange');
  if (renames || changesKind) resource.storePreviousId();
  if (strategicMerge(resource.node, patch.node, resource.scopes.schemas) === undefined)
    resource.node = Node.scalar('', nullTag);
  if (resource.isEmpty) return;
  // What the patch put there has the places of its own text.
  if (patch.node.position === undefined) resource.node.position = undefined;
  if (!changesKind) resource.kind = kind;
  if (!renames) resource.name = name;
  resource.namespace = namespace;
}

/** Merges a copy of a patch into each of some resources; those that it deletes go. */
export function applyPatchTo(map: ResourceMap, selected: readonly Resource[], patch: Resource): void {
  const targets = new Set(selected);
  for (const resource of map.resources) {
    if (!targets.has(resource)) continue;
    const copy = patch.copy();
    copy.copyMetadataFrom(patch);
    copy.gvk = resource.gvk;
    copy.kind = patch.kind;
    onResource(resource, () => applyPatch(resource, copy));
  }
  map.reset(map.resources.filter((resource) => !resource.isEmpty));
}
