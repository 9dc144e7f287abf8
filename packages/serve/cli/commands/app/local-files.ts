import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { Application } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { compileGlob } from '@tiphys/glob';
import type { ArchiveEntry } from '@tiphys/registry';
import { sourceOf } from '../common/source-of.ts';

const localFolderUnfit = defineDiagnosis(
  'LocalFolderUnfit',
  'The local folder of a command is not the one that the application is made of',
);

export interface LocalFlags {
  /** The folder of the application, or the root of its repository. */
  readonly local?: string;
  readonly localRepoRoot?: string;
  /** Patterns of file names; all files if absent. */
  readonly localInclude?: readonly string[];
}

/** Folders that no manifest is read from. */
const passedOver = new Set(['.git', 'node_modules']);
const most = 100_000;

/** The files of the repository that a local folder belongs to, as the server is to render them. Throws where the folder does not hold the application's path. */
export function localFiles(
  application: Application,
  { local = '', localRepoRoot, localInclude }: LocalFlags,
  workdir: string,
): ArchiveEntry[] {
  if (application.spec.sources?.length)
    throw failure(localFolderUnfit, {
      message: 'The application has several sources, and a local folder can stand for one alone',
      remedies: ['Compare a revision of the sources: --revisions with --source-positions'],
    });
  const path = (sourceOf(application)?.path ?? '.').split('/').filter((part) => part !== '' && part !== '.');
  const root = rootOf(resolve(workdir, local), localRepoRoot && resolve(workdir, localRepoRoot), path);
  const fits = localInclude?.map((pattern) => compileGlob(pattern));
  const files: ArchiveEntry[] = [];
  const visit = (folder: string): void => {
    for (const name of readdirSync(folder).sort()) {
      if (passedOver.has(name)) continue;
      const file = join(folder, name);
      const status = lstatSync(file);
      const shown = relative(root, file).split(sep).join('/');
      if (status.isDirectory()) visit(file);
      else if (status.isSymbolicLink())
        files.push({ name: shown, data: Buffer.from(readlinkSync(file)), kind: 'link' });
      else if (status.isFile() && (!fits || fits.some((fit) => fit(name))))
        files.push({ name: shown, data: readFileSync(file) });
      if (files.length > most)
        throw failure(localFolderUnfit, {
          message: `${root} holds more than ${most} files`,
          remedies: ['Name what is sent with --local-include, such as *.yaml'],
        });
    }
  };
  visit(root);
  return files;
}

/** The root of the repository: as it is given, or where the application's path leads to, or from, the folder. */
function rootOf(folder: string, given: string | undefined, path: readonly string[]): string {
  const below = (root: string) => isFolder(join(root, ...path));
  if (given !== undefined && below(given)) return given;
  if (given === undefined) {
    const parts = folder.split(sep);
    if (path.length > 0 && path.every((part, index) => parts[parts.length - path.length + index] === part))
      return parts.slice(0, parts.length - path.length).join(sep) || sep;
    if (below(folder)) return folder;
  }
  throw failure(localFolderUnfit, {
    message: `${given ?? folder} holds no folder ${path.join('/')}, which the application is made of`,
    place: { field: 'spec.source.path' },
    evidence: { 'spec.source.path': path.join('/') || '.' },
    remedies: [
      'Name the folder of the application or the root of its repository with --local; or the root with --local-repo-root',
    ],
  });
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
