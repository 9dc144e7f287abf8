import { compareVersions, formatVersion, readRange, readVersion, type Version } from '@tiphys/template';
import { type Access, describeAccess } from '../access/access.ts';
import type { ArchiveCache } from '../access/archive-cache.ts';
import { chartNotFound, chartVersionNotFound, registryAnswerRefused } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import type { HttpClient } from '../http/http-client.ts';
import { formatOciReference, type OciReference } from './oci-reference.ts';
import {
  type Descriptor,
  type Manifest,
  OciRegistry,
  type OciRepository,
  type RegistryOptions,
} from './oci-registry.ts';

export const chartConfigType = 'application/vnd.cncf.helm.config.v1+json';
export const chartLayerType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
export const provenanceLayerType = 'application/vnd.cncf.helm.chart.provenance.v1.prov';
const legacyChartLayerType = 'application/tar+gzip';
const maxConfigBytes = 4 << 20;
const maxProvenanceBytes = 1 << 20;

export interface PulledChart {
  /** The packaged chart. */
  readonly archive: Buffer;
  /** What `.prov` would be; absent if it was not asked for, or is not there. */
  readonly provenance?: Buffer;
  /** Of the manifest: what the tag stood for. */
  readonly digest: string;
  /** `host/path:tag`, as helm names it. */
  readonly reference: string;
  readonly annotations: Readonly<Record<string, string>>;
  /** True for packages of the media type of Helm 3.0. */
  readonly legacy: boolean;
}

export interface PullOptions extends RegistryOptions {
  readonly maxBytes: number;
  /** `only`: the package itself is left out. */
  readonly provenance?: 'with' | 'only';
}

/** Charts in OCI registries, by Helm's conventions. */
export class OciCharts {
  readonly registry: OciRegistry;
  readonly #archives: ArchiveCache | undefined;

  /** Packages are looked for in `archives` before they are pulled, and kept there. */
  constructor(http: HttpClient, archives?: ArchiveCache) {
    this.registry = new OciRegistry(http);
    this.#archives = archives;
  }

  /** The versions of a chart, newest first; tags that are not strictly versions are none. `_` of a tag is `+`. */
  async versions(repository: OciRepository, access: Access, options: RegistryOptions = {}): Promise<string[]> {
    const tags = await this.registry.tags(repository, access, options);
    return tags
      .map((tag) => strictVersion(tag.replaceAll('_', '+')))
      .filter((version) => version !== undefined)
      .sort((a, b) => compareVersions(b, a))
      .map(formatVersion);
  }

  /** What the reference stands for now. Throws where the registry does not have it. */
  async resolve(reference: OciReference, access: Access, options: RegistryOptions = {}): Promise<Descriptor> {
    const found = await this.registry.resolve(reference, access, options);
    if (found) return found;
    throw notFound(reference, access);
  }

  async pull(reference: OciReference, access: Access, options: PullOptions): Promise<PulledChart> {
    const manifest = await fetching('FetchReference', this.#chartManifest(reference, access, options));
    const { config } = manifest;
    const fail = (words: string): RegistryError => notAChart(reference, words, manifest);
    const wanted = options.provenance;
    const taken = [
      chartConfigType,
      provenanceLayerType,
      ...(wanted === 'only' ? [] : [chartLayerType, legacyChartLayerType]),
    ];
    const known = [config, ...manifest.layers].filter((found) => found && taken.includes(found.mediaType)).length;
    if (known === 0) throw fail('manifest does not contain minimum number of descriptors (2), descriptors found: 1');
    if (config?.mediaType !== chartConfigType) throw fail(`could not load config with mediatype ${chartConfigType}`);
    const layer = manifest.layers.findLast(({ mediaType }) =>
      [chartLayerType, legacyChartLayerType].includes(mediaType),
    );
    const signature = manifest.layers.findLast(({ mediaType }) => mediaType === provenanceLayerType);
    if (!layer && wanted !== 'only') throw fail(`manifest does not contain a layer with mediatype ${chartLayerType}`);
    if (!signature && wanted === 'only')
      throw fail(`manifest does not contain a layer with mediatype ${provenanceLayerType}`);
    const blob = (descriptor: Descriptor, maxBytes: number) =>
      fetching('Fetch', this.registry.blob(reference, descriptor, access, { ...options, maxBytes }));
    await blob(config, maxConfigBytes);
    return {
      archive:
        layer && wanted !== 'only' ? await this.#package(layer, () => blob(layer, options.maxBytes)) : Buffer.alloc(0),
      ...(signature && wanted ? { provenance: await blob(signature, maxProvenanceBytes) } : {}),
      digest: manifest.root,
      reference: formatOciReference(reference),
      annotations: manifest.annotations,
      legacy: layer?.mediaType === legacyChartLayerType,
    };
  }

  async #package({ digest }: Descriptor, pull: () => Promise<Buffer>): Promise<Buffer> {
    const key = digest.startsWith('sha256:') ? digest.slice('sha256:'.length) : undefined;
    const kept = key === undefined ? undefined : await this.#archives?.get(key);
    if (kept) return kept;
    const data = await pull();
    if (key !== undefined) await this.#archives?.put(key, data);
    return data;
  }

  /** An index may hold the chart among other things. */
  async #chartManifest(
    reference: OciReference,
    access: Access,
    options: RegistryOptions,
  ): Promise<Manifest & { readonly root: string }> {
    const manifest = await this.registry.manifest(reference, access, options);
    if (!manifest) throw notFound(reference, access);
    const root = manifest.descriptor.digest;
    for (const { digest } of manifest.manifests.slice(0, 20)) {
      const inner = await this.registry.manifest({ ...reference, tag: '', digest }, access, options);
      if (inner?.config?.mediaType === chartConfigType) return { ...inner, root };
    }
    return { ...manifest, root };
  }
}

/** Tells, as helm's OCI library does, which step failed. */
async function fetching<T>(step: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw error.wrapped((words) => `failed to perform "${step}" on source: ${words}`);
  }
}

function notFound(reference: OciReference, access: Access): RegistryError {
  const name = formatOciReference(reference);
  return new RegistryError(chartNotFound, `${name}: not found`, {
    message: `The registry ${reference.registry} does not have ${name}, or hides it from these credentials`,
    place: { remote: `oci://${reference.registry}/${reference.repository}` },
    evidence: { asked: `oci://${name}`, credentials: describeAccess(access) },
    remedies: ['Check the name and the version of the chart, and that the credentials may pull it'],
  });
}

/** The version that helm takes of those given (newest first): the very one, or the first in the range. */
export function matchingVersion(versions: readonly string[], wanted: string, place: OciReference): string {
  if (wanted !== '' && versions.includes(wanted)) return wanted;
  const name = `oci://${place.registry}/${place.repository}`;
  const test = readRange(wanted === '' ? '*' : wanted);
  const finding = {
    place: { remote: name },
    evidence: { wanted: wanted || '*', versions: nearVersions(versions) },
  };
  if (typeof test === 'string') {
    throw new RegistryError(chartVersionNotFound, test, {
      ...finding,
      message: `${JSON.stringify(wanted)} is neither a version nor a range: ${test}`,
      remedies: ['Write a version (1.2.3) or a range (^1.2, >=1.2 <2)'],
    });
  }
  const found = versions.find((text) => {
    const version = readVersion(text);
    return typeof version === 'object' && test(version);
  });
  if (found !== undefined) return found;
  throw new RegistryError(
    chartVersionNotFound,
    `could not locate a version matching provided version string ${wanted}`,
    {
      ...finding,
      message: `${name} has no version ${wanted || 'without prerelease'}`,
      remedies: ['Choose a version that is there, or push the one that is wanted'],
    },
  );
}

/** Some versions, for evidence. */
export function nearVersions(versions: readonly string[]): string {
  if (versions.length === 0) return 'none';
  const shown = versions.slice(0, 10).join(', ');
  return versions.length > 10 ? `${shown}, … (${versions.length} in all)` : shown;
}

/** All three numbers, no `v`: what tags of charts are. */
export function strictVersion(text: string): Version | undefined {
  if (!/^\d+\.\d+\.\d+(?:$|[-+])/.test(text) || /^0\d|\.0\d+(?:\.|$|[-+])/.test(text.split(/[-+]/)[0] ?? ''))
    return undefined;
  const version = readVersion(text);
  return typeof version === 'object' ? version : undefined;
}

function notAChart(reference: OciReference, words: string, manifest: Manifest): RegistryError {
  const name = formatOciReference(reference);
  return new RegistryError(registryAnswerRefused, words, {
    message: `${name} is not a Helm chart: ${words}`,
    place: { remote: `oci://${reference.registry}/${reference.repository}` },
    evidence: {
      config: manifest.config?.mediaType,
      layers: manifest.layers.map(({ mediaType }) => mediaType).join(', ') || 'none',
    },
    remedies: ['Push the chart with `helm push`, or name the artifact that is one'],
  });
}
