import type { Application } from '../api/model.ts';

/** Revisions that automated sync does not deliver. */
export interface QuarantinedRevision {
  /** Of each source. */
  readonly revisions: readonly string[];
  /** RFC 3339. */
  readonly at: string;
  /** One English sentence. */
  readonly reason: string;
}

export const quarantineAnnotation = 'tiphys.dev/quarantined-revisions';

/** What of an application is in quarantine, the newest first; none where its annotation cannot be read. */
export function quarantineOf(application: Pick<Application, 'metadata'>): readonly QuarantinedRevision[] {
  return entriesOf(application).filter(isEntry);
}

/** What the annotation says once these are out; null takes it away. What it holds beside them stays as it is. */
export function withoutQuarantined(
  application: Pick<Application, 'metadata'>,
  released: readonly QuarantinedRevision[],
): string | null {
  const gone = new Set(released.map(keyOf));
  const left = entriesOf(application).filter((entry) => !isEntry(entry) || !gone.has(keyOf(entry)));
  return left.length > 0 ? JSON.stringify(left) : null;
}

/** Of the revisions and since when. */
export function keyOf({ revisions, at }: QuarantinedRevision): string {
  return [at, ...revisions].join(' ');
}

function entriesOf({ metadata }: Pick<Application, 'metadata'>): readonly unknown[] {
  try {
    const entries: unknown = JSON.parse(metadata.annotations?.[quarantineAnnotation] ?? '[]');
    return Array.isArray(entries) ? entries : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is QuarantinedRevision {
  const { revisions, at, reason } = (value ?? {}) as Record<string, unknown>;
  return (
    Array.isArray(revisions) &&
    revisions.length > 0 &&
    revisions.every((one) => typeof one === 'string') &&
    typeof at === 'string' &&
    typeof reason === 'string'
  );
}
