import { type KubeObject, keyOf, keyString, parseApiVersion } from '@tiphys/kubernetes';
import type { ChangedObject } from './types.ts';

/** A change with the key of its object. */
export interface KeyedChange {
  readonly key: string;
  readonly change: ChangedObject;
}

type Pair = readonly [KubeObject | undefined, KubeObject | undefined];

/** The objects that differ, in the order of their keys; `mask` hides what must not be shown of both sides of one. */
export function changesOf(
  base: readonly KubeObject[],
  head: readonly KubeObject[],
  mask: (pair: Pair) => Pair,
): KeyedChange[] {
  const byKey = (list: readonly KubeObject[]) => new Map(list.map((object) => [keyString(keyOf(object)), object]));
  const [before, after] = [byKey(base), byKey(head)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .filter((key) => JSON.stringify(before.get(key)) !== JSON.stringify(after.get(key)))
    .map((key) => ({ key, change: changeOf(mask([before.get(key), after.get(key)])) }));
}

function changeOf([one, other]: Pair): ChangedObject {
  const { apiVersion, kind, metadata } = (other ?? one) as KubeObject;
  return {
    action: one && other ? 'change' : other ? 'create' : 'delete',
    group: parseApiVersion(apiVersion).group,
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    ...(one ? { base: one } : {}),
    ...(other ? { head: other } : {}),
  };
}
