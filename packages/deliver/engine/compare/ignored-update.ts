import type { KubeObject } from '@tiphys/kubernetes';
import { sameValue } from '@tiphys/kubernetes';
import type { CacheChange } from '../cache/change-feed.ts';
import { compileIgnoreRules, type IgnoreRule } from '../difference/ignore-rules.ts';

/**
 * Whether a change of an application's own object touches nothing but what the rules leave out, and its version,
 * generation and managed fields: nobody has to look at it. What the tree shows of the object, its health above all,
 * always counts; objects that come, go or belong to others do as well.
 */
export function isIgnoredUpdate({ key, old, new: now }: CacheChange, rules: readonly IgnoreRule[]): boolean {
  if (!old?.kept || !now?.kept || old.uid !== now.uid || old.instance !== now.instance) return false;
  const shown = ({ health, info, images, networking, deleting, owners }: typeof now) =>
    [health, info, images, networking, deleting, owners] as const;
  if (!sameValue(shown(old), shown(now))) return false;
  const ignore = compileIgnoreRules(rules).for(key);
  const rest = (object: KubeObject) => {
    const copy = structuredClone(object);
    ignore?.(copy, object);
    for (const field of ['resourceVersion', 'generation', 'managedFields'] as const) delete copy.metadata[field];
    return copy;
  };
  return sameValue(rest(old.kept.object), rest(now.kept.object));
}
