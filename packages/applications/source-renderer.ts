import { basename, dirname } from 'node:path/posix';
import type { Application, ApplicationSource } from '@tiphys/api';
import { defineDiagnosis, failure, within } from '@tiphys/diagnosis';
import { type GitRepositories, type Repository, readCredentials } from '@tiphys/git';
import type { Manifests, Rendered } from '@tiphys/source';
import { instanceName } from './application-key.ts';
import type { ClusterHandle } from './cluster-registry.ts';
import type { RepositoryAccess, RepositoryDirectory } from './repository-directory.ts';
import type { TrustStore } from './trust-store.ts';

const repositoryTypeUnsupported = defineDiagnosis(
  'RepositoryTypeUnsupported',
  'A repository of this type cannot be read yet',
  'R12',
);

/** Files that make a folder an application of a tool, as upstream detects it. */
const markerFiles: Readonly<Record<string, string>> = {
  'Chart.yaml': 'Helm',
  'kustomization.yaml': 'Kustomize',
  'kustomization.yml': 'Kustomize',
  Kustomization: 'Kustomize',
};

/** The manifests of all sources of an application, in the order of the sources. */
export interface RenderedSources {
  /** One commit for each source. */
  readonly revisions: readonly string[];
  readonly sourceTypes: readonly Rendered['sourceType'][];
  /** Where two sources hold the same object, the later one wins and the comparison warns of it. */
  readonly objects: Rendered['objects'];
  readonly warnings: Rendered['warnings'];
}

export interface RenderOptions {
  /** For each source a commit, or whatever `targetRevision` allows; the source's own target where absent or empty. */
  readonly revisions?: readonly string[] | undefined;
  /** Asks the remote even if it was asked a moment ago. */
  readonly askRemote?: boolean;
  /** Drops the cached render. */
  readonly noCache?: boolean;
  readonly signal?: AbortSignal;
}

/** Turns an application's sources into manifests: finds the credentials, resolves the revision, renders. */
export class SourceRenderer {
  readonly #git: GitRepositories;
  readonly #manifests: Manifests;
  readonly #repositories: RepositoryDirectory;
  readonly #trust: TrustStore;
  readonly #controlNamespace: string;

  constructor(parts: {
    git: GitRepositories;
    manifests: Manifests;
    repositories: RepositoryDirectory;
    trust: TrustStore;
    controlNamespace: string;
  }) {
    this.#git = parts.git;
    this.#manifests = parts.manifests;
    this.#repositories = parts.repositories;
    this.#trust = parts.trust;
    this.#controlNamespace = parts.controlNamespace;
  }

  /** The repository of a source with the credentials that the project may use. */
  repository(source: ApplicationSource, project: string): Repository {
    return this.toRepository(this.#repositories.access(source.repoURL ?? '', project));
  }

  toRepository({ url, settings, credentialFrom }: RepositoryAccess): Repository {
    const trust = this.#trust.of(url);
    return {
      url,
      credentials: readCredentials(settings, { ...trust, ...(credentialFrom ? { from: credentialFrom } : {}) }),
    };
  }

  async render(
    application: Application,
    sources: readonly ApplicationSource[],
    cluster: ClusterHandle,
    options: RenderOptions = {},
  ): Promise<RenderedSources> {
    const rendered: Rendered[] = [];
    for (const [index, source] of sources.entries()) {
      try {
        rendered.push(await this.#render(application, source, cluster, options, options.revisions?.[index]));
      } catch (error) {
        // The diagnosis does not know which of several sources it is about.
        throw sources.length > 1 && !options.signal?.aborted
          ? within(error, { place: { field: `spec.sources[${index}]` } })
          : error;
      }
    }
    return {
      revisions: rendered.map(({ revision }) => revision),
      sourceTypes: rendered.map(({ sourceType }) => sourceType),
      objects: rendered.length === 1 ? (rendered[0] as Rendered).objects : rendered.flatMap(({ objects }) => objects),
      warnings: rendered.flatMap(({ warnings }) => warnings),
    };
  }

  async #render(
    application: Application,
    source: ApplicationSource,
    cluster: ClusterHandle,
    options: RenderOptions,
    revision: string | undefined,
  ): Promise<Rendered> {
    const project = application.spec.project || 'default';
    const access = this.#repositories.access(source.repoURL ?? '', project);
    const { signal } = options;
    return this.#manifests.render({
      application: {
        name: instanceName(application, this.#controlNamespace),
        namespace: application.metadata.namespace ?? '',
        project,
      },
      source,
      ...(revision ? { revision } : {}),
      repository: { ...this.toRepository(access), type: access.type },
      destinationNamespace: application.spec.destination.namespace ?? '',
      cluster: await clusterFacts(cluster),
      ...(options.askRemote ? { maxAge: 0 } : {}),
      ...(options.noCache ? { noCache: true } : {}),
      ...(signal ? { signal } : {}),
    });
  }

  /** Proves that the sources can be rendered for the application; throws what prevents it. */
  async check(
    application: Application,
    sources: readonly ApplicationSource[],
    cluster: ClusterHandle,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.render(application, sources, cluster, { askRemote: true, ...(signal ? { signal } : {}) });
  }

  /** Asks the repository now; throws the diagnosis if it cannot be read with these credentials. */
  async test(access: RepositoryAccess, signal?: AbortSignal): Promise<void> {
    if (access.type !== 'git') {
      throw failure(repositoryTypeUnsupported, {
        message: `Repositories of type ${access.type} are not supported yet`,
        place: { remote: access.url, field: 'type' },
        remedies: ['Keep the chart in a Git repository and use type git'],
      });
    }
    await this.#git.test(this.toRepository(access), signal ? { signal } : {});
  }

  /** Folders that hold a chart or a kustomization at a revision, by path. */
  async discover(
    access: RepositoryAccess,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ path: string; type: string }[]> {
    const repository = this.toRepository(access);
    const options = signal ? { signal } : {};
    const { commit } = await this.#git.resolve(repository, revision || 'HEAD', options);
    const tree = await this.#git.open(repository, commit, options);
    const found: { path: string; type: string }[] = [];
    for await (const { path } of tree.list('', { recursive: true })) {
      const type = markerFiles[basename(path)];
      if (type) found.push({ path: dirname(path), type });
    }
    return found.sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  get git(): GitRepositories {
    return this.#git;
  }
}

/** Version and API versions that charts may ask for. */
async function clusterFacts({ cache }: ClusterHandle): Promise<{ kubeVersion: string; apiVersions: string[] }> {
  await cache.ensureSynced();
  return { kubeVersion: cache.serverVersion(), apiVersions: cache.apiVersions() };
}
