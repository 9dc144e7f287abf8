import type { Diagnosis, Evidence, Place } from './diagnosis.ts';

/** A diagnosis, or one as JSON of the API has it, where texts and lists that are empty are left out. */
export type ToldDiagnosis = Omit<Diagnosis, 'evidence' | 'remedies' | 'causes'> &
  Partial<Pick<Diagnosis, 'remedies'>> & {
    readonly evidence?: readonly (Pick<Evidence, 'name'> & Partial<Evidence>)[];
    readonly causes?: readonly ToldDiagnosis[];
  };

/** `file:line:column`, object, field and remote of a place on one line, the innermost part first. */
export function formatPlace(place: Place): string {
  const file = [place.file, place.line, place.column].filter((part) => part !== undefined).join(':');
  const revision = place.revision ? `revision ${shortRevision(place.revision)}` : '';
  const field = place.field ? `field ${place.field}` : '';
  return [file, place.object, field, place.remote, revision].filter(Boolean).join(', ');
}

/** One line: the cause and its place. What conditions and logs show. */
export function formatDiagnosis(diagnosis: ToldDiagnosis): string {
  const where = diagnosis.place ? formatPlace(diagnosis.place) : '';
  return where ? `${diagnosis.message} (${where})` : diagnosis.message;
}

/** The whole of it for a terminal or a condition's message: cause, place, evidence, remedies; no trailing newline. */
export function explainDiagnosis(diagnosis: ToldDiagnosis): string {
  const lines = [formatDiagnosis(diagnosis)];
  for (const { name, value = '' } of diagnosis.evidence ?? [])
    lines.push(`  ${name}: ${value.replaceAll('\n', '\n    ')}`);
  for (const { text, paste, loses } of diagnosis.remedies ?? []) {
    lines.push(`  → ${text}${loses ? ` (this loses ${loses})` : ''}`);
    if (paste) lines.push(...paste.split('\n').map((line) => `      ${line}`));
  }
  for (const cause of diagnosis.causes ?? [])
    lines.push(`  because: ${explainDiagnosis(cause).replaceAll('\n', '\n  ')}`);
  return lines.join('\n');
}

function shortRevision(revision: string): string {
  return /^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision;
}
