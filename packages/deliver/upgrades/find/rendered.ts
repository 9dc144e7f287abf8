import type { KubeObject } from '@tiphys/kubernetes';
import { type CustomLives, groupVersionOf, type Release, verdictOf } from '../knowledge/api-life.ts';
import { broughtBy } from './brought-by.ts';
import type { ApiUse } from './finding.ts';

/** Uses in what an Application's sources render to, with the file and line of the source or template. */
export function usesInObjects(
  objects: readonly {
    readonly object: KubeObject;
    readonly origin?: { readonly file: string; readonly line: number };
  }[],
  {
    application,
    target,
    custom,
  }: { readonly application: string; readonly target: Release; readonly custom?: CustomLives },
): ApiUse[] {
  return objects.flatMap(({ object, origin }): ApiUse[] => {
    const { kind, apiVersion, metadata } = object;
    const verdict = verdictOf({ ...groupVersionOf(apiVersion), kind }, target, custom);
    if (!verdict) return [];
    const name = `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name ?? ''}`;
    const { chart } = broughtBy(object);
    const { life, state } = verdict;
    return [
      { origin: 'rendered', api: life, state, object: name, ...origin, application, ...(chart ? { chart } : {}) },
    ];
  });
}
