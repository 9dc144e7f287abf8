import { GoError } from '../failure/go-error.ts';
import { formatId, sameId } from '../resource/resource-id.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { Transformer } from '../transform/transformer.ts';

const validatedBy = 'validated-by';

/** Runs validators: transformers that may refuse, and may set the label `validated-by`, but change nothing else. */
export async function runValidators(resources: ResourceMap, validators: readonly Transformer[]): Promise<void> {
  for (const validator of validators) {
    const before = resources.resources.map((resource) => resource.asJson());
    const ids = resources.resources.map(({ id }) => id);
    await validator.transform(resources);
    const after = resources.copy();
    for (const resource of after.resources) {
      const { labels } = resource;
      if (labels.delete(validatedBy)) resource.labels = labels;
    }
    for (const id of ids)
      if (!after.resources.some((resource) => sameId(resource.id, id)))
        throw new GoError(
          `validator shouldn't modify the resource map: id in self missing from other; id: ${formatId(id)}`,
        );
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
