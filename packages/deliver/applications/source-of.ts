import type { ApplicationSource, ApplicationSpec } from '@tiphys/api';

type WithSources = Pick<ApplicationSpec, 'source' | 'sources'>;

/** True if `sources` says what is deployed, be it one: revisions are arrays then, as upstream. */
export function hasSources({ sources }: WithSources): boolean {
  return Boolean(sources?.length);
}

/** The sources of a spec, an operation or a deployment; `sources` wins over `source` where both are set, as upstream. */
export function sourcesOf(spec: WithSources): readonly ApplicationSource[] {
  if (spec.sources?.length) return spec.sources;
  return spec.source ? [spec.source] : [];
}

/** The sources in the field that the spec has them in. */
export function sourceFields(spec: WithSources): WithSources {
  if (spec.sources?.length) return { sources: spec.sources };
  return spec.source ? { source: spec.source } : {};
}

/** The form in which commits of sources are told: one as `revision`, those of `sources` as `revisions`. */
export function revisionFields(
  several: boolean,
  revisions: readonly string[],
): { revision: string } | { revisions: string[] } {
  return several ? { revisions: [...revisions] } : { revision: revisions[0] ?? '' };
}

/** The commits of what `revisionFields` made; empty strings and absent fields are none. */
export function revisionsOf(fields: { revision?: string; revisions?: string[] } | undefined): string[] {
  if (fields?.revisions?.length) return fields.revisions;
  return fields?.revision ? [fields.revision] : [];
}
