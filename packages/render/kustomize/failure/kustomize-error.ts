import { type Diagnosis, DiagnosisError, type DiagnosisKind, diagnose, type Place } from '@tiphys/diagnosis';
import {
  kustomizationEscapes,
  kustomizationInvalid,
  kustomizationMissing,
  kustomizationPathMissing,
  kustomizationTooLarge,
} from './diagnoses.ts';
import { GoError, goMessageOf } from './go-error.ts';

/** A failure of a build that also has Kustomize's own words. */
export class KustomizeError extends DiagnosisError {
  /** What `kustomize` prints after `Error: `. */
  readonly goMessage: string;

  constructor(error: unknown) {
    const inner = innerFailure(error);
    super(diagnosisFor(error, inner), { cause: error, ...(inner ? { handling: inner.handling } : {}) });
    this.name = 'KustomizeError';
    this.goMessage = goMessageOf(error);
  }
}

/** What another package said about it: it knows best what kind of failure it is, and whether it may go away. */
function innerFailure(error: unknown): DiagnosisError | undefined {
  let at = error;
  while (at instanceof GoError && at.cause !== undefined && at.cause !== at) at = at.cause;
  return at instanceof DiagnosisError ? at : undefined;
}

function diagnosisFor(error: unknown, inner: DiagnosisError | undefined): Diagnosis {
  if (inner && inner.diagnosis.code !== 'KustomizationInvalid') return withTrail(inner.diagnosis, error);
  if (!(error instanceof GoError)) return diagnose(kustomizationInvalid, { message: goMessageOf(error) });
  const cause = goMessageOf(error.cause ?? error);
  const outside = error.marks.has('outside') ? error.evidence['leads out of the repository'] : undefined;
  return diagnose(kindOf(error), {
    message: outside === undefined ? cause : `The path ${outside} leads out of the repository (${cause})`,
    ...(error.place ? { place: error.place } : {}),
    evidence: {
      ...error.evidence,
      ...(error.trail.length > 0 ? { 'built through': error.trail.toReversed().join(' → ') } : {}),
    },
    remedies: error.remedies.length > 0 ? [...new Set(error.remedies)] : [remedyOf(error)],
  });
}

/** Where nobody on the way knew what to do. */
function remedyOf(error: GoError): string {
  const { file, line, field } = error.place ?? {};
  const where = file ? ` in ${file}${line === undefined ? '' : `:${line}`}${field ? ` (${field})` : ''}` : '';
  return error.marks.has('missing-path')
    ? `Correct the path${where}, or add the file: it counts from the folder of the kustomization`
    : `Correct the entry${where || ' that the message names'}`;
}

function withTrail(diagnosis: Diagnosis, error: unknown): Diagnosis {
  if (!(error instanceof GoError)) return diagnosis;
  const { place } = error;
  if (error.trail.length === 0) return withEntry(diagnosis, place);
  const trail = { name: 'built through', value: error.trail.toReversed().join(' → ') };
  return { ...diagnosis, place: { ...error.place, ...diagnosis.place }, evidence: [...diagnosis.evidence, trail] };
}

/** Names the entry where the failure happened somewhere else, such as at a registry. */
function withEntry(diagnosis: Diagnosis, place: Place | undefined): Diagnosis {
  if (!place?.file || diagnosis.place?.file) return diagnosis;
  if (!diagnosis.place) return { ...diagnosis, place };
  const line = place.line === undefined ? '' : `:${place.line}`;
  const entry = { name: 'entry', value: `${place.file}${line} ${place.field ?? ''}`.trim() };
  return { ...diagnosis, evidence: [...diagnosis.evidence, entry] };
}

function kindOf(error: GoError): DiagnosisKind {
  if (error.marks.has('limit')) return kustomizationTooLarge;
  if (error.marks.has('outside')) return kustomizationEscapes;
  if (error.marks.has('load-restriction')) return kustomizationEscapes;
  if (error.marks.has('missing-path')) return kustomizationPathMissing;
  if (error.marks.has('missing-kustomization')) return kustomizationMissing;
  return kustomizationInvalid;
}
