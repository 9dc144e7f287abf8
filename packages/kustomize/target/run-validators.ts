import { GoError } from '../go-error.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { Transformer } from '../transform/transformer.ts';

const validatedBy = 'validated-by';

/** Runs validators: transformers that may refuse, and may set the label `validated-by`, but change nothing else. */
export async function runValidators(resources: ResourceMap, validators: readonly Transformer[]): Promise<void> {
  for (const validator of validators) {
    const before = resources.resources.map((resource) => resource.asJson());
    await validator.transform(resources);
    const after = resources.copy();
    for (const resource of after.resources) {
      const { labels } = resource;
      if (labels.delete(validatedBy)) resource.labels = labels;
    }
    for (const [i, resource] of after.resources.entries()) {
      const now = resource.asJson();
      if (now !== before[i])
        throw new GoError(
          `validator shouldn't modify the resource map: nodes unequal: \n -- ${before[i]},\n -- ${now}\n`,
          {
            evidence: { validator: validator.name },
            remedies: ['Name it in transformers if it is to change resources'],
          },
        );
    }
  }
}
