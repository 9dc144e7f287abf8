import { GoError } from '../failure/go-error.ts';
import { formatGvk, type Gvk, kindRanks, orderFirst, orderLast, sameGvk, sortString } from '../kustomization/gvk.ts';
import type { SortOptions } from '../kustomization/kustomization.ts';
import type { ResourceId } from '../resource/resource-id.ts';
import type { ResourceMap } from '../resource/resource-map.ts';
import type { Transformer } from './transformer.ts';

/** Brings the resources into the order of Kustomize's `legacy` sort, or leaves them as they came (`fifo`). */
export function sortOrderTransformer(options: SortOptions | undefined): Transformer {
  return {
    name: 'SortOrderTransformer',
    transform(resources: ResourceMap) {
      const order = options === undefined ? 'fifo' : (options.order ?? '');
      const lists = options?.legacySortOptions;
      if (order !== 'fifo' && order !== 'legacy')
        throw new GoError("the field 'sortOptions.order' must be one of [fifo, legacy]", {
          evidence: { order },
          remedies: [{ text: 'Set order: legacy or order: fifo' }.text],
        });
      if (order === 'fifo') {
        if (lists)
          throw new GoError(
            "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
          );
        return;
      }
      sortLegacy(
        resources,
        lists?.orderFirst ?? (lists ? [] : orderFirst),
        lists?.orderLast ?? (lists ? [] : orderLast),
      );
    },
  };
}

function sortLegacy(resources: ResourceMap, first: readonly string[], last: readonly string[]): void {
  const ranks = kindRanks(first, last);
  const keyed = resources.resources.map((resource) => {
    const { id } = resource;
    return { resource, id, gvk: sortString(id), rest: idString(id) };
  });
  keyed.sort((a, b) => {
    if (sameGvk(a.id, b.id)) return compare(a.rest, b.rest);
    const rank = (ranks.get(a.id.kind) ?? 0) - (ranks.get(b.id.kind) ?? 0);
    if (rank !== 0) return rank;
    return isCoreNamespace(a.id, b.id) ? compare(b.gvk, a.gvk) : compare(a.gvk, b.gvk);
  });
  resources.reset(keyed.map(({ resource }) => resource));
}

/** The core Namespace comes before namespaces of other groups. */
function isCoreNamespace(a: Gvk, b: Gvk): boolean {
  return a.kind === 'Namespace' && b.kind === 'Namespace' && (a.group === '' || b.group === '');
}

function idString(id: ResourceId): string {
  return `${formatGvk(id)}|${id.namespace || '~X'}|${id.name || '~N'}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
