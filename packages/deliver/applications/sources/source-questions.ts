import { basename, dirname } from 'node:path/posix';
import type { Application, ApplicationSource } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { GitRepositories } from '@tiphys/git';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Manifests, SourceDetails } from '@tiphys/source';
import type { RepositoryAccess, RepositoryDirectory } from '../repositories/repository-directory.ts';
import type { SourceAccess, SourceRepository } from './source-access.ts';
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

/** Files that make a folder an application of a tool, as upstream detects it. */
const markerFiles: Readonly<Record<string, string>> = {
  'Chart.yaml': 'Helm',
  'kustomization.yaml': 'Kustomize',
  'kustomization.yml': 'Kustomize',
  Kustomization: 'Kustomize',
};

export interface SourceQuestionsParts {
  readonly git: GitRepositories;
  readonly manifests: Manifests;
  readonly access: SourceAccess;
  readonly renderer: SourceRenderer;
  readonly repositories: RepositoryDirectory;
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
      return git.notices(repository);
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
    return [];
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

  async sourceDetails(app: KubeObject, source: SourceRequest, signal?: AbortSignal): Promise<SourceDetails> {
    const wanted = source as unknown as ApplicationSource;
    return this.#parts.renderer.details(app as unknown as Application, wanted, signal);
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
