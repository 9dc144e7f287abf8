import { basename, dirname } from 'node:path/posix';
import type { Application, ApplicationSource } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose, failure } from '@tiphys/diagnosis';
import { type Credentials, type GitRepositories, type GitTree, isCommitSha, type LoggedCommit } from '@tiphys/git';
import type { Manifests, SourceDetails } from '@tiphys/source';
import { compareVersions, readVersion } from '@tiphys/template';
import type { RepositoryAccess, RepositoryDirectory } from '../repositories/repository-directory.ts';
import { isGitSource, manifestSourcesOf } from '../spec/source-of.ts';
import type { SourceAccess, SourceRepository } from './source-access.ts';
import { type SourceBranch, sourceBranch } from './source-branch.ts';
import type { SourceRenderer } from './source-renderer.ts';

/** One source of an application as Argo CD's `ApplicationSource` JSON. */
export type SourceRequest = Readonly<Record<string, unknown>> & { readonly repoURL: string };

/** A repository as it is to be reached; what it leaves out is filled in from its Secret and from templates. */
export type AccessRequest = Omit<RepositoryAccess, 'type' | 'credentialFrom'> & {
  /** `git` if unset. */
  readonly type?: RepositoryAccess['type'];
};

const registryUrlInvalid = defineDiagnosis(
  'RegistryUrlInvalid',
  'A Helm repository with enableOCI is registered with a scheme, or without a name',
  'R12',
);

const templatesAmbiguous = defineDiagnosis(
  'CredentialTemplatesAmbiguous',
  'Several credential templates with the same URL fit a repository',
  'R1',
);

/** Files that make a folder an application of a tool, as upstream detects it. */
const markerFiles: Readonly<Record<string, string>> = {
  'Chart.yaml': 'Helm',
  'kustomization.yaml': 'Kustomize',
  'kustomization.yml': 'Kustomize',
  Kustomization: 'Kustomize',
};

/** A file as a revision has it. */
export interface SourceFile {
  readonly text: string;
  /** The commit that a line (1-based) comes from; undefined if the history does not tell. */
  writer(line: number): Promise<LoggedCommit | undefined>;
  /** The same for several lines, both ends included. */
  writers(from: number, to: number): Promise<ReadonlyMap<number, LoggedCommit>>;
}

export interface SourceQuestionsParts {
  readonly git: GitRepositories;
  readonly manifests: Manifests;
  readonly access: SourceAccess;
  readonly renderer: SourceRenderer;
  readonly repositories: RepositoryDirectory;
  /** With the credentials that may push. */
  readonly writeAccess: SourceAccess;
  /** Of argocd-cm. */
  readonly settings: () => Readonly<Record<string, string>>;
}

/** What the API server asks of repositories and of single sources. Every method throws a `DiagnosisError`. */
export class SourceQuestions {
  readonly #parts: SourceQuestionsParts;

  constructor(parts: SourceQuestionsParts) {
    this.#parts = parts;
  }

  /** Asks the repository now; throws if it cannot be read with these credentials. Gives what is wrong all the same. */
  async testRepository(request: AccessRequest, signal?: AbortSignal): Promise<readonly Diagnosis[]> {
    const { git, manifests } = this.#parts;
    const access = this.#complete(request);
    const { url, type } = access;
    const repository = this.#parts.access.toRepository(access);
    if (type === 'git' && !url.startsWith('oci://')) {
      await git.test(repository, signal ? { signal } : {});
      return [...git.notices(repository), ...ambiguity(access)];
    }
    if (type === 'helm' && repository.oci && url.includes('://')) {
      throw failure(registryUrlInvalid, {
        message: 'OCI Helm repository URL should include hostname and port only',
        place: { remote: url, field: 'url' },
        remedies: ['Write it without a scheme, such as registry.example.com/charts'],
      });
    }
    const { sources, repositoryPlace } = await manifests.published();
    await sources.test(repositoryPlace(repository), signal);
    return ambiguity(access);
  }

  /** With what the repository is read for a project, and how it is reached. */
  repositoryCredentials(repoURL: string, project: string): Promise<Credentials> {
    return this.#parts.git.credentials(this.#parts.access.repository({ repoURL }, project));
  }

  async revision(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ author: string; date: string; message: string; tags: readonly string[] }> {
    const { git } = this.#parts;
    const repository = this.#parts.access.repository(source as unknown as ApplicationSource, project);
    const options = signal ? { signal } : {};
    const commit = revision.length < 40 ? (await git.resolve(repository, revision, options)).commit : revision;
    const { author, message, tags } = await git.commitInfo(repository, commit, options);
    return { author: `${author.name} <${author.email}>`, date: author.date, message: message.trim(), tags };
  }

  /** The charts of a Helm repository with their versions, newest first. */
  async charts(
    request: AccessRequest,
    signal?: AbortSignal,
  ): Promise<readonly { name: string; versions: readonly string[] }[]> {
    const { sources, repositoryPlace } = await this.#parts.manifests.published();
    const place = repositoryPlace(this.#repository(request));
    if (place.kind !== 'repository') {
      throw failure(registryUrlInvalid, {
        message: 'A registry does not list its charts; only a Helm repository has an index of them',
        place: { remote: request.url },
        remedies: ['Name the chart; its versions are listed as tags'],
      });
    }
    const charts = await sources.list(place, signal);
    return [...charts].map(([name, versions]) => ({ name, versions: versions.map(({ version }) => version) }));
  }

  /** The tags of a repository of a registry. */
  async tags(request: AccessRequest, signal?: AbortSignal): Promise<readonly string[]> {
    const { sources, repositoryPlace } = await this.#parts.manifests.published();
    const access = this.#complete(request);
    const url = access.url.replace(/^https?:\/\//, '');
    const place = repositoryPlace(this.#parts.access.toRepository({ ...access, url }));
    return place.kind === 'repository' ? [] : sources.tags(place, signal);
  }

  async chartDetails(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ description: string; home: string; maintainers: readonly string[] }> {
    const { sources, place } = await this.#published(source, project);
    if (place) return sources.details(place, revision, signal);
    throw failure(registryUrlInvalid, {
      message: 'The source is read from Git: it has no chart of a repository',
      place: { field: 'spec.source.chart' },
    });
  }

  /** The annotations of the manifest of an artifact. */
  async artifactAnnotations(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    const { sources, place } = await this.#published(source, project);
    return !place || place.kind === 'repository' ? {} : sources.annotations(place, revision, signal);
  }

  async refs(
    request: AccessRequest,
    signal?: AbortSignal,
  ): Promise<{ branches: readonly string[]; tags: readonly string[] }> {
    const table = await this.#parts.git.lsRemote(this.#repository(request), signal ? { signal } : {});
    const short = (prefix: string) =>
      [...table.refs.keys()]
        .flatMap((ref) => (ref.startsWith(prefix) && !ref.endsWith('^{}') ? [ref.slice(prefix.length)] : []))
        .sort();
    return { branches: short('refs/heads/'), tags: short('refs/tags/') };
  }

  /** Folders that hold a chart or a kustomization at a revision, by path. */
  async discover(
    request: AccessRequest,
    revision: string,
    signal?: AbortSignal,
  ): Promise<readonly { path: string; type: string }[]> {
    const { git } = this.#parts;
    const repository = this.#repository(request);
    const options = signal ? { signal } : {};
    const { commit } = await git.resolve(repository, revision || 'HEAD', options);
    const tree = await git.open(repository, commit, options);
    const found: { path: string; type: string }[] = [];
    for await (const { path } of tree.list('', { recursive: true })) {
      const type = markerFiles[basename(path)];
      if (type) found.push({ path: dirname(path), type });
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  async plugins(): Promise<string[]> {
    return this.#parts.manifests.plugins();
  }

  async sourceDetails(application: Application, source: SourceRequest, signal?: AbortSignal): Promise<SourceDetails> {
    const wanted = source as unknown as ApplicationSource;
    return this.#parts.renderer.details(application, wanted, signal);
  }

  /**
   * A file of the first Git source that has it at the revisions (one a source), or of the one at the index `only`; undefined if none
   * has. Files that are made while rendering, and those of charts of a registry, are in no repository.
   */
  async sourceFile(
    application: Application,
    revisions: readonly string[],
    file: string,
    signal?: AbortSignal,
    only?: number,
  ): Promise<SourceFile | undefined> {
    const { git, access } = this.#parts;
    const options = signal ? { signal } : {};
    for (const [index, source] of manifestSourcesOf(application.spec).entries()) {
      const commit = revisions[index] ?? '';
      if (source.chart || !isCommitSha(commit) || (only !== undefined && index !== only)) continue;
      const repository = access.repository(source, application.spec.project || 'default');
      const tree = await git.open(repository, commit, options);
      if ((await tree.entry(file))?.kind !== 'file') continue;
      const text = Buffer.from(await tree.read(file)).toString('utf8');
      const writers = (from: number, to: number) =>
        git.writersOfLines(repository, { commit, path: file, from, to }, options);
      return { text, writers, writer: async (line) => (await writers(line, line)).get(line) };
    }
    return undefined;
  }

  /** The newest commit that two others of a Git source have in common; undefined where its history here tells none. */
  async mergeBase(
    application: Application,
    sourceIndex: number,
    commits: readonly [string, string],
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const { spec } = application;
    const source = manifestSourcesOf(spec)[sourceIndex];
    if (!source || source.chart || !commits.every(isCommitSha)) return undefined;
    const { git, access } = this.#parts;
    return git.mergeBase(access.repository(source, spec.project || 'default'), commits, signal ? { signal } : {});
  }

  /** The branch that a Git source of an application follows, for those who write to it. */
  sourceBranch(application: Application, sourceIndex: number, signal?: AbortSignal): Promise<SourceBranch> {
    return sourceBranch(this.#parts, { application, sourceIndex, signal });
  }

  /** The files of a commit of a Git source of an application, as they are stored. */
  async sourceFiles(
    application: Application,
    sourceIndex: number,
    commit: string,
    signal?: AbortSignal,
  ): Promise<GitTree> {
    const { spec } = application;
    const source = manifestSourcesOf(spec)[sourceIndex];
    if (!source || !isGitSource(source)) throw new Error(`source ${sourceIndex} is not in Git`);
    const { git, access } = this.#parts;
    const repository = access.repository(source, spec.project || 'default');
    return git.open(repository, commit, { stored: true, ...(signal ? { signal } : {}) });
  }

  /** Newest version of the chart of an application with one source, without prereleases; undefined if its source is no chart of a repository. */
  async newestChart(application: Application, signal?: AbortSignal): Promise<string | undefined> {
    const { spec } = application;
    const [source, ...others] = manifestSourcesOf(spec);
    if (!source?.chart || others.length > 0) return undefined;
    const { sources, repositoryPlace, chartPlace } = await this.#parts.manifests.published();
    const repository = this.#parts.access.repository(source, spec.project || 'default');
    const place = repositoryPlace(repository);
    const chart = chartPlace({ source, repository });
    const versions =
      place.kind === 'repository'
        ? ((await sources.list(place, signal)).get(source.chart) ?? []).map(({ version }) => version)
        : chart && chart.kind !== 'repository'
          ? await sources.tags(chart, signal)
          : [];
    return versions
      .map(readVersion)
      .filter((version) => typeof version === 'object')
      .filter(({ pre }) => pre === '')
      .sort(compareVersions)
      .at(-1)?.original;
  }

  async #published(source: SourceRequest, project: string) {
    const wanted = source as unknown as ApplicationSource;
    const { sources, chartPlace } = await this.#parts.manifests.published();
    const repository = this.#parts.access.repository(wanted, project);
    return { sources, place: chartPlace({ source: wanted, repository }) };
  }

  #complete(request: AccessRequest): RepositoryAccess {
    return this.#parts.repositories.complete(request);
  }

  #repository(request: AccessRequest): SourceRepository {
    return this.#parts.access.toRepository(this.#complete(request));
  }
}

/** Which of several templates is taken is told while it works, before one of them is changed and the other one is not. */
function ambiguity({ url, credentialFrom, rivals = [] }: RepositoryAccess): Diagnosis[] {
  if (rivals.length === 0) return [];
  const others = rivals.slice(0, 3).join(', ');
  return [
    diagnose(templatesAmbiguous, {
      message: `Credentials come from the template ${credentialFrom}, though ${others} has the same URL: the first by name is taken`,
      place: { remote: url },
      remedies: [`Delete all but one of these Secrets (${credentialFrom}, ${others}), or give them different URLs`],
    }),
  ];
}
