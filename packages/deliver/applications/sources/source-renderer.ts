import type { Application, ApplicationSource, AppProject } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, failure, restated } from '@tiphys/diagnosis';
import type { LookupRequest, RecordedValue } from '@tiphys/helm';
import { syncSourceOf } from '@tiphys/hydrator';
import type {
  FieldOrigin,
  Manifests,
  ReferencedSource,
  Rendered,
  SourceDetails,
  TreeFile,
  WantedObject,
} from '@tiphys/source';
import { ClusterLookup } from '../clusters/cluster-lookup.ts';
import type { ClusterHandle } from '../clusters/cluster-registry.ts';
import { pluginRequest } from '../settings/plugin-settings.ts';
import type { SourceSettings } from '../settings/source-settings.ts';
import { instanceName } from '../spec/application-key.ts';
import { hasSources, sourcesOf } from '../spec/source-of.ts';
import type { GeneratedValues, UsedValues } from './generated-values.ts';
import type { SourceRender } from './render-history.ts';
import type { SourceAccess } from './source-access.ts';

const refInvalid = defineDiagnosis('SourceRefInvalid', 'A ref of spec.sources is no name, or is there twice');
/** What uploaded files are called where a revision is asked for, as upstream. */
const uploadedRevision = 'streamed';

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
  /** Where the fields of the object come from that was to be explained, and of which source, from 0; absent where no chart made it. */
  readonly explained?: { readonly source: number; readonly fields: readonly FieldOrigin[] };
}

export interface RenderOptions {
  /** For each source a commit, or whatever `targetRevision` allows; the source's own target where absent or empty. */
  readonly revisions?: readonly string[] | undefined;
  /** Asks the remote even if it was asked a moment ago. */
  readonly askRemote?: boolean;
  /** How long ago that was asked for, in milliseconds: what the remote has answered since, no matter who asked, is good enough. 0 if absent. */
  readonly askedBefore?: number;
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
  /** The object of which is to be told where each field comes from. */
  readonly explain?: WantedObject | undefined;
  /** Told if a render waits for others for long. */
  readonly onWait?: (diagnosis: Diagnosis) => void;
  readonly signal?: AbortSignal;
}

/** What a source shares with the others of its application. */
interface SourceContext {
  readonly cluster: ClusterHandle;
  readonly references: ReadonlyMap<string, ReferencedSource>;
  readonly revision: string | undefined;
}

/** Turns an application's sources into manifests: resolves the revision and renders. */
export class SourceRenderer {
  readonly #manifests: Manifests;
  readonly #access: SourceAccess;
  readonly #controlNamespace: string;
  readonly #generated: GeneratedValues;
  readonly #project: (name: string) => AppProject | undefined;
  readonly #settings: () => SourceSettings;
  readonly #parameters: () => Readonly<Record<string, string>>;

  constructor(parts: {
    manifests: Manifests;
    access: SourceAccess;
    controlNamespace: string;
    generated: GeneratedValues;
    project: (name: string) => AppProject | undefined;
    settings: () => SourceSettings;
    /** Of argocd-cmd-params-cm. */
    parameters: () => Readonly<Record<string, string>>;
  }) {
    this.#manifests = parts.manifests;
    this.#access = parts.access;
    this.#controlNamespace = parts.controlNamespace;
    this.#generated = parts.generated;
    this.#project = parts.project;
    this.#settings = parts.settings;
    this.#parameters = parts.parameters;
  }

  /**
   * The commit, the version of a chart or the digest of an artifact that a revision of a source is now. The remote is asked;
   * `maxAge`, in milliseconds, believes an older answer, and undefined one of some two minutes.
   */
  async resolve(
    source: ApplicationSource,
    project: string,
    wanted: string,
    asked: { readonly signal?: AbortSignal | undefined; readonly maxAge?: number | undefined } = {},
  ): Promise<{ revision: string }> {
    const maxAge = 'maxAge' in asked ? asked.maxAge : 0;
    const options = {
      ...(maxAge === undefined ? {} : { maxAge }),
      ...(asked.signal ? { signal: asked.signal } : {}),
    };
    return this.#manifests.resolve(
      { ...source, targetRevision: wanted },
      this.#access.repository(source, project),
      options,
    );
  }

  /** The commits after `from` up to `to` that touched one of the paths; none for sources that are not in Git. */
  async commitsBetween(
    { source, project }: { readonly source: ApplicationSource; readonly project: string },
    range: { readonly from: string; readonly to: string; readonly paths: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly { commit: string; author: string; date: string; subject: string }[]> {
    if (source.chart || source.repoURL.startsWith('oci://')) return [];
    return this.#manifests.commitsBetween(this.#access.repository(source, project), range, signal);
  }

  /** Paths of files that differ between two commits of a source in Git. */
  async changedFiles(
    { source, project }: { readonly source: ApplicationSource; readonly project: string },
    range: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    return this.#manifests.changedFiles(this.#access.repository(source, project), range, signal);
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
        throw options.signal?.aborted ? error : inField(error, fieldOf(application, source, index));
      }
    }
    const explained = rendered.findLastIndex(({ fields }) => fields !== undefined);
    return {
      revisions: rendered.map(({ revision }) => revision),
      sourceTypes: rendered.map(({ sourceType }) => sourceType),
      objects: rendered.length === 1 ? (rendered[0] as Rendered).objects : rendered.flatMap(({ objects }) => objects),
      warnings: rendered.flatMap(({ warnings }) => warnings),
      generated,
      renders: rendered.map(({ revision, content, sourceType, found, readSet, digest }) => ({
        revision,
        ...(content === undefined ? {} : { content }),
        sourceType,
        found,
        readSet,
        digest,
      })),
      ...(explained >= 0 ? { explained: { source: explained, fields: rendered[explained]?.fields ?? [] } } : {}),
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
        repository: this.#access.repository(source, application.spec.project || 'default'),
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
        repository: this.#access.repository(source, project),
        dependencyRepository: (repository) => this.#access.dependency(repository, project),
        permitsRepository: (url) => this.#access.permits(project, url),
        destinationNamespace: application.spec.destination.namespace ?? '',
        several: hasSources(application.spec) || references.size > 0,
        references,
        ...this.#settings(),
        plugins: pluginRequest(this.#parameters(), application),
        cluster: cluster.facts,
        recorded,
        ...(options.files ? { files: options.files, revision: uploadedRevision } : {}),
        ...(options.askRemote
          ? { maxAge: options.askedBefore ?? 0 }
          : options.maxAge === undefined
            ? {}
            : { maxAge: options.maxAge }),
        ...(options.noCache ? { noCache: true } : {}),
        ...(options.explain ? { explain: options.explain } : {}),
        ...(options.onWait ? { onWait: options.onWait } : {}),
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
      repository: this.#access.repository(source, project),
      dependencyRepository: (repository) => this.#access.dependency(repository, project),
      permitsRepository: (url) => this.#access.permits(project, url),
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
}

/** Where the spec has a source that is rendered. */
function fieldOf({ spec }: Application, source: ApplicationSource, index: number): string {
  if (!spec.sourceHydrator) return hasSources(spec) ? `spec.sources[${index}]` : 'spec.source';
  const { targetRevision, path } = syncSourceOf(spec.sourceHydrator);
  const isSynced = source.targetRevision === targetRevision && source.path === path;
  return `spec.sourceHydrator.${isSynced ? 'syncSource' : 'drySource'}`;
}

/** What renders does not know in which field its source stands, and calls it `spec.source`. */
function inField(error: unknown, field: string): unknown {
  if (field === 'spec.source') return error;
  const here = (text: string) => text.replaceAll(/\bspec\.source(?![\w[])/g, field);
  return restated(error, (inner) => ({
    ...inner,
    place: { ...inner.place, field: here(inner.place?.field ?? field) },
    remedies: inner.remedies.map((remedy) => ({ ...remedy, text: here(remedy.text) })),
  }));
}
