import type { ApplicationSource, ApplicationSpec } from '@tiphys/api';

/** The one source of a spec; `sources` wins over `source` where both are set, as upstream. */
export function sourceOf(spec: ApplicationSpec): ApplicationSource | undefined {
  return spec.sources && spec.sources.length > 0 ? spec.sources[0] : spec.source;
}
