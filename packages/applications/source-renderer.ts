import { basename, dirname } from 'node:path/posix';
import type { Application, ApplicationSource } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
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

export interface RenderOptions {
  /** Commit, or whatever `targetRevision` allows; the source's own target if absent. */
  readonly revision?: string | undefined;
  /** Asks the remote even if it was asked a moment ago. */
  readonly askRemote?: boolean;
  /** Drops the cached render. */
  readonly noCache?: boolean;
  readonly signal?: AbortSignal;
}

/** Turns an application's source into manifests: finds the credentials, resolves the revision, renders. */
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
    source: ApplicationSource,
    cluster: ClusterHandle,
    options: RenderOptions = {},
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
      ...(options.revision ? { revision: options.revision } : {}),
      repository: { ...this.toRepository(access), type: access.type },
      destinationNamespace: application.spec.destination.namespace ?? '',
      cluster: await clusterFacts(cluster),
      ...(options.askRemote ? { maxAge: 0 } : {}),
      ...(options.noCache ? { noCache: true } : {}),
      ...(signal ? { signal } : {}),
    });
  }

  /** Proves that the source can be rendered for the application; throws what prevents it. */
  async check(
    application: Application,
    source: ApplicationSource,
    cluster: ClusterHandle,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.render(application, source, cluster, { askRemote: true, ...(signal ? { signal } : {}) });
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
