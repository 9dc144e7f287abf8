import { isSelected } from '../kustomization/gvk.ts';
import type { FieldSpec } from '../kustomization/kustomization.ts';
import type { Resource, Stamp } from '../resource/resource.ts';
import type { ResourceId } from '../resource/resource-id.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { stringTag } from '../tree/node.ts';
import { applyFieldSpec, onResource, scalarSetter } from './field-spec.ts';
import type { Transformer } from './transformer.ts';

/** Kinds whose names have a meaning of their own. */
const skipped = [
  { kind: 'CustomResourceDefinition' },
  { kind: 'APIService', group: 'apiregistration.k8s.io' },
  { kind: 'Namespace' },
];

interface Affix {
  readonly which: 'prefix' | 'suffix';
  readonly text: string;
  readonly fieldSpecs: readonly FieldSpec[];
  readonly stamp: Stamp;
}

/** Puts a text before or after names. */
export function nameAffix({ which, text, fieldSpecs, stamp }: Affix): Transformer {
  const apply = (resource: Resource, id: ResourceId): void => {
    for (const spec of fieldSpecs) {
      if (!isSelected(id, spec)) continue;
      if (spec.path === 'metadata/name') {
        if (which === 'prefix') resource.addNamePrefix(text);
        else resource.addNameSuffix(text);
        if (text !== '') resource.storePreviousId();
      }
      applyFieldSpec(resource, spec, {
        set: (node) => {
          const { value, origin, line } = node;
          const added = { ...stamp, origin: { ...stamp.origin, before: { value, origin, line } } };
          scalarSetter(which === 'prefix' ? text + value : value + text, '', added)(node);
        },
        createKind: 'scalar',
        createTag: stringTag,
      });
    }
  };
  return {
    name: which === 'prefix' ? 'PrefixTransformer' : 'SuffixTransformer',
    transform(resources: ResourceMap) {
      for (const resource of resources.resources) {
        const id = resource.originalId;
        if (!skipped.some((selector) => isSelected(id, selector))) onResource(resource, () => apply(resource, id));
      }
    },
  };
}
