import type { Application, ApplicationSource } from '@tiphys/api';
import { type GitRepositories, readCredentials, type Repository } from '@tiphys/git';
import type { Manifests, Rendered } from '@tiphys/source';
import { instanceName } from './application-key.ts';
import type { ClusterHandle } from './cluster-registry.ts';
import type { RepositoryAccess, RepositoryDirectory } from './repository-directory.ts';
import type { TrustStore } from './trust-store.ts';

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

  constructor(parts: { git: GitRepositories; manifests: Manifests; repositories: RepositoryDirectory; trust: TrustStore; controlNamespace: string }) {
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
    return { url, credentials: readCredentials(settings, { ...trust, ...(credentialFrom ? { from: credentialFrom } : {}) }) };
  }

  async render(application: Application, source: ApplicationSource, cluster: ClusterHandle, options: RenderOptions = {}): Promise<Rendered> {
    const project = application.spec.project || 'default';
    const access = this.#repositories.access(source.repoURL ?? '', project);
    const { signal } = options;
    return this.#manifests.render({
      application: { name: instanceName(application, this.#controlNamespace), namespace: application.metadata.namespace ?? '', project },
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

  get git(): GitRepositories {
    return this.#git;
  }
}

/** Version and API versions that charts may ask for. */
async function clusterFacts({ cache }: ClusterHandle): Promise<{ kubeVersion: string; apiVersions: string[] }> {
  await cache.ensureSynced();
  const resources = cache.apiResources();
  const versions = resources.flatMap(({ group, version, kind }) => {
    const groupVersion = group ? `${group}/${version}` : version;
    return [groupVersion, `${groupVersion}/${kind}`];
  });
  return { kubeVersion: cache.serverVersion(), apiVersions: [...new Set(versions)].sort() };
}
