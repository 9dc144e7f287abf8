import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { git, gitAnswer } from '../find/git-command.ts';

const commitFailed = defineDiagnosis(
  'UpgradeCommitFailed',
  'A change for an upgrade could not be committed or pushed; the work tree tells how far it came',
);
const fileChanged = defineDiagnosis(
  'UpgradeFileChanged',
  'A file that is to change for an upgrade has changes that are in no commit',
);

/** A file of a work tree with its new text; the path is from the top. */
export interface ChangedFile {
  readonly file: string;
  readonly text: string;
}

export interface CommitOptions {
  readonly message: string;
  /** Made at the present commit, and switched to. Absent: the branch that is checked out. */
  readonly branch?: string;
  /** To which the branch is pushed. */
  readonly remote?: string;
  readonly signal?: AbortSignal;
}

/** Writes files and commits them alone: what else is changed or staged stays as it is. Gives the commit, and what the remote said. */
export async function commitFiles(
  top: string,
  files: readonly ChangedFile[],
  { message, branch, remote, signal }: CommitOptions,
): Promise<{ commit: string; told: string }> {
  const paths = files.map(({ file }) => file);
  const dirty = await git(top, ['status', '--porcelain', '--', ...paths], signal);
  if (dirty.trim())
    throw failure(fileChanged, {
      message: 'Files that are to change have changes that are in no commit',
      evidence: { files: dirty.trim() },
      remedies: ['Commit or stash them first', 'Or write the files without a commit: --write'],
    });
  const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (cause) {
      signal?.throwIfAborted();
      throw failure(
        commitFailed,
        {
          message: `${what} failed: ${(cause as { stderr?: string }).stderr?.trim() || (cause as Error).message}`,
          place: { file: top },
          remedies: ['Mend what git says and try again; git status tells how far it came'],
        },
        { cause },
      );
    }
  };
  if (branch) await step(`Making the branch ${branch}`, () => git(top, ['switch', '--create', branch, '--'], signal));
  for (const { file, text } of files) await writeFile(join(top, file), text);
  await step('The commit', () =>
    git(top, ['commit', '--quiet', '--message', message, '--only', '--', ...paths], signal),
  );
  const commit = (await git(top, ['rev-parse', 'HEAD'], signal)).trim();
  if (!remote) return { commit, told: '' };
  const push = [
    'push',
    '--set-upstream',
    '--',
    remote,
    `HEAD:refs/heads/${branch ?? (await currentBranch(top, signal))}`,
  ];
  const { stderr } = await step(`Pushing to ${remote}`, () => gitAnswer(top, push, signal));
  const told = stderr.split('\n').flatMap((line) => (line.startsWith('remote:') ? [line.slice(7).trim()] : []));
  return { commit, told: told.filter(Boolean).join('\n') };
}

async function currentBranch(top: string, signal?: AbortSignal): Promise<string> {
  return (await git(top, ['symbolic-ref', '--short', 'HEAD'], signal)).trim();
}
