import type { Application, ApplicationSource } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { SourceDetails } from '@tiphys/source';
import type { RepositoryAccess, RepositoryDirectory } from './repository-directory.ts';
import type { SourceRenderer } from './source-renderer.ts';

/** One source of an application as Argo CD's `ApplicationSource` JSON. */
export type SourceRequest = Readonly<Record<string, unknown>> & { readonly repoURL: string };

/** A repository as it is to be reached; what it leaves out is filled in from its Secret and from templates. */
export type AccessRequest = Omit<RepositoryAccess, 'type' | 'credentialFrom'> & {
  /** `git` if unset. */
  readonly type?: RepositoryAccess['type'];
};

/** What the API server asks of repositories and of single sources. Every method throws a `DiagnosisError`. */
export class SourceQuestions {
  readonly #renderer: SourceRenderer;
  readonly #repositories: RepositoryDirectory;

  constructor(parts: { readonly renderer: SourceRenderer; readonly repositories: RepositoryDirectory }) {
    this.#renderer = parts.renderer;
    this.#repositories = parts.repositories;
  }

  async testRepository(repository: AccessRequest, signal?: AbortSignal): Promise<readonly Diagnosis[]> {
    const access = this.#access(repository);
    const renderer = this.#renderer;
    await renderer.test(access, signal);
    const isGit = access.type === 'git' && !access.url.startsWith('oci://');
    return isGit ? renderer.git.notices(renderer.toRepository(access)) : [];
  }

  async revision(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ author: string; date: string; message: string; tags: readonly string[] }> {
    const { git } = this.#renderer;
    const repository = this.#renderer.repository(source as unknown as ApplicationSource, project);
    const options = signal ? { signal } : {};
    const commit = revision.length < 40 ? (await git.resolve(repository, revision, options)).commit : revision;
    const { author, message, tags } = await git.commitInfo(repository, commit, options);
    return { author: `${author.name} <${author.email}>`, date: author.date, message: message.trim(), tags };
  }

  async charts(
    repository: AccessRequest,
    signal?: AbortSignal,
  ): Promise<readonly { name: string; versions: readonly string[] }[]> {
    return this.#renderer.charts(this.#access(repository), signal);
  }

  async tags(repository: AccessRequest, signal?: AbortSignal): Promise<readonly string[]> {
    return this.#renderer.tags(this.#access(repository), signal);
  }

  async chartDetails(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ description: string; home: string; maintainers: readonly string[] }> {
    return this.#renderer.chartDetails(source as unknown as ApplicationSource, project, revision, signal);
  }

  async artifactAnnotations(
    source: SourceRequest,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    return this.#renderer.artifactAnnotations(source as unknown as ApplicationSource, project, revision, signal);
  }

  async refs(
    repository: AccessRequest,
    signal?: AbortSignal,
  ): Promise<{ branches: readonly string[]; tags: readonly string[] }> {
    const table = await this.#renderer.git.lsRemote(
      this.#renderer.toRepository(this.#access(repository)),
      signal ? { signal } : {},
    );
    const short = (prefix: string) =>
      [...table.refs.keys()]
        .flatMap((ref) => (ref.startsWith(prefix) && !ref.endsWith('^{}') ? [ref.slice(prefix.length)] : []))
        .sort();
    return { branches: short('refs/heads/'), tags: short('refs/tags/') };
  }

  async discover(
    repository: AccessRequest,
    revision: string,
    signal?: AbortSignal,
  ): Promise<readonly { path: string; type: string }[]> {
    return this.#renderer.discover(this.#access(repository), revision, signal);
  }

  async plugins(): Promise<string[]> {
    return this.#renderer.plugins();
  }

  async sourceDetails(app: KubeObject, source: SourceRequest, signal?: AbortSignal): Promise<SourceDetails> {
    const wanted = source as unknown as ApplicationSource;
    return this.#renderer.details(app as unknown as Application, wanted, signal);
  }

  #access(request: AccessRequest): RepositoryAccess {
    return this.#repositories.complete(request);
  }
}
