import { join } from 'node:path';
import { failure, within } from '@tiphys/diagnosis';
import type { GitTree } from '@tiphys/git';
import { defaultChartLimits, readArchive } from '@tiphys/helm';
import type { Clock } from '@tiphys/kubernetes';
import {
  type Access,
  ArchiveCache,
  accessKey,
  type ChartVersion,
  type Descriptor,
  HelmRepositories,
  HttpClient,
  matchingVersion,
  nearVersions,
  OciCharts,
  type OciReference,
  parseOciReference,
  RegistryError,
  readLayer,
  resolveReference,
  selectVersion,
  sha256,
  signatureRefused,
  withoutSecrets,
} from '@tiphys/registry';
import { readRange, readVersion } from '@tiphys/template';
import { parseYaml } from '@tiphys/yaml';
import { memoryTree } from '../request/chart-source-tree.ts';
import { artifactInvalid } from '../request/diagnoses.ts';
import type { ChartPlace } from './chart-source-place.ts';

export interface AskOptions {
  /** How old what is known may be, in milliseconds; 0 asks again. */
  readonly maxAge?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What Argo CD shows of a chart's version. */
export interface ChartDetails {
  readonly description: string;
  readonly home: string;
  /** `Name <mail>` */
  readonly maintainers: readonly string[];
}

/** What was published as a version. */
export interface PublishedFiles {
  readonly tree: GitTree;
  /** The digest of all of it: of an artifact's manifest (`sha256:…`), or of a repository's package (64 hexadecimal digits). */
  readonly content: string;
}

export interface ChartSourcesOptions {
  readonly clock: Clock;
  /** Packages are kept below it; only in memory if absent. */
  readonly cacheDir?: string;
}

const defaultAge = 30_000;
const keptTrees = 64;
const bounds = { bytes: 100 << 20, files: 20_000 };
const contentLayers = /^application\/vnd\.(?:oci\.image\.layer\.v1|docker\.image\.rootfs\.diff)\.tar(?:[+.]gzip)?$/;
const helmConfig = 'application/vnd.cncf.helm.config.v1+json';
const helmLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** Reads charts and artifacts where Helm repositories and OCI registries publish them, as trees of files. */
export class ChartSources {
  readonly repositories: HelmRepositories;
  readonly charts: OciCharts;
  readonly #clock: Clock;
  readonly #trees = new Map<string, GitTree>();
  readonly #found = new Map<string, { digest: string; at: number }>();
  readonly #located = new Map<string, { url: string; digest: string; at: number }>();

  constructor({ clock, cacheDir }: ChartSourcesOptions) {
    const http = new HttpClient({ clock, timeout: 60_000, userAgent: 'tiphys (renderer; charts)' });
    const archives = cacheDir === undefined ? undefined : new ArchiveCache(join(cacheDir, 'charts'));
    this.repositories = new HelmRepositories({
      http,
      maxIndexBytes: 200 << 20,
      maxPackageBytes: bounds.bytes,
      oneLoopback: true,
      ...(archives ? { archives } : {}),
    });
    this.charts = new OciCharts(http, archives);
    this.#clock = clock;
  }

  /** The version that a target revision stands for now; of an artifact the digest. */
  async revision(place: ChartPlace, wanted: string, options: AskOptions = {}): Promise<string> {
    try {
      if (place.kind === 'repository') return (await this.#select(place, wanted, options)).version;
      return place.kind === 'registry-chart'
        ? await this.#chartVersion(place, wanted, options)
        : await this.#artifactDigest(place, wanted, options);
    } catch (error) {
      throw told(error, place, wanted);
    }
  }

  /** The files of a version, or of a digest, that `revision` gave. */
  async tree(place: ChartPlace, revision: string, options: AskOptions = {}): Promise<GitTree> {
    return (await this.files(place, revision, options)).tree;
  }

  /** The files of a version, or of a digest, with what says that they are these and no others. */
  async files(place: ChartPlace, revision: string, options: AskOptions = {}): Promise<PublishedFiles> {
    try {
      return place.kind === 'repository'
        ? await this.#packageTree(place, revision, options)
        : await this.#registryTree(place, revision, options);
    } catch (error) {
      throw told(error, place, revision);
    }
  }

  /** The package of a chart's version that `revision` gave. */
  async archive(place: ChartPlace, version: string, options: AskOptions = {}): Promise<Uint8Array> {
    const { signal } = options;
    try {
      if (place.kind !== 'repository') return await this.#pulled(place.reference, version, place.access, options);
      const { url, digest } = await this.#select(place, version, options);
      if (!url.startsWith('oci://')) return await this.repositories.package(url, place, { digest, signal });
      const reference = parseOciReference(url);
      return await this.#pulled(reference, reference.tag, place.access, options);
    } catch (error) {
      throw told(error, place, version);
    }
  }

  /** A package with the provenance that is published beside it. `content` is the digest of what `files` gave for the version. */
  async signed(
    place: ChartPlace,
    { version, content }: { readonly version: string; readonly content: string },
    options: AskOptions = {},
  ): Promise<{ archive: Uint8Array; provenance: Uint8Array; fileName: string }> {
    const { signal } = options;
    try {
      const reference = await this.pinned(place, { version, content }, options);
      if (reference) {
        const bytes = { maxBytes: bounds.bytes, signal };
        const pulled = await this.charts.pull(reference, place.access, { ...bytes, provenance: 'with' });
        const { archive, provenance, annotations } = pulled;
        if (!provenance) throw unsigned('the artifact has no provenance');
        const chart = reference.repository.split('/').at(-1);
        // which package of those that were signed it calls itself; its sum has to be the one that was signed
        const own = version.includes(':') ? annotations['org.opencontainers.image.version'] : version;
        return { archive, provenance, fileName: `${chart}-${own}.tgz` };
      }
      if (place.kind !== 'repository') throw unsigned('only charts have a provenance');
      const { url } = await this.#select(place, version, options);
      const archive = await this.repositories.package(url, place, { digest: content, signal });
      const beside = new URL(url);
      beside.pathname += '.prov';
      const provenance = await this.repositories.package(beside.href, place, { digest: '', signal, keep: false });
      return { archive, provenance, fileName: decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '') };
    } catch (error) {
      throw told(error, place, version);
    }
  }

  /** Where a registry has the content of a version; undefined for a package of a repository. */
  async pinned(
    place: ChartPlace,
    { version, content }: { readonly version: string; readonly content: string },
    options: AskOptions = {},
  ): Promise<OciReference | undefined> {
    if (place.kind !== 'repository') return { ...place.reference, tag: '', digest: content };
    const { url } = await this.#select(place, version, options);
    return url.startsWith('oci://') ? { ...parseOciReference(url), tag: '', digest: content } : undefined;
  }

  /**
   * Proves that the place can be read. Of a registry only that it is there and takes the credentials: what may be pulled without
   * any can't be known before it is pulled, as Argo CD has it.
   */
  async test(place: ChartPlace, signal?: AbortSignal): Promise<void> {
    if (place.kind === 'repository') {
      await this.repositories.index(place, { signal });
      return;
    }
    const { reference, access } = place;
    try {
      await this.charts.registry.ping(reference.registry, access, { signal });
    } catch (error) {
      const anonymous = !access.username && !access.password;
      if (anonymous && error instanceof RegistryError && error.diagnosis.code === 'RegistryCredentialRefused') return;
      throw error;
    }
  }

  /** All charts of a repository with their versions, newest first. */
  async list(place: ChartPlace & { kind: 'repository' }, signal?: AbortSignal): Promise<Map<string, ChartVersion[]>> {
    const { index } = await this.repositories.index(place, { signal });
    return new Map([...index.entries].map(([name, versions]) => [name, [...versions]]));
  }

  /** The tags of a registry's repository, `_` read as `+`, as Argo CD lists them. */
  async tags(place: ChartPlace & { kind: 'registry-chart' | 'artifact' }, signal?: AbortSignal): Promise<string[]> {
    const tags = await this.charts.registry.tags(place.reference, place.access, { signal });
    return tags.map((tag) => tag.replaceAll('_', '+'));
  }

  /** What a chart's own Chart.yaml says of it. */
  async details(place: ChartPlace, revision: string, signal?: AbortSignal): Promise<ChartDetails> {
    const tree = await this.tree(place, await this.revision(place, revision, { signal }), { signal });
    const chart = parseYaml(await tree.read('Chart.yaml')) as Record<string, unknown> | null;
    const text = (value: unknown): string => (typeof value === 'string' ? value : '');
    const maintainers = Array.isArray(chart?.maintainers) ? (chart.maintainers as Record<string, unknown>[]) : [];
    return {
      description: text(chart?.description),
      home: text(chart?.home),
      maintainers: maintainers.map((maintainer) => {
        const [name, email] = [text(maintainer?.name), text(maintainer?.email)];
        return email ? `${name} <${email}>`.trim() : name;
      }),
    };
  }

  /** The annotations of an artifact's manifest. */
  async annotations(
    { reference, access }: ChartPlace & { kind: 'registry-chart' | 'artifact' },
    revision: string,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, string>>> {
    const digest = revision.includes(':') ? revision : await this.#digestOf(reference, revision, access, { signal });
    const manifest = await this.charts.registry.manifest({ ...reference, tag: '', digest }, access, { signal });
    return manifest?.annotations ?? {};
  }

  async #select(
    place: ChartPlace & { kind: 'repository' },
    wanted: string,
    { maxAge, signal }: AskOptions,
  ): Promise<{ version: string; url: string; digest: string }> {
    const { url, chart, access } = place;
    const key = `${url} ${accessKey(access)} ${chart} ${wanted}`;
    const known = this.#located.get(key);
    const now = this.#clock.now();
    if (known && (maxAge === undefined || now - known.at < maxAge)) return { version: wanted, ...known };
    const { index } = await this.repositories.index({ url, access }, { maxAge: maxAge ?? defaultAge, signal });
    const { entry } = selectVersion(index, chart, wanted, withoutSecrets(url));
    const [first] = entry.urls;
    if (first === undefined) {
      throw failure(artifactInvalid, {
        message: `The index of ${withoutSecrets(url)} names no URL for ${chart} ${entry.version}`,
        remedies: ['Have the repository index the chart again'],
      });
    }
    const located = { url: resolveReference(url, first), digest: entry.digest, at: now };
    // A version stands for one package; ranges are looked up anew.
    remember(this.#located, `${url} ${accessKey(access)} ${chart} ${entry.version}`, located);
    return { version: entry.version, ...located };
  }

  async #pulled(reference: OciReference, tag: string, access: Access, options: AskOptions): Promise<Uint8Array> {
    const digest = await this.#digestOf(reference, tag, access, options);
    const pinned = { ...reference, tag: '', digest };
    return (await this.charts.pull(pinned, access, { maxBytes: bounds.bytes, signal: options.signal })).archive;
  }

  async #packageTree(
    place: ChartPlace & { kind: 'repository' },
    version: string,
    options: AskOptions,
  ): Promise<PublishedFiles> {
    const { url, digest } = await this.#select(place, version, options);
    if (url.startsWith('oci://')) {
      const reference = parseOciReference(url);
      return this.#registryTree({ kind: 'registry-chart', reference, access: place.access }, reference.tag, options);
    }
    const named = digest.replace(/^sha256:/, '').toLowerCase();
    const known = named === '' ? undefined : this.#known(named, version);
    if (known) return known;
    const archive = await this.repositories.package(url, place, { digest, signal: options.signal });
    return this.#keep(named || sha256(archive), version, () => chartTree(archive, version, withoutSecrets(place.url)));
  }

  async #chartVersion(
    { reference, access }: ChartPlace & { kind: 'registry-chart' | 'artifact' },
    wanted: string,
    { maxAge = defaultAge, signal }: AskOptions,
  ): Promise<string> {
    if (typeof readVersion(wanted) === 'object') {
      await this.#digestOf(reference, wanted, access, { maxAge, signal });
      return wanted;
    }
    return matchingVersion(await this.charts.versions(reference, access, { signal }), wanted, reference);
  }

  /** As Argo CD resolves artifacts: a digest is one, then a tag counts, then a range over the tags that are versions. */
  async #artifactDigest(
    { reference, access }: ChartPlace & { kind: 'registry-chart' | 'artifact' },
    wanted: string,
    options: AskOptions,
  ): Promise<string> {
    if (wanted.startsWith('sha256:') || wanted.startsWith('sha512:')) return wanted;
    const { signal } = options;
    const isRange = typeof readVersion(wanted) === 'string' && typeof readRange(wanted) === 'function';
    const found = isTag(wanted)
      ? await this.charts.registry.resolve(tagged(reference, wanted || 'latest'), access, { signal })
      : undefined;
    if (found) return this.#noteDigest(reference, wanted, access, found);
    if (!isRange) return this.#digestOf(reference, wanted || 'latest', access, options);
    const version = matchingVersion(await this.charts.versions(reference, access, { signal }), wanted, reference);
    return this.#digestOf(reference, version, access, options);
  }

  #noteDigest(reference: OciReference, tag: string, access: Access, { digest }: Descriptor): string {
    remember(this.#found, tagKey(reference, tag, access), { digest, at: this.#clock.now() });
    return digest;
  }

  /** What a tag stands for; a missing one is told with the versions that are there. */
  async #digestOf(
    reference: OciReference,
    tag: string,
    access: Access,
    { maxAge = defaultAge, signal }: AskOptions,
  ): Promise<string> {
    const known = this.#found.get(tagKey(reference, tag, access));
    if (known && this.#clock.now() - known.at < maxAge) return known.digest;
    try {
      const found = await this.charts.resolve(tagged(reference, tag), access, { signal });
      return this.#noteDigest(reference, tag, access, found);
    } catch (error) {
      if (!(error instanceof RegistryError) || error.diagnosis.code !== 'ChartNotFound') throw error;
      const versions = await this.charts.versions(reference, access, { signal }).catch(() => []);
      throw within(error, { evidence: { versions: nearVersions(versions) } });
    }
  }

  async #registryTree(
    place: ChartPlace & { kind: 'registry-chart' | 'artifact' },
    revision: string,
    options: AskOptions,
  ): Promise<PublishedFiles> {
    const { reference, access } = place;
    const digest = place.kind === 'artifact' ? revision : await this.#digestOf(reference, revision, access, options);
    const known = this.#known(digest, revision);
    if (known) return known;
    const pinned = { ...reference, tag: '', digest };
    const display = `oci://${reference.registry}/${reference.repository}`;
    const { signal } = options;
    const manifest =
      place.kind === 'artifact' ? await this.charts.registry.manifest(pinned, access, { signal }) : undefined;
    if (!manifest || manifest.config?.mediaType === helmConfig || manifest.manifests.length > 0) {
      const { archive } = await this.charts.pull(pinned, access, { maxBytes: bounds.bytes, signal });
      return this.#keep(digest, revision, () => chartTree(archive, revision, display));
    }
    const layers = manifest.layers.filter(({ mediaType }) => contentLayers.test(mediaType) || mediaType === helmLayer);
    const [layer] = layers;
    if (!layer || layers.length > 1) {
      throw failure(artifactInvalid, {
        message: `expected only a single oci content layer, got ${layers.length}`,
        place: { remote: display, revision },
        evidence: { layers: manifest.layers.map(({ mediaType }) => mediaType).join(', ') || 'none' },
        remedies: [
          'Push the manifests as one tar layer (application/vnd.oci.image.layer.v1.tar+gzip), or a Helm chart',
        ],
      });
    }
    const data = await this.charts.registry.blob(reference, layer, access, { maxBytes: bounds.bytes, signal });
    return this.#keep(digest, revision, () => memoryTree(readLayer(data, bounds), revision, display));
  }

  #known(content: string, revision: string): PublishedFiles | undefined {
    const tree = this.#trees.get(`${content} ${revision}`);
    return tree && { tree, content };
  }

  #keep(content: string, revision: string, make: () => GitTree): PublishedFiles {
    const known = this.#known(content, revision);
    if (known) return known;
    const tree = make();
    remember(this.#trees, `${content} ${revision}`, tree, keptTrees);
    return { tree, content };
  }
}

function unsigned(reason: string): RegistryError {
  return new RegistryError(signatureRefused, reason, {
    message: `The chart is not signed as the project wants it: ${reason}`,
    remedies: [
      'Package it with helm package --sign, and publish the .prov file with it (helm repo index names digests)',
    ],
  });
}

function chartTree(archive: Uint8Array, revision: string, display: string): GitTree {
  const files = readArchive(archive, defaultChartLimits);
  return memoryTree(
    files.map(({ name, data }) => ({ path: name, kind: 'file', data })),
    revision,
    display,
  );
}

function tagged({ registry, repository }: OciReference, tag: string): OciReference {
  return { registry, repository, tag: tag.replaceAll('+', '_'), digest: '' };
}

function isTag(text: string): boolean {
  return text === '' || /^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,127}$/.test(text);
}

function tagKey(reference: OciReference, tag: string, access: Access): string {
  return `${reference.registry}/${reference.repository}:${tag} ${accessKey(access)}`;
}

function remember<T>(map: Map<string, T>, key: string, value: T, limit = 10_000): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= limit && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}

/** Says which chart and version of which repository a failure is about. */
function told(error: unknown, place: ChartPlace, wanted: string): unknown {
  if (!(error instanceof RegistryError)) return error;
  const missing = error.diagnosis.code === 'ChartVersionNotFound';
  const context = {
    place: { field: missing ? 'spec.source.targetRevision' : 'spec.source.repoURL' },
    evidence: {
      repository:
        place.kind === 'repository'
          ? withoutSecrets(place.url)
          : `oci://${place.reference.registry}/${place.reference.repository}`,
      ...(place.kind === 'repository' ? { chart: place.chart } : {}),
      ...(wanted ? { version: wanted } : {}),
    },
  };
  return within(error, context);
}
