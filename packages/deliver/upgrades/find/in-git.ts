import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { CustomLives, Release } from '../knowledge/api-life.ts';
import type { ApiUse } from './finding.ts';
import { git } from './git-command.ts';
import { usesInText } from './in-text.ts';

const notARepository = defineDiagnosis('UpgradeNoRepository', 'The folder to check is in no Git repository');

const manifest = /\.(ya?ml|json|tpl|jsonnet|libsonnet)$/i;
const largestFile = 4 * 1024 * 1024;

/** Uses in the files that Git knows of in a work tree, each with the commit and the author of its line. */
export async function usesInGit(
  folder: string,
  target: Release,
  signal?: AbortSignal,
  custom?: CustomLives,
): Promise<ApiUse[]> {
  const listed = await gitIn(folder, ['ls-files', '-z', '--full-name', '.'], signal);
  const top = await worktreeOf(folder, signal);
  const uses: ApiUse[] = [];
  for (const file of listed.split('\0').filter((name) => manifest.test(name))) {
    const text = await readFile(join(top, file), 'utf8').catch(() => '');
    if (text.length > largestFile) continue;
    for (const { verdict, line, name } of usesInText(text, target, custom)) {
      const commit = await blame(top, file, line, signal);
      const object = name ? `${verdict.life.kind} ${name}` : verdict.life.kind;
      uses.push({
        origin: 'git',
        api: verdict.life,
        state: verdict.state,
        file,
        line,
        object,
        ...(commit ? { commit } : {}),
      });
    }
  }
  return uses;
}

/** Top folder of the work tree that a folder is in. Throws UpgradeNoRepository. */
export async function worktreeOf(folder: string, signal?: AbortSignal): Promise<string> {
  return (await gitIn(folder, ['rev-parse', '--show-toplevel'], signal)).trim();
}

/** Asks git in a folder that somebody named. */
async function gitIn(folder: string, argv: readonly string[], signal?: AbortSignal): Promise<string> {
  try {
    return await git(folder, argv, signal);
  } catch (cause) {
    // git itself may be missing, or have been stopped
    if (typeof (cause as { code?: unknown }).code !== 'number') throw cause;
    throw failure(
      notARepository,
      {
        message: 'The folder is in no Git repository',
        place: { file: folder },
        remedies: ['Name a work tree of a repository', 'Leave --path away to check a cluster alone'],
      },
      { cause },
    );
  }
}

/** Who wrote a line; undefined for one that is in no commit yet. */
async function blame(top: string, file: string, line: number, signal?: AbortSignal): Promise<ApiUse['commit']> {
  const text = await git(top, ['blame', '--porcelain', '-L', `${line},${line}`, '--', file], signal).catch(() => '');
  const revision = text.slice(0, 40);
  const author = /^author (.*)$/m.exec(text)?.[1];
  const seconds = /^author-time (\d+)$/m.exec(text)?.[1];
  if (!author || !seconds || /^0+$/.test(revision)) return undefined;
  return { revision, author, at: new Date(Number(seconds) * 1000).toISOString() };
}
