import { basename, dirname } from 'node:path/posix';
import type { Application, ApplicationSource, AppProject } from '@tiphys/api';
import { defineDiagnosis, failure, within } from '@tiphys/diagnosis';
import { type GitRepositories, parseRepositoryUrl, type Repository, readCredentials } from '@tiphys/git';
import type { LookupRequest, RecordedValue } from '@tiphys/helm';
import type {
  ChartDetails,
  Manifests,
  ReferencedSource,
  Rendered,
  RenderRequest,
  SourceDetails,
  TreeFile,
} from '@tiphys/source';
import { instanceName } from './application-key.ts';
import { ClusterLookup } from './cluster-lookup.ts';
import type { ClusterHandle } from './cluster-registry.ts';
import type { GeneratedValues, UsedValues } from './generated-values.ts';
import { pluginRequest } from './plugin-settings.ts';
import { sourceDenial } from './projects.ts';
import type { SourceRender } from './render-history.ts';
import type { RepositoryAccess, RepositoryDirectory } from './repository-directory.ts';
import { hasSources, sourcesOf } from './source-of.ts';
import type { SourceSettings } from './source-settings.ts';
import type { TrustStore } from './trust-store.ts';

const refInvalid = defineDiagnosis('SourceRefInvalid', 'A ref of spec.sources is no name, or is there twice');
const registryUrlInvalid = defineDiagnosis(
  'RegistryUrlInvalid',
  'A Helm repository with enableOCI is registered with a scheme, or without a name',
  'R12',
);

/** What uploaded files are called where a revision is asked for, as upstream. */
const uploadedRevision = 'streamed';

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
  /** What the objects hold that was generated. May be private keys. */
  readonly generated: UsedValues;
  /** How each source was rendered, one for each; none for manifests that were not. */
  readonly renders: readonly SourceRender[];
}

export interface RenderOptions {
  /** For each source a commit, or whatever `targetRevision` allows; the source's own target where absent or empty. */
  readonly revisions?: readonly string[] | undefined;
  /** Asks the remote even if it was asked a moment ago. */
  readonly askRemote?: boolean;
  /** Oldest answer of the remote that is believed, in milliseconds; some two minutes if absent. */
  readonly maxAge?: number | undefined;
  /** Drops the cached render. */
  readonly noCache?: boolean;
  /**
   * Records what is generated, before the result is given: for everything that may be applied. Without it the render is for
   * looking at, and what is not recorded yet is made up.
   */
  readonly record?: boolean;
  /** Files that take the place of those of the first source; the others are left out. */
  readonly files?: readonly TreeFile[];
  readonly signal?: AbortSignal;
}

/** What a source shares with the others of its application. */
interface SourceContext {
  readonly cluster: ClusterHandle;
  readonly references: ReadonlyMap<string, ReferencedSource>;
  readonly revision: string | undefined;
}

/** A repository with all that its Secret says about how it is reached. */
export type SourceRepository = RenderRequest['repository'];

/** Turns an application's sources into manifests: finds the credentials, resolves the revision, renders. */
export class SourceRenderer {
  readonly #git: GitRepositories;
  readonly #manifests: Manifests;
  readonly #repositories: RepositoryDirectory;
  readonly #trust: TrustStore;
  readonly #controlNamespace: string;
  readonly #generated: GeneratedValues;
  readonly #project: (name: string) => AppProject | undefined;
  readonly #settings: () => SourceSettings;
  readonly #parameters: () => Readonly<Record<string, string>>;
  readonly #gitModulesEnabled: string | undefined;

  constructor(parts: {
    git: GitRepositories;
    manifests: Manifests;
    repositories: RepositoryDirectory;
    trust: TrustStore;
    controlNamespace: string;
    generated: GeneratedValues;
    project: (name: string) => AppProject | undefined;
    settings: () => SourceSettings;
    /** Of argocd-cmd-params-cm. */
    parameters: () => Readonly<Record<string, string>>;
    /** As ARGOCD_GIT_MODULES_ENABLED; `reposerver.enable.git.submodule` of argocd-cmd-params-cm if absent. */
    gitModulesEnabled?: string;
  }) {
    this.#git = parts.git;
    this.#gitModulesEnabled = parts.gitModulesEnabled;
    this.#manifests = parts.manifests;
    this.#repositories = parts.repositories;
    this.#trust = parts.trust;
    this.#controlNamespace = parts.controlNamespace;
    this.#generated = parts.generated;
    this.#project = parts.project;
    this.#settings = parts.settings;
    this.#parameters = parts.parameters;
  }

  /** The repository of a source with the credentials that the project may use. */
  repository(source: ApplicationSource, project: string): SourceRepository {
    const repository = this.toRepository(this.#repositories.access(source.repoURL ?? '', project));
    const enabled = this.#gitModulesEnabled ?? (this.#parameters()['reposerver.enable.git.submodule'] || 'true');
    return enabled === 'true'
      ? { ...repository, submodules: (url) => this.#submodule(url, repository, project) }
      : repository;
  }

  /**
   * How a submodule is read: with the credentials that are registered for it, if the project permits its repository; else,
   * as upstream, with those of the repository that holds it, but on the same host only. An SSH key tells another host nothing.
   */
  #submodule(url: string, parent: SourceRepository, project: string): Repository {
    const access = this.#permits(project, url) ? this.#repositories.access(url, project) : undefined;
    if (access?.credentialFrom) return this.toRepository(access);
    const { credentials = {} } = parent;
    if (sameHost(url, parent.url)) return { url, credentials };
    const { sshPrivateKey, insecure, from } = credentials;
    const key = sshPrivateKey ? { sshPrivateKey, ...(insecure ? { insecure } : {}), ...(from ? { from } : {}) } : {};
    return { url, credentials: { ...this.#trust.of(url), ...key } };
  }

  toRepository({ url, type, settings, credentialFrom }: RepositoryAccess): SourceRepository {
    const trust = this.#trust.of(url);
    return {
      url,
      type,
      credentials: readCredentials(
        { ...settings, type },
        { ...trust, ...(credentialFrom ? { from: credentialFrom } : {}) },
      ),
      ...(settings.enableOCI === 'true' ? { oci: true } : {}),
      ...(settings.insecureOCIForceHttp === 'true' ? { plainHttp: true } : {}),
    };
  }

  /** The commit, the version of a chart or the digest of an artifact that a revision of a source is now. */
  async resolve(
    source: ApplicationSource,
    project: string,
    wanted: string,
    signal?: AbortSignal,
  ): Promise<{ revision: string }> {
    const options = { maxAge: 0, ...(signal ? { signal } : {}) };
    return this.#manifests.resolve({ ...source, targetRevision: wanted }, this.repository(source, project), options);
  }

  async render(
    application: Application,
    sources: readonly ApplicationSource[],
    cluster: ClusterHandle,
    options: RenderOptions = {},
  ): Promise<RenderedSources> {
    const rendered: Rendered[] = [];
    const references = this.#references(application, sources, options.revisions);
    const generated = new Map<string, readonly RecordedValue[]>();
    for (const [index, source] of sources.entries()) {
      try {
        rendered.push(
          await this.#render(
            application,
            source,
            { cluster, references, revision: options.revisions?.[index] },
            options,
          ),
        );
        const release = this.#release(application, source);
        const used = rendered.at(-1)?.generated?.used;
        if (used) generated.set(release, [...(generated.get(release) ?? []), ...used]);
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
      generated,
      renders: rendered.map(({ revision, sourceType, found, readSet, digest }) => ({
        revision,
        sourceType,
        found,
        readSet,
        digest,
      })),
    };
  }

  /** The sources that others may refer to, at the revisions that are rendered. Throws for names that upstream refuses. */
  #references(
    application: Application,
    sources: readonly ApplicationSource[],
    revisions: readonly string[] = [],
  ): ReadonlyMap<string, ReferencedSource> {
    const references = new Map<string, ReferencedSource>();
    if (!hasSources(application.spec) && sources.length < 2) return references;
    for (const [index, source] of sources.entries()) {
      const { ref, targetRevision = '', tagPrefix, chart } = source;
      if (!ref) continue;
      const field = `spec.sources[${index}].ref`;
      if (!/^[a-zA-Z0-9_-]+$/.test(ref)) {
        throw failure(refInvalid, {
          message: `sources.ref ${ref} cannot contain any special characters except '_' and '-'`,
          place: { field },
          remedies: ['Use letters, digits, _ and -'],
        });
      }
      if (references.has(ref)) {
        throw failure(refInvalid, {
          message: 'invalid sources: multiple sources had the same `ref` key',
          place: { field },
          evidence: { ref },
          remedies: ['Give each source a ref of its own'],
        });
      }
      references.set(ref, {
        repository: this.repository(source, application.spec.project || 'default'),
        revision: revisions[index] || targetRevision,
        ...(tagPrefix ? { tagPrefix } : {}),
        ...(chart ? { chart } : {}),
      });
    }
    return references;
  }

  #release(application: Application, { helm }: ApplicationSource): string {
    return helm?.releaseName || instanceName(application, this.#controlNamespace);
  }

  async #render(
    application: Application,
    source: ApplicationSource,
    { cluster: handle, references, revision }: SourceContext,
    options: RenderOptions,
  ): Promise<Rendered> {
    const project = application.spec.project || 'default';
    const { signal } = options;
    const cluster = await this.#clusterFacts(application, handle);
    const render = (recorded: readonly RecordedValue[]) =>
      this.#manifests.render({
        application: {
          name: instanceName(application, this.#controlNamespace),
          namespace: application.metadata.namespace ?? '',
          project,
        },
        source,
        ...(revision ? { revision } : {}),
        repository: this.repository(source, project),
        dependencyRepository: (repository) => this.#dependencyRepository(repository, project),
        permitsRepository: (url) => this.#permits(project, url),
        destinationNamespace: application.spec.destination.namespace ?? '',
        several: hasSources(application.spec) || references.size > 0,
        references,
        ...this.#settings(),
        plugins: pluginRequest(this.#parameters(), application),
        cluster: cluster.facts,
        recorded,
        ...(options.files ? { files: options.files, revision: uploadedRevision } : {}),
        ...(options.askRemote ? { maxAge: 0 } : options.maxAge === undefined ? {} : { maxAge: options.maxAge }),
        ...(options.noCache ? { noCache: true } : {}),
        ...(signal ? { signal } : {}),
      });
    const release = this.#release(application, source);
    const rendered = options.record
      ? await this.#generated.recording(application, release, render)
      : await render(this.#generated.of(application, release));
    const refused = cluster.lookups.refusals();
    return refused.length > 0 ? { ...rendered, warnings: [...rendered.warnings, ...refused] } : rendered;
  }

  plugins(): Promise<string[]> {
    return this.#manifests.plugins();
  }

  /** What a source can be told, by the tool that it is for; the application need not be stored. */
  async details(application: Application, source: ApplicationSource, signal?: AbortSignal): Promise<SourceDetails> {
    const project = application.spec.project || 'default';
    const references = this.#references(application, sourcesOf(application.spec));
    return this.#manifests.details({
      application: {
        name: instanceName(application, this.#controlNamespace),
        namespace: application.metadata.namespace ?? '',
        project,
      },
      source,
      repository: this.repository(source, project),
      dependencyRepository: (repository) => this.#dependencyRepository(repository, project),
      permitsRepository: (url) => this.#permits(project, url),
      destinationNamespace: '',
      several: references.size > 0,
      references,
      ...this.#settings(),
      plugins: pluginRequest(this.#parameters(), application),
      ...(signal ? { signal } : {}),
    });
  }

  /** What charts may ask of the cluster: versions, and the objects that the project permits. */
  async #clusterFacts(application: Application, handle: ClusterHandle) {
    const { cache } = handle;
    await cache.ensureSynced();
    const lookups = new ClusterLookup({
      application,
      cluster: handle,
      project: this.#project(application.spec.project || 'default'),
      controlNamespace: this.#controlNamespace,
    });
    const facts = {
      kubeVersion: cache.serverVersion(),
      apiVersions: cache.apiVersions(),
      lookup: (request: LookupRequest) => lookups.find(request),
    };
    return { facts, lookups };
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
    const repository = this.toRepository(access);
    if (access.type === 'git' && !access.url.startsWith('oci://')) {
      await this.#git.test(repository, signal ? { signal } : {});
      return;
    }
    if (access.type === 'helm' && repository.oci && access.url.includes('://')) {
      throw failure(registryUrlInvalid, {
        message: 'OCI Helm repository URL should include hostname and port only',
        place: { remote: access.url, field: 'url' },
        remedies: ['Write it without a scheme, such as registry.example.com/charts'],
      });
    }
    const { sources, repositoryPlace } = await this.#manifests.published();
    await sources.test(repositoryPlace(repository), signal);
  }

  /** The charts of a Helm repository with their versions, newest first. */
  async charts(access: RepositoryAccess, signal?: AbortSignal): Promise<{ name: string; versions: string[] }[]> {
    const { sources, repositoryPlace } = await this.#manifests.published();
    const place = repositoryPlace(this.toRepository(access));
    if (place.kind !== 'repository') {
      throw failure(registryUrlInvalid, {
        message: 'A registry does not list its charts; only a Helm repository has an index of them',
        place: { remote: access.url },
        remedies: ['Name the chart; its versions are listed as tags'],
      });
    }
    const charts = await sources.list(place, signal);
    return [...charts].map(([name, versions]) => ({ name, versions: versions.map(({ version }) => version) }));
  }

  /** The tags of a repository of a registry. */
  async tags(access: RepositoryAccess, signal?: AbortSignal): Promise<string[]> {
    const { sources, repositoryPlace } = await this.#manifests.published();
    const repository = this.toRepository({ ...access, url: access.url.replace(/^https?:\/\//, '') });
    const place = repositoryPlace(repository);
    return place.kind === 'repository' ? [] : sources.tags(place, signal);
  }

  async chartDetails(
    source: ApplicationSource,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<ChartDetails> {
    const { sources, chartPlace } = await this.#manifests.published();
    const place = chartPlace({ source, repository: this.repository(source, project) });
    if (place) return sources.details(place, revision, signal);
    throw failure(registryUrlInvalid, {
      message: 'The source is read from Git: it has no chart of a repository',
      place: { field: 'spec.source.chart' },
    });
  }

  /** The annotations of the manifest of an artifact. */
  async artifactAnnotations(
    source: ApplicationSource,
    project: string,
    revision: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    const { sources, chartPlace } = await this.#manifests.published();
    const place = chartPlace({ source, repository: this.repository(source, project) });
    return !place || place.kind === 'repository' ? {} : sources.annotations(place, revision, signal);
  }

  #permits(project: string, repoURL: string): boolean {
    const found = this.#project(project);
    return found !== undefined && sourceDenial(found, { repoURL }) === undefined;
  }

  #dependencyRepository(repository: string, project: string): SourceRepository | undefined {
    const access = this.#repositories.dependency(repository, project, (url) => this.#permits(project, url));
    if (!access) return undefined;
    const registry = repository.startsWith('oci://');
    return this.toRepository(registry ? { ...access, settings: { ...access.settings, enableOCI: 'true' } } : access);
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

/** Scheme, host and port are the same: what is sent to the one may be sent to the other. */
function sameHost(a: string, b: string): boolean {
  const [x, y] = [parseRepositoryUrl(a), parseRepositoryUrl(b)];
  return x.transport === y.transport && x.host === y.host && x.port === y.port;
}
