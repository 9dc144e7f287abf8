import type { ApplicationSource, AppProject } from '@tiphys/api';
import { parseRepositoryUrl, type Repository, readCredentials, type SigningKey } from '@tiphys/git';
import type { RenderRequest } from '@tiphys/source';
import { sourceDenial } from '../projects/projects.ts';
import type { RepositoryAccess, RepositoryDirectory } from '../repositories/repository-directory.ts';
import type { TrustStore } from './trust-store.ts';

/** A repository with all that its Secret says about how it is reached. */
export type SourceRepository = RenderRequest['repository'];

export interface SourceAccessParts {
  readonly repositories: RepositoryDirectory;
  readonly trust: TrustStore;
  readonly project: (name: string) => AppProject | undefined;
  /** Of argocd-cmd-params-cm. */
  readonly parameters: () => Readonly<Record<string, string>>;
  /** As ARGOCD_GIT_MODULES_ENABLED; `reposerver.enable.git.submodule` of argocd-cmd-params-cm if absent. */
  readonly gitModulesEnabled?: string;
}

/** Which repositories the sources of a project are read from, and with whose credentials. */
export class SourceAccess {
  readonly #parts: SourceAccessParts;

  constructor(parts: SourceAccessParts) {
    this.#parts = parts;
  }

  /** The repository of a source with the credentials that the project may use. */
  repository(source: Pick<ApplicationSource, 'repoURL'>, project: string): SourceRepository {
    const repository = this.toRepository(this.#parts.repositories.access(source.repoURL ?? '', project));
    const enabled =
      this.#parts.gitModulesEnabled ?? (this.#parts.parameters()['reposerver.enable.git.submodule'] || 'true');
    return enabled === 'true'
      ? { ...repository, submodules: (url) => this.#submodule(url, repository, project) }
      : repository;
  }

  /**
   * How a submodule is read: with the credentials that are registered for it, if the project permits its repository; else,
   * as upstream, with those of the repository that holds it, but on the same host only. An SSH key tells another host nothing.
   */
  #submodule(url: string, parent: SourceRepository, project: string): Repository {
    const access = this.permits(project, url) ? this.#parts.repositories.access(url, project) : undefined;
    if (access?.credentialFrom) return this.toRepository(access);
    const { credentials = {} } = parent;
    if (sameHost(url, parent.url)) return { url, credentials };
    const { sshPrivateKey, insecure, from } = credentials;
    const key = sshPrivateKey ? { sshPrivateKey, ...(insecure ? { insecure } : {}), ...(from ? { from } : {}) } : {};
    return { url, credentials: { ...this.#parts.trust.of(url), ...key } };
  }

  /** The key that commits to a repository are signed with: `gpgSigningKey` of its Secret, armored. */
  signingKey(repoURL: string, project: string): SigningKey | undefined {
    const { gpgSigningKey, gpgSigningPassphrase } = this.#parts.repositories.access(repoURL, project).settings;
    if (!gpgSigningKey) return undefined;
    return { privateKey: gpgSigningKey, ...(gpgSigningPassphrase ? { passphrase: gpgSigningPassphrase } : {}) };
  }

  /** The repository of a Secret or template, as git and the registries are told. */
  toRepository({ url, type, settings, credentialFrom, rivals = [] }: RepositoryAccess): SourceRepository {
    const trust = this.#parts.trust.of(url);
    const from =
      rivals.length > 0 ? `${credentialFrom} (with the same URL as ${rivals.slice(0, 3).join(', ')})` : credentialFrom;
    return {
      url,
      type,
      credentials: readCredentials({ ...settings, type }, { ...trust, ...(from ? { from } : {}) }),
      ...(settings.enableOCI === 'true' ? { oci: true } : {}),
      ...(settings.insecureOCIForceHttp === 'true' ? { plainHttp: true } : {}),
    };
  }

  /** Whether the project lets its applications read the repository. */
  permits(project: string, repoURL: string): boolean {
    const found = this.#parts.project(project);
    return found !== undefined && sourceDenial(found, { repoURL }) === undefined;
  }

  /** Where a dependency of a chart is, if it is registered and the project permits it. */
  dependency(repository: string, project: string): SourceRepository | undefined {
    const access = this.#parts.repositories.dependency(repository, project, (url) => this.permits(project, url));
    if (!access) return undefined;
    const registry = repository.startsWith('oci://');
    return this.toRepository(registry ? { ...access, settings: { ...access.settings, enableOCI: 'true' } } : access);
  }
}

/** Scheme, host and port are the same: what is sent to the one may be sent to the other. */
function sameHost(a: string, b: string): boolean {
  const [x, y] = [parseRepositoryUrl(a), parseRepositoryUrl(b)];
  return x.transport === y.transport && x.host === y.host && x.port === y.port;
}
