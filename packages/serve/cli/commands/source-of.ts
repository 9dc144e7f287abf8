import type { Application, ApplicationSource } from '@tiphys/api';

/** The first source of an application. */
export function sourceOf({ spec }: Application): ApplicationSource | undefined {
  return spec.sources?.[0] ?? spec.source;
}
