import type { FieldSpec } from '../kustomization/kustomization.ts';
import type { Stamp } from '../resource/resource.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import { mapTag } from '../tree/node.ts';
import { applyFieldSpecs, entrySetter, onResource } from './field-spec.ts';
import type { Transformer } from './transformer.ts';

interface Entries {
  readonly name: 'LabelTransformer' | 'AnnotationsTransformer';
  readonly entries: ReadonlyMap<string, string>;
  readonly fieldSpecs: readonly FieldSpec[];
  readonly stamp: Stamp;
}

/** Sets labels or annotations in the fields that the specs name. */
export function mapEntries({ name, entries, fieldSpecs, stamp }: Entries): Transformer {
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    name,
    transform(resources: ResourceMap) {
      if (sorted.length === 0) return;
      for (const resource of resources.resources) {
        onResource(resource, () => {
          for (const [key, value] of sorted) {
            applyFieldSpecs(resource, fieldSpecs, {
              set: entrySetter(key, value, stamp),
              createKind: 'map',
              createTag: mapTag,
            });
          }
        });
      }
      resources.dropEmpty();
    },
  };
}
