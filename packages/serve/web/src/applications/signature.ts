import type { RevisionMetadata } from '../api/model.ts';

/** What is shown of the signature of a commit: `words` are a text of the catalogues. */
export interface SignatureMark {
  readonly state: 'trusted' | 'refused' | 'unverified';
  readonly words: string;
  /** What the server says of it, a sentence a line. */
  readonly detail: string;
}

/** Undefined for a commit that is not signed and need not be. */
export function signatureMark({
  signatureInfo = '',
  sourceIntegrityResult,
}: Pick<RevisionMetadata, 'signatureInfo' | 'sourceIntegrityResult'>): SignatureMark | undefined {
  const problems = (sourceIntegrityResult?.Checks ?? []).flatMap(({ Problems }) => Problems ?? []);
  const detail = [signatureInfo, ...problems].filter(Boolean).join('\n');
  if (problems.length > 0) return { state: 'refused', words: 'Not trusted', detail };
  if (signatureInfo === '') return undefined;
  if (signatureInfo.startsWith('Good ')) return { state: 'trusted', words: 'Verified', detail };
  if (signatureInfo.startsWith('Bad ')) return { state: 'refused', words: 'Bad signature', detail };
  return { state: 'unverified', words: 'Unverified', detail };
}
