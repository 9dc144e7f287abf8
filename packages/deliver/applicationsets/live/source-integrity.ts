import type { AppProject } from '@tiphys/api';
import { commitNotTrusted } from '@tiphys/applications';
import { type DiagnosisError, failure, type Place } from '@tiphys/diagnosis';
import type { TrustedKeys } from '@tiphys/git';

/** What decides whether commits are trusted. */
export interface Trust {
  readonly enabled: boolean;
  /** Undefined for a project that is not known, or whose name is a template. */
  project(name: string): AppProject | undefined;
  keys(): TrustedKeys;
}

export function untrusted(problem: string, place: Place): DiagnosisError {
  return failure(commitNotTrusted, {
    message: `rpc error: code = Unknown desc = GIT/GPG: ${problem}`,
    place,
    remedies: [
      'Sign the commit with a key that the project permits, and register its public key with argocd gpg add (ConfigMap argocd-gpg-keys-cm)',
      'Nothing was changed',
    ],
  });
}
