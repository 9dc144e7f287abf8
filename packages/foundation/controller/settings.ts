import type { KubeObject } from '@tiphys/kubernetes';

/**
 * Reads settings of a ConfigMap, or of several. `parse` is called only when one of the objects has changed; what it made stands
 * until then.
 */
export function settingsReader<S>(
  sources: readonly (() => KubeObject | undefined)[],
  parse: (data: readonly ReadonlyMap<string, string>[]) => S,
): () => S {
  let seen: readonly (KubeObject | undefined)[] | undefined;
  let settings: S;
  return () => {
    const objects = sources.map((source) => source());
    if (!seen || objects.some((object, index) => object !== seen?.[index])) {
      seen = objects;
      settings = parse(objects.map(dataOf));
    }
    return settings;
  };
}

/** `data` of a ConfigMap; empty if there is none. */
export function dataOf(object: KubeObject | undefined): ReadonlyMap<string, string> {
  return new Map(Object.entries((object?.data ?? {}) as Record<string, string>));
}
