import { GoError } from '../go-error.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { Transformer } from '../transform/transformer.ts';

const validatedBy = 'validated-by';

/** Runs validators: transformers that may refuse, and may set the label `validated-by`, but change nothing else. */
export async function runValidators(resources: ResourceMap, validators: readonly Transformer[]): Promise<void> {
  for (const validator of validators) {
    const before = describe(resources.copy());
    await validator.transform(resources);
    const after = resources.copy();
    for (const resource of after.resources) {
      const { labels } = resource;
      if (labels.delete(validatedBy)) resource.labels = labels;
    }
    if (describe(after) !== before)
      throw new GoError("validator shouldn't modify the resource map: nodes unequal", {
        evidence: { validator: validator.name },
      });
  }
}

function describe(resources: ResourceMap): string {
  return resources.resources.map((resource) => resource.asJson()).join('\n');
}
