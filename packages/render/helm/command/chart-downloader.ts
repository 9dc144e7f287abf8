import { readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Access,
  ArchiveCache,
  formatOciReference,
  HelmRepositories,
  type HelmRepository,
  HttpClient,
  hostOf,
  indexFault,
  matchingVersion,
  OciCharts,
  type OciReference,
  parseOciReference,
  RegistryError,
  type RepositoryIndex,
  readIndex,
  registryCredentials,
  resolveReference,
  selectVersion,
  sha256,
  type Verification,
  verifyProvenance,
} from '@tiphys/registry';
import { readVersion } from '@tiphys/template';
import { optionRefused } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import type { Warn } from '../problems/log.ts';
import { FlagError } from './flags.ts';
import type { HelmPaths } from './helm-environment.ts';
import { accessOfEntry, cachedIndexPath, RepositoriesFile, type RepositoryEntry } from './repositories-file.ts';

const maxPackageBytes = 100 << 20;
const maxIndexBytes = 64 << 20;

const underscores = `
OCI artifact references (e.g. tags) do not support the plus sign (+). To support
storing semantic versions, Helm adopts the convention of changing plus (+) to
an underscore (_) in chart version tags when pushing to a registry and back to
a plus (+) when pulling from a registry.
`;

export interface DownloaderOptions {
  readonly paths: HelmPaths;
  /** As the flags say. */
  readonly access: Access;
  readonly warn: Warn;
  /** Is told what was pulled from a registry. */
  readonly say: (text: string) => void;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for one request: 120,000 if not given. */
  readonly timeout?: number;
}

/** Where a chart is, before it is fetched. */
export type Located =
  | { readonly kind: 'http'; readonly url: string; readonly digest: string; readonly repository: HelmRepository }
  | { readonly kind: 'oci'; readonly reference: OciReference; readonly fileName: string };

/** How sure one must be of who made a chart: `later` only fetches the proof, `possible` goes on where there is none. */
export type Verifying = 'never' | 'possible' | 'always' | 'later';

export interface Downloaded {
  readonly archive: Buffer;
  /** `web-1.2.3.tgz` */
  readonly fileName: string;
  /** Where helm keeps it. */
  readonly keptAt: string;
  readonly provenance?: Buffer;
  readonly verification?: Verification;
}

/** Finds and fetches charts by helm's rules: `repo/chart`, URLs of packages, `oci://`, and `--repo`. */
export class ChartDownloader {
  readonly paths: HelmPaths;
  readonly repositories: HelmRepositories;
  readonly charts: OciCharts;
  readonly #options: DownloaderOptions;
  #file: RepositoriesFile | undefined;

  constructor(options: DownloaderOptions) {
    this.#options = options;
    this.paths = options.paths;
    const http = new HttpClient(options.timeout === undefined ? {} : { timeout: options.timeout });
    // It is helm's, too: nothing is taken out of it.
    const archives = new ArchiveCache(options.paths.contentCache, { maxBytes: Number.POSITIVE_INFINITY });
    this.repositories = new HelmRepositories({ http, archives, maxIndexBytes, maxPackageBytes });
    this.charts = new OciCharts(http, archives);
  }

  /** The repositories that were added, read once. */
  get file(): RepositoriesFile {
    this.#file ??= new RepositoriesFile(this.paths.repositoryConfig);
    return this.#file;
  }

  /** A chart by its reference. `version` may be a range; it says nothing of a URL of a package. */
  async locate(reference: string, version: string): Promise<Located> {
    if (reference.startsWith('oci://')) return this.#locateOci(reference, version);
    const url = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]+\/./.test(reference) ? reference : undefined;
    if (url !== undefined) return this.#locateUrl(url);
    const slash = reference.indexOf('/');
    if (slash < 0 || reference.includes('://'))
      throw new FlagError(`non-absolute URLs should be in form of repo_name/path_to_chart, got: ${reference}`);
    return this.#locateNamed(reference, reference.slice(0, slash), reference.slice(slash + 1), version);
  }

  /** A chart by its name in the repository of a URL, as `--repo` has it. */
  async locateIn(
    repositoryUrl: string,
    chart: string,
    version: string,
    access = this.#options.access,
  ): Promise<Located> {
    checkScheme(repositoryUrl, (scheme) => `could not find protocol handler for: ${scheme}`);
    const repository = { url: repositoryUrl, access };
    const index = await this.#downloadIndex(repository);
    const wanted = `chart ${JSON.stringify(chart)}${version === '' ? '' : ` version ${JSON.stringify(version)}`}`;
    const entry = this.#select(
      index,
      chart,
      version,
      repositoryUrl,
      () => `${wanted} not found in ${repositoryUrl} repository`,
    );
    const [first] = entry.urls;
    if (first === undefined) throw new FlagError(`${wanted} has no downloadable URLs`);
    const url = resolveReference(repositoryUrl, first);
    if (url.startsWith('oci://')) return this.#locateOci(url, '');
    return { kind: 'http', url, digest: entry.digest, repository };
  }

  /** The index of a repository as it is now. */
  async #downloadIndex(repository: HelmRepository): Promise<RepositoryIndex> {
    try {
      const { index } = await this.repositories.index(repository, { signal: this.#options.signal });
      this.#tellSkipped(index, repository.url);
      return index;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      throw error.wrapped(
        (words) =>
          `looks like ${JSON.stringify(repository.url)} is not a valid chart repository or cannot be reached: ${words}`,
      );
    }
  }

  /** The index that was kept when the repository was added or updated. */
  cachedIndex(name: string, words: (reason: string) => string): RepositoryIndex {
    const path = cachedIndexPath(this.paths.repositoryCache, name);
    let data: Buffer;
    try {
      data = readFileSync(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'no such file or directory' : String(code);
      throw new HelmError(optionRefused, words(`open ${path}: ${reason}`), {
        message: `The index of the repository ${name} is not in the cache`,
        place: { file: path },
        remedies: [{ text: 'Fetch the indexes of all repositories', paste: 'helm repo update' }],
      });
    }
    try {
      const index = readIndex(data, maxIndexBytes);
      this.#tellSkipped(index, path);
      return index;
    } catch (error) {
      const reason = indexFault(error);
      if (reason === undefined) throw error;
      throw new FlagError(words(`error loading ${path}: ${reason}`));
    }
  }

  #tellSkipped(index: RepositoryIndex, source: string): void {
    for (const { chart, version, reason } of index.skipped.toReversed()) {
      if (reason === '') {
        this.#options.warn('skipping loading invalid entry for chart: empty entry', {
          attributes: { name: chart, source },
        });
      } else {
        const attributes = { name: chart, version, source, error: reason };
        this.#options.warn('skipping loading invalid entry for chart', { attributes });
      }
    }
  }

  #select(index: RepositoryIndex, chart: string, version: string, remote: string, words: (reason: string) => string) {
    try {
      const { entry, substituted } = selectVersion(index, chart, version, remote);
      if (substituted) {
        this.#options.warn('unable to find exact version requested; falling back to closest available version', {
          attributes: { chart, requested: version, selected: entry.version },
        });
      }
      return entry;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      throw error.wrapped(words);
    }
  }

  /** Anyone who added a repository whose index names this URL said how it is reached. */
  #locateUrl(url: string): Located {
    checkScheme(url, (scheme) => `scheme ${JSON.stringify(scheme)} not supported`);
    const { access } = this.#options;
    const owner = this.file.entries.find((entry) => this.#indexNames(entry, url));
    const repository = owner ? { url: owner.url, access: { ...access, ...accessOfEntry(owner) } } : { url, access };
    return { kind: 'http', url, digest: '', repository };
  }

  #indexNames(entry: RepositoryEntry, url: string): boolean {
    let index: RepositoryIndex;
    try {
      index = readIndex(readFileSync(cachedIndexPath(this.paths.repositoryCache, entry.name)), maxIndexBytes);
    } catch (error) {
      if (indexFault(error) !== undefined || (error as NodeJS.ErrnoException).code === 'ENOENT') return false;
      throw error;
    }
    for (const versions of index.entries.values()) {
      if (versions.some(({ urls }) => urls.includes(url))) return true;
    }
    return false;
  }

  async #locateNamed(reference: string, name: string, chart: string, version: string): Promise<Located> {
    const entry = this.file.get(name);
    if (!entry) {
      throw new HelmError(optionRefused, `repo ${name} not found`, {
        message: `There is no chart at ${reference}, and no repository ${name} was added`,
        place: { file: this.paths.repositoryConfig },
        evidence: [{ name: 'repositories', value: this.file.entries.map((known) => known.name).join(', ') || 'none' }],
        remedies: [{ text: 'Add the repository', paste: `helm repo add ${name} URL` }],
      });
    }
    if (entry.url === '') throw new FlagError(`no URL found for repository ${name}`);
    checkScheme(entry.url, (scheme) => `could not find protocol handler for: ${scheme}`);
    const index = this.cachedIndex(name, (reason) => `no cached repo found. (try 'helm repo update'): ${reason}`);
    const found = this.#select(
      index,
      chart,
      version,
      entry.url,
      (reason) =>
        `chart ${JSON.stringify(chart)} matching ${version} not found in ${name} index. (try 'helm repo update'): ${reason}`,
    );
    const [first] = found.urls;
    if (first === undefined) throw new FlagError(`chart ${JSON.stringify(reference)} has no downloadable URLs`);
    const url = resolveReference(entry.url, first);
    if (url.startsWith('oci://')) return this.#locateOci(url, '');
    const access = { ...this.#options.access, ...accessOfEntry(entry) };
    return { kind: 'http', url, digest: found.digest, repository: { url: entry.url, access } };
  }

  async #locateOci(text: string, wanted: string): Promise<Located> {
    const reference = parseOciReference(text);
    const plus = /:([^:/@]*\+[^:/@]*)$/.exec(text)?.[1];
    // Helm takes a plus only in --version.
    if (plus !== undefined && wanted === '') {
      throw new FlagError(
        `invalid reference: invalid tag ${JSON.stringify(plus)}`,
        `Give the version by --version ${plus}`,
      );
    }
    if (wanted !== '' && reference.tag !== '' && wanted !== reference.tag) {
      throw new FlagError(`chart reference and version mismatch: ${wanted} is not ${reference.tag}`);
    }
    const version = wanted || reference.tag;
    const name = basename(reference.repository);
    if (reference.digest !== '') return this.#pinned(reference, version, name);
    const tag = typeof readVersion(version) === 'object' ? version : await this.#matchingTag(reference, version, text);
    const tagged = parseOciReference(`${reference.registry}/${reference.repository}:${tag}`);
    return { kind: 'oci', reference: tagged, fileName: `${name}-${tag}.tgz` };
  }

  /** A tag beside a digest must stand for it, if the registry has the tag. */
  async #pinned(reference: OciReference, version: string, name: string): Promise<Located> {
    if (version !== '') {
      const tagged = parseOciReference(`${reference.registry}/${reference.repository}:${version}`);
      const access = await this.ociAccess(reference.registry);
      const found = await this.charts.registry.resolve(tagged, access, { signal: this.#options.signal });
      if (found && found.digest !== reference.digest)
        throw new FlagError(`chart reference digest mismatch: ${found.digest} is not ${reference.digest}`);
    }
    const fileName = `${name}@${reference.digest.replace(':', '-')}.tgz`;
    return { kind: 'oci', reference: { ...reference, tag: '' }, fileName };
  }

  async #matchingTag(reference: OciReference, version: string, text: string): Promise<string> {
    const access = await this.ociAccess(reference.registry);
    const versions = await this.charts.versions(reference, access, { signal: this.#options.signal });
    if (versions.length === 0) throw new FlagError(`unable to locate any tags in provided repository: ${text}`);
    return matchingVersion(versions, version, reference);
  }

  /** How a registry is reached: the credentials of flags, else those that were stored for it. */
  async ociAccess(registry: string): Promise<Access> {
    const { access } = this.#options;
    const { username, password, plainHttp, ...rest } = access;
    const tls = rest.ca !== undefined || rest.cert !== undefined || rest.insecure;
    const base: Access = { ...rest, ...(plainHttp && !tls ? { plainHttp } : {}) };
    if (username && password) return { ...base, username, password };
    const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
    const stored = await registryCredentials(this.paths.registryConfigs, host, this.#options.signal);
    return { ...base, ...stored };
  }

  /** A text file at a URL, without credentials: what helm does for values files. */
  async text(url: string): Promise<string> {
    const repository = { url, access: {} };
    const data = await this.repositories.package(url, repository, {
      digest: '',
      signal: this.#options.signal,
      keep: false,
    });
    return data.toString('utf8');
  }

  /** Fetches what was located, and proves who made it where that is wanted. `reference` is for messages. */
  async fetch(located: Located, verifying: Verifying, reference: string): Promise<Downloaded> {
    const fileName = located.kind === 'oci' ? located.fileName : basename(new URL(located.url).pathname);
    const archive = located.kind === 'oci' ? await this.#pull(located.reference) : await this.#package(located);
    const fetched = { archive, fileName, keptAt: new ArchiveCache(this.paths.contentCache).path(sha256(archive)) };
    if (verifying === 'never') return fetched;
    let provenance: Buffer;
    try {
      provenance =
        located.kind === 'oci' ? await this.#pull(located.reference, 'only') : await this.#package(located, '.prov');
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      if (verifying === 'always')
        throw error.wrapped(() => `failed to fetch provenance ${JSON.stringify(`${urlOf(located)}.prov`)}`);
      this.#options.say(`WARNING: Verification not found for ${reference}: ${error.goMessage}\n`);
      return fetched;
    }
    if (verifying === 'later') return { ...fetched, provenance };
    const verification = await verifyProvenance({ archive, provenance, fileName, keyRing: this.paths.keyring });
    return { ...fetched, provenance, verification };
  }

  #package(located: Located & { kind: 'http' }, suffix = ''): Promise<Buffer> {
    const { signal } = this.#options;
    const digest = suffix === '' ? located.digest : '';
    return this.repositories.package(`${located.url}${suffix}`, located.repository, { digest, signal });
  }

  async #pull(reference: OciReference, provenance?: 'only'): Promise<Buffer> {
    const { signal, say } = this.#options;
    const access = await this.ociAccess(reference.registry);
    const options = { maxBytes: maxPackageBytes, signal, ...(provenance ? { provenance } : {}) };
    const pulled = await this.charts.pull(reference, access, options);
    if (pulled.legacy) say('Warning: chart media type application/tar+gzip is deprecated\n');
    say(`Pulled: ${pulled.reference}\nDigest: ${pulled.digest}\n`);
    if (pulled.reference.includes('_')) say(`${pulled.reference} contains an underscore.\n${underscores}`);
    return provenance ? (pulled.provenance ?? Buffer.alloc(0)) : pulled.archive;
  }
}

function urlOf(located: Located): string {
  return located.kind === 'http' ? located.url : `oci://${formatOciReference(located.reference)}`;
}

function checkScheme(url: string, words: (scheme: string) => string): void {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(url)?.[1]?.toLowerCase() ?? '';
  if (scheme !== 'http' && scheme !== 'https') throw new FlagError(words(scheme));
  if (!URL.canParse(url) || hostOf(url) === '') throw new FlagError(`invalid chart URL format: ${url}`);
}

/** Proves who made a package of this machine; the proof is beside it. */
export async function verifyLocal(path: string, keyRing: string): Promise<Verification> {
  if (statSync(path).isDirectory()) throw new FlagError('unpacked charts cannot be verified');
  if (!/\.tgz$/i.test(path)) throw new FlagError('chart must be a tgz file');
  let provenance: Buffer;
  try {
    provenance = readFileSync(`${path}.prov`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'no such file or directory' : String(code);
    throw new FlagError(`could not load provenance file ${path}.prov: stat ${path}.prov: ${reason}`);
  }
  return verifyProvenance({ archive: readFileSync(path), provenance, fileName: basename(path), keyRing });
}
