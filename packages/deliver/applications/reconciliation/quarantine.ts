import { type Application, names } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';

const revisionQuarantined = defineDiagnosis(
  'RevisionQuarantined',
  'A revision was taken back, and automated sync waits for a newer one',
);

/** A revision that was delivered and taken back, or not delivered at all. */
export interface QuarantinedRevision {
  /** Of each source, in their order. */
  readonly revisions: readonly string[];
  /** RFC 3339. */
  readonly at: string;
  /** Why, in one sentence for people; holds nothing that could be a secret. */
  readonly reason: string;
  /** Code of the diagnosis that led to it. */
  readonly code?: string;
  /** Digest of what was rendered: other revisions that give the same are held up too, and these are not once they give something else. */
  readonly render?: string;
}

/** What is to be delivered: revisions of each source and, where it is known, the digest of what they give. */
export interface Deliverable {
  readonly revisions: readonly string[];
  readonly render?: string | undefined;
}

/** Entries beyond are forgotten, the oldest first. */
const limit = 10;
/** Longer texts are nobody's who wrote an entry by this module. */
const textLimit = 16_384;

/** The quarantined revisions of an application, newest first; what of its annotation cannot be read is none. */
export function quarantineOf({ metadata }: Pick<Application, 'metadata'>): readonly QuarantinedRevision[] {
  const text = metadata.annotations?.[names.annotations.quarantine];
  if (!text || text.length > textLimit) return [];
  try {
    const entries: unknown = JSON.parse(text);
    return Array.isArray(entries) ? entries.filter(isEntry).slice(0, limit) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is QuarantinedRevision {
  const { revisions, at, reason } = (value ?? {}) as Record<string, unknown>;
  const named = Array.isArray(revisions) && revisions.length > 0 && revisions.every((each) => typeof each === 'string');
  return named && typeof at === 'string' && typeof reason === 'string';
}

/** The entry that holds these revisions; undefined if they may be delivered. */
export function quarantinedAs(
  application: Pick<Application, 'metadata'>,
  { revisions, render }: Deliverable,
): QuarantinedRevision | undefined {
  return quarantineOf(application).find((entry) =>
    render !== undefined && entry.render !== undefined
      ? entry.render === render
      : deepEqual(entry.revisions, revisions),
  );
}

/** Puts revisions in quarantine: changes the annotation of `application`, which the caller stores. */
export function quarantine(application: Pick<Application, 'metadata'>, entry: QuarantinedRevision): void {
  const others = quarantineOf(application).filter(({ revisions }) => !deepEqual(revisions, entry.revisions));
  const reason = entry.reason.length > 1_000 ? `${entry.reason.slice(0, 1_000)} …` : entry.reason;
  write(application, [{ ...entry, reason }, ...others].slice(0, limit));
}

/** Lets revisions out of quarantine, or all of them if none are named; false if there was nothing to let out. */
export function releaseFromQuarantine(
  application: Pick<Application, 'metadata'>,
  released?: readonly string[],
): boolean {
  const entries = quarantineOf(application);
  const left = released ? entries.filter(({ revisions }) => !deepEqual(revisions, released)) : [];
  if (left.length === entries.length) return false;
  write(application, left);
  return true;
}

function write({ metadata }: Pick<Application, 'metadata'>, entries: readonly QuarantinedRevision[]): void {
  const { [names.annotations.quarantine]: _before, ...others } = metadata.annotations ?? {};
  metadata.annotations =
    entries.length > 0 ? { ...others, [names.annotations.quarantine]: JSON.stringify(entries) } : others;
}

/** Why automated sync does not deliver these revisions; undefined if it may. A sync by hand is not held up. */
export function quarantineBlock(
  application: Pick<Application, 'metadata'>,
  deliverable: Deliverable,
): Diagnosis | undefined {
  const { revisions } = deliverable;
  const entry = quarantinedAs(application, deliverable);
  if (!entry) return undefined;
  const { name, namespace } = application.metadata;
  return diagnose(revisionQuarantined, {
    message: deepEqual(entry.revisions, revisions)
      ? `Revision ${revisions.join(', ')} is in quarantine since ${entry.at}: ${entry.reason}`
      : `Revision ${revisions.join(', ')} gives the same manifests as ${entry.revisions.join(', ')}, which is in quarantine since ${entry.at}: ${entry.reason}`,
    place: { field: `metadata.annotations['${names.annotations.quarantine}']` },
    evidence: { since: entry.at, why: entry.code },
    remedies: [
      'Commit a correction: a newer revision is delivered at once',
      { text: 'Or let it out of quarantine', paste: `tiphys app release ${namespace}/${name}` },
      {
        text: 'Without a server',
        paste: `kubectl -n ${namespace} annotate applications.argoproj.io ${name} ${names.annotations.quarantine}-`,
      },
    ],
  });
}
