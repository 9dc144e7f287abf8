import { notYet } from '../not-yet.ts';
import type { ResourceMap } from '../resource/resource-map.ts';

/** Puts the hash of its content behind the name of each resource that asks for it. */
export function addHashes(resources: ResourceMap): void {
  if (resources.resources.some((resource) => resource.isEnabled('hashSuffix'))) throw notYet('name hashes');
}
