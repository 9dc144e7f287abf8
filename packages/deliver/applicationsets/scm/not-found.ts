import { DiagnosisError, failure } from '@tiphys/diagnosis';
import { scmRepositoryNotFound } from '../diagnoses/diagnoses.ts';

/** The failure of a host that does not know the repository of a pull-request generator. */
export function repositoryNotFound(repository: string, base: string): DiagnosisError {
  return failure(
    scmRepositoryNotFound,
    {
      message: `The host does not know the repository ${repository}, or its credentials do not show it`,
      place: { remote: base },
      remedies: [
        'Correct the names in the generator, or give the token access to the repository',
        'If repositories may be absent, set continueOnRepoNotFoundError: true',
      ],
    },
    { handling: 'retryable' },
  );
}

export function isRepositoryNotFound(error: unknown): error is DiagnosisError {
  return error instanceof DiagnosisError && error.diagnosis.code === scmRepositoryNotFound.code;
}
