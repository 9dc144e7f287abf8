import type { Application } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { Credentials, GitRepositories, GitTree } from '@tiphys/git';
import { manifestSourcesOf } from '../spec/source-of.ts';
import type { SourceAccess } from './source-access.ts';

const branchNotWritable = defineDiagnosis(
  'SourceBranchNotWritable',
  'A change was to be committed to what a source follows, and that is no branch that can be written to',
);

/** The branch that a source follows, as it was when it was asked for. */
export interface SourceBranch {
  readonly repoURL: string;
  readonly branch: string;
  /** Its newest commit. */
  readonly tip: string;
  /** Files of a commit of the repository, as they are stored. */
  filesAt(commit: string): Promise<GitTree>;
  /** A commit on top of the tip, here alone; files by path from the root, undefined takes one away. */
  draft(message: string, files: ReadonlyMap<string, string | undefined>): Promise<string | undefined>;
  /** Pushes a draft to the branch, or as a new branch; false if others pushed in between, or the new branch is there. */
  publish(commit: string, newBranch?: string): Promise<boolean>;
  /** With what is pushed. Never shown to anybody. */
  credentials(): Promise<Credentials>;
}

export interface SourceBranchParts {
  readonly git: GitRepositories;
  readonly access: SourceAccess;
  readonly writeAccess: SourceAccess;
  /** Of argocd-cm. */
  readonly settings: () => Readonly<Record<string, string>>;
}

interface Asked {
  readonly application: Application;
  readonly sourceIndex: number;
  readonly signal: AbortSignal | undefined;
}

/** Throws for a source that follows a tag, a commit, a range or a chart, or whose repository its project does not permit. */
export async function sourceBranch(
  { git, access, writeAccess, settings }: SourceBranchParts,
  { application: { spec }, sourceIndex, signal }: Asked,
): Promise<SourceBranch> {
  const source = manifestSourcesOf(spec)[sourceIndex];
  const project = spec.project || 'default';
  const repoURL = source?.repoURL ?? '';
  const options = signal ? { signal } : {};
  if (!source || source.chart || repoURL.startsWith('oci://'))
    throw notWritable(repoURL, 'The source is no Git repository', ['Set the version in the spec of the application']);
  if (!access.permits(project, repoURL))
    throw notWritable(repoURL, `The project ${project} does not permit the repository`, ['Permit it in sourceRepos']);
  const reading = access.repository(source, project);
  const table = await git.lsRemote(reading, { maxAge: 0, ...options });
  const wanted = source.targetRevision || 'HEAD';
  const ref = wanted === 'HEAD' ? table.symbolic.get('HEAD') : `refs/heads/${wanted.replace(/^refs\/heads\//, '')}`;
  const tip = ref && table.refs.get(ref);
  if (!ref || !tip)
    throw notWritable(repoURL, `The source follows ${wanted}, which is no branch`, [
      'Let the application follow a branch, so that a commit can be delivered to it',
    ]);
  const branch = ref.replace(/^refs\/heads\//, '');
  const repository = writeAccess.repository({ repoURL }, project);
  const write = (name: string) => ({
    branch: name,
    author: {
      name: settings()['commit.author.name'] || 'Argo CD',
      email: settings()['commit.author.email'] || 'argo-cd@example.com',
    },
    signingKey: writeAccess.signingKey(repoURL, project),
    ...options,
  });
  const filesAt = (commit: string) => git.open(reading, commit, { stored: true, ...options });
  // the tip is brought here by those who may read it
  await filesAt(tip);
  return {
    repoURL,
    branch,
    tip,
    filesAt,
    draft: (message, files) =>
      git.draftCommit(reading, tip, { ...write(branch), change: async () => ({ message, files }) }),
    async publish(commit, newBranch) {
      const target = { ...write(newBranch ?? branch), change: async () => undefined };
      const done = await git.publishDraft(repository, { commit, expected: newBranch ? undefined : tip }, target);
      git.invalidate(reading);
      return done;
    },
    credentials: () => git.credentials(repository),
  };
}

function notWritable(remote: string, message: string, remedies: readonly string[]) {
  return failure(branchNotWritable, { message, place: { remote, field: 'spec.source.targetRevision' }, remedies });
}
