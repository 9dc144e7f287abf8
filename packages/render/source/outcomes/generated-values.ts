import { isDeepStrictEqual } from 'node:util';
import { generationKey } from '@tiphys/template';
import type { Outcome } from '../request/outcome.ts';
import type { RenderRequest } from '../request/rendered.ts';
import type { OutcomeAge } from './render-cache.ts';

/** Whom generated values belong to: nobody else may ever be given them. */
export function ownerOf({ application, source }: RenderRequest): string {
  return JSON.stringify([application.namespace, application.name, source.helm?.releaseName ?? '']);
}

/**
 * Whether an outcome is what a render for the request would give: nothing is generated, or all of it is recorded for the
 * caller. What was generated while the caller waited serves too; later it does not, since it may have been forgotten on purpose.
 */
export function servesOwner(outcome: Outcome, age: OutcomeAge, request: RenderRequest): boolean {
  if (outcome.kind !== 'objects' || !outcome.generated) return true;
  const { owner, used, fresh } = outcome.generated;
  if (owner !== ownerOf(request)) return false;
  const recorded = new Map((request.recorded ?? []).map((value) => [generationKey(value), value.value]));
  return used.every((value) => {
    const key = generationKey(value);
    const known = recorded.get(key);
    return known === undefined ? age === 'new' && fresh.has(key) : isDeepStrictEqual(known, value.value);
  });
}
