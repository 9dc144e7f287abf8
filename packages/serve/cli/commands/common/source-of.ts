import type { Application, ApplicationSource } from '@tiphys/api';
import { syncSourceOf } from '@tiphys/hydrator';

/** The first source that an application is synced from. */
export function sourceOf({ spec }: Application): ApplicationSource | undefined {
  if (spec.sourceHydrator) return syncSourceOf(spec.sourceHydrator);
  return spec.sources?.[0] ?? spec.source;
}
