import { DiagnosisError, type DiagnosisKind, diagnose } from '@tiphys/diagnosis';
import {
  kustomizationEscapes,
  kustomizationInvalid,
  kustomizationMissing,
  kustomizationPathMissing,
} from './diagnoses.ts';
import { GoError, goMessageOf } from './go-error.ts';

/** A failure of a build that also has Kustomize's own words. */
export class KustomizeError extends DiagnosisError {
  /** What `kustomize` prints after `Error: `. */
  readonly goMessage: string;

  constructor(error: unknown) {
    super(diagnosisFor(error), { cause: error });
    this.name = 'KustomizeError';
    this.goMessage = goMessageOf(error);
  }
}

function diagnosisFor(error: unknown) {
  if (!(error instanceof GoError)) return diagnose(kustomizationInvalid, { message: goMessageOf(error) });
  const cause = goMessageOf(error.cause ?? error);
  return diagnose(kindOf(error), {
    message: cause,
    ...(error.place ? { place: error.place } : {}),
    evidence: {
      ...error.evidence,
      ...(error.trail.length > 0 ? { 'built through': error.trail.toReversed().join(' → ') } : {}),
    },
    remedies: [...new Set(error.remedies)],
  });
}

function kindOf(error: GoError): DiagnosisKind {
  if (error.marks.has('load-restriction')) return kustomizationEscapes;
  if (error.marks.has('missing-path')) return kustomizationPathMissing;
  if (error.marks.has('missing-kustomization')) return kustomizationMissing;
  return kustomizationInvalid;
}
