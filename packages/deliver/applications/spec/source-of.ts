import type { ApplicationSource, ApplicationSpec } from '@tiphys/api';
import { drySourceOf, syncSourceOf } from '@tiphys/hydrator';

type WithSources = Pick<ApplicationSpec, 'source' | 'sources'> & { sourceHydrator?: ApplicationSpec['sourceHydrator'] };
type SourceFields = Pick<ApplicationSpec, 'source' | 'sources'>;

/** True if `sources` says what is deployed, be it one: revisions are arrays then, as upstream. */
export function hasSources({ sources, sourceHydrator }: WithSources): boolean {
  return !sourceHydrator && Boolean(sources?.length);
}

/**
 * The sources that a spec, an operation or a deployment is synced from, by upstream's rule: the place of the hydrated manifests
 * where there is a hydrator, else `sources`, else `source`.
 */
export function sourcesOf(spec: WithSources): readonly ApplicationSource[] {
  if (spec.sourceHydrator) return [syncSourceOf(spec.sourceHydrator)];
  if (spec.sources?.length) return spec.sources;
  return spec.source ? [spec.source] : [];
}

/** The sources that manifests are made of: the dry source where there is a hydrator. */
export function manifestSourcesOf(spec: WithSources): readonly ApplicationSource[] {
  return spec.sourceHydrator ? [drySourceOf(spec.sourceHydrator)] : sourcesOf(spec);
}

/** Every source that is read: the dry one where there is a hydrator, then those that are synced from. */
export function allSourcesOf(spec: WithSources): readonly ApplicationSource[] {
  return spec.sourceHydrator ? [drySourceOf(spec.sourceHydrator), ...sourcesOf(spec)] : sourcesOf(spec);
}

/** Whether a source is in a Git repository, and no chart or artifact. */
export function isGitSource({ repoURL, chart }: ApplicationSource): boolean {
  return Boolean(repoURL) && !chart && !repoURL.startsWith('oci://');
}

/** The sources in the field that an operation, or what was compared, has them in. */
export function sourceFields(spec: WithSources): SourceFields {
  const [first] = sourcesOf(spec);
  if (hasSources(spec) && spec.sources) return { sources: spec.sources };
  return first ? { source: first } : {};
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
