import { type DiagnosisError, defineDiagnosis, failure } from '@tiphys/diagnosis';

export const sandboxStateUnreadable = defineDiagnosis(
  'SandboxStateUnreadable',
  "The database of the sandbox's data folder cannot be read.",
);
export const sandboxStateUnwritable = defineDiagnosis(
  'SandboxStateUnwritable',
  "The database of the sandbox's data folder cannot be written to.",
);

const reason = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));

/** The database is none, is damaged, or belongs to another process. */
export function unreadable(file: string, cause: unknown): DiagnosisError {
  const finding = {
    message: `The state of the sandbox cannot be read: ${reason(cause)}`,
    place: { file },
    remedies: [
      'Restore the file from a backup, with those beside it that begin with its name',
      {
        text: 'Begin with an empty cluster: move the file away',
        paste: `mv ${file} ${file}.broken`,
        loses: 'the state of the cluster',
      },
    ],
  };
  return failure(sandboxStateUnreadable, finding, { cause });
}

/** What was to be written is kept, and written with the next change. */
export function unwritable(file: string, cause: unknown): DiagnosisError {
  const finding = {
    message: `The change is in memory only, and is lost with this process: ${reason(cause)}`,
    place: { file },
    remedies: [
      'Make room on the disk of the data folder and see that it may be written to; the next change writes what is missing',
    ],
  };
  return failure(sandboxStateUnwritable, finding, { cause });
}
