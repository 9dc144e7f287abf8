import { GoError } from '../failure/go-error.ts';
import { formatGvk, isSelected } from '../kustomization/gvk.ts';
import type { FieldSpec, Replica } from '../kustomization/kustomization.ts';
import type { Stamp } from '../resource/resource.ts';
import { formatId } from '../resource/resource-id.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { intTag } from '../tree/node.ts';
import { applyFieldSpec, onResource, scalarSetter } from './field-spec.ts';
import type { Transformer } from './transformer.ts';

/** Sets the number of replicas of what has, or had, a name. */
export function replicaTransformer(replica: Replica, fieldSpecs: readonly FieldSpec[], stamp: Stamp): Transformer {
  const { name = '', count = 0 } = replica;
  return {
    name: 'ReplicaCountTransformer',
    transform(resources: ResourceMap) {
      let found = false;
      for (const spec of fieldSpecs) {
        for (const resource of resources.matchingAnyId((id) => id.name === name && isSelected(id, spec))) {
          found = true;
          onResource(resource, () =>
            applyFieldSpec(resource, spec, {
              set: scalarSetter(String(count), intTag, stamp),
              createKind: 'scalar',
              createTag: intTag,
            }),
          );
        }
      }
      if (!found) throw notFound(name, fieldSpecs, resources);
    },
  };
}

function notFound(name: string, fieldSpecs: readonly FieldSpec[], resources: ResourceMap): GoError {
  const kinds = fieldSpecs.map(({ group = '', version = '', kind = '' }) => formatGvk({ group, version, kind }));
  const scalable = resources.resources.filter((resource) => fieldSpecs.some((spec) => isSelected(resource.gvk, spec)));
  const sameName = resources.resources.filter(
    (resource) => resource.name === name || resource.originalId.name === name,
  );
  const list = (found: readonly { id: Parameters<typeof formatId>[0] }[]): string =>
    found
      .slice(0, 10)
      .map(({ id }) => formatId(id))
      .join(', ') || 'none';
  return new GoError(`resource with name ${name} does not match a config with the following GVK [${kinds.join(' ')}]`, {
    evidence: { 'resources that have replicas': list(scalable), 'resources with the name': list(sameName) },
    remedies: ['Name a resource as it is called before prefixes and suffixes, or add its kind in a configuration'],
  });
}
