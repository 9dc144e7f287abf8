import type { GitRepositories, GitTree, Repository, SigningKey, WrittenBranch } from '@tiphys/git';
import { type DryCommit, metadataOf } from './dry-commit.ts';
import {
  attributes,
  attributesFile,
  manifestFile,
  manifestText,
  metadataFile,
  metadataText,
  readmeFile,
} from './files.ts';
import { commitMessage, messageKey, readme, readmeKey } from './templates.ts';

/** The manifests of one application. */
export interface HydratedFolder {
  /** From the top of the repository. */
  readonly path: string;
  readonly objects: readonly unknown[];
  /** How a person would make them. */
  readonly commands: readonly string[];
}

export interface HydrationCommit {
  /** With credentials that may push. */
  readonly repository: Repository;
  readonly branch: string;
  /** Where the branch begins if it is not there. */
  readonly syncBranch: string;
  readonly dry: DryCommit & { readonly repoURL: string };
  readonly folders: readonly HydratedFolder[];
  /** Folders that the same applications were hydrated to before, and nobody is any more. */
  readonly left: readonly string[];
  readonly signingKey?: SigningKey | undefined;
  /** Of argocd-cm. */
  readonly settings: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** The note of a hydrated commit says which dry commit it stands for. */
const noteNamespace = 'hydrator.metadata';

/**
 * Commits the manifests of a group of applications to their branch, at once, and notes the dry commit. A branch that holds the
 * same manifests stays as it is, and only the note is written: doing it twice changes nothing.
 */
export function commitManifests(git: GitRepositories, commit: HydrationCommit): Promise<WrittenBranch> {
  const { repository, branch, syncBranch, dry, settings, signingKey, signal } = commit;
  const metadata = metadataOf(dry.repoURL, dry);
  const message = commitMessage(metadata, settings[messageKey]);
  return git.writeBranch(repository, {
    branch,
    base: syncBranch,
    author: {
      name: settings['commit.author.name'] || 'Argo CD',
      email: settings['commit.author.email'] || 'argo-cd@example.com',
    },
    signingKey,
    note: { namespace: noteNamespace, text: JSON.stringify({ drySha: dry.sha }) },
    change: async (tip) => {
      const files = await changedFiles(tip, commit);
      if (files.size === 0) return undefined;
      files.set(metadataFile, metadataText(metadata));
      files.set(attributesFile, await attributesOf(tip));
      return { message, files };
    },
    ...(signal ? { signal } : {}),
  });
}

async function changedFiles(tip: GitTree, { dry, folders, left, settings }: HydrationCommit) {
  const files = new Map<string, string | undefined>();
  for (const { path, objects, commands } of folders) {
    const text = manifestText(objects);
    if ((await textOf(tip, `${path}/${manifestFile}`)) === text) continue;
    const metadata = { repoURL: dry.repoURL, drySha: dry.sha, commands };
    files.set(`${path}/${manifestFile}`, text);
    files.set(`${path}/${metadataFile}`, metadataText(metadata));
    files.set(`${path}/${readmeFile}`, readme(metadata, settings[readmeKey]));
  }
  for (const path of left) {
    // without its own mark a folder is none of the hydrator's
    if ((await textOf(tip, `${path}/${metadataFile}`)) === undefined) continue;
    for (const name of [manifestFile, metadataFile, readmeFile])
      if ((await textOf(tip, `${path}/${name}`)) !== undefined) files.set(`${path}/${name}`, undefined);
  }
  return files;
}

/** What others have written there stays. */
async function attributesOf(tip: GitTree): Promise<string> {
  const present = (await textOf(tip, attributesFile)) ?? '';
  const lines = present.split('\n');
  const missing = attributes.split('\n').filter((line) => !lines.includes(line));
  if (missing.length === 0) return present;
  const separator = present === '' || present.endsWith('\n') ? '' : '\n';
  return `${present}${separator}${missing.join('\n')}`;
}

const maxBytes = 100 * 1024 * 1024;

async function textOf(tip: GitTree, path: string): Promise<string | undefined> {
  const entry = await tip.entry(path);
  return entry?.kind === 'file' ? Buffer.from(await tip.read(path, { maxBytes })).toString('utf8') : undefined;
}
