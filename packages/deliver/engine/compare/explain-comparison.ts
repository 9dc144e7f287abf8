import { keyString } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { Comparison } from '../difference/comparison.ts';
import { withCause } from '../explain/explain-health.ts';
import { type ComparedResource, isLive } from '../model/model.ts';

/** More objects than that are not asked about in one go: one of them is mostly the cause of the others. */
const explained = 10;

/**
 * The comparison with the cause of each object that is Progressing or Degraded, as far as events, logs and what the object
 * depends on tell it. Asks the server, at most every ten seconds for an object; a comparison of healthy objects asks nothing.
 */
export async function explainComparison(
  comparison: Comparison,
  cache: ClusterCache,
  options: { now: number; signal: AbortSignal },
): Promise<Comparison> {
  const ill = comparison.resources.filter(isIll).slice(0, explained);
  if (ill.length === 0) return comparison;
  const causes = new Map<string, NonNullable<ComparedResource['health']>>();
  for (const { key, health } of ill)
    causes.set(keyString(key), await withCause(health as NonNullable<typeof health>, key, cache, options));
  const resources = comparison.resources.map((resource) => {
    const health = isIll(resource) ? causes.get(keyString(resource.key)) : undefined;
    return health ? { ...resource, health } : resource;
  });
  const worst = resources.find(({ health }) => health?.diagnosis && health.status === comparison.health.status)?.health;
  return { ...comparison, resources, health: worst ?? comparison.health };
}

function isIll(resource: ComparedResource): boolean {
  const { health, hook } = resource;
  return !hook && (health?.status === 'Progressing' || health?.status === 'Degraded') && isLive(resource);
}
