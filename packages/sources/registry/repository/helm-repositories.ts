import { type Access, accessKey, basicAuthorization, describeAccess } from '../access/access.ts';
import { type ArchiveCache, sha256 } from '../access/archive-cache.ts';
import { digestMismatch, registryCredentialRefused, repositoryIndexInvalid } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { isSameOrigin } from '../http/http-client.ts';
import { hostOf, refused } from '../http/http-failure.ts';
import { withoutSecrets } from '../http/without-secrets.ts';
import { readIndexAside } from './read-index-aside.ts';
import { indexFault, type RepositoryIndex } from './repository-index.ts';

/** A Helm repository: the folder of an index.yaml. */
export interface HelmRepository {
  readonly url: string;
  readonly access: Access;
}

export interface IndexOptions {
  /** How old, in milliseconds, an index may be before the host is asked whether it changed; 0 if not given. */
  readonly maxAge?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PackageOptions {
  /** As the index tells it; empty: unknown. */
  readonly digest: string;
  readonly signal?: AbortSignal | undefined;
  /** False: it is no package, and not kept. */
  readonly keep?: boolean;
}

export interface HelmRepositoriesOptions {
  readonly http: HttpClient;
  readonly archives?: ArchiveCache;
  /** Bytes of one index: 64 MiB if not given. */
  readonly maxIndexBytes?: number;
  /** Bytes of one package: 100 MiB if not given. */
  readonly maxPackageBytes?: number;
  /** All ports of this machine's loopback are one host: what one of them is told, the others may be. False if absent. */
  readonly oneLoopback?: boolean;
}

interface KnownIndex {
  index: RepositoryIndex;
  raw?: Buffer;
  etag: string;
  lastModified: string;
  at: number;
}

const rememberedIndexes = 64;
/** A repository that failed is not asked again by every application at once. */
const failureAge = 10_000;

/** Reads Helm repositories: their index, asked for again only if it changed, and the packages it names. */
export class HelmRepositories {
  readonly #http: HttpClient;
  readonly #archives: ArchiveCache | undefined;
  readonly #maxIndexBytes: number;
  readonly #maxPackageBytes: number;
  readonly #known = new Map<string, KnownIndex>();
  readonly #pending = new Map<string, Promise<KnownIndex>>();
  readonly #oneLoopback: boolean;
  readonly #failed = new Map<string, { error: RegistryError; at: number }>();

  constructor(options: HelmRepositoriesOptions) {
    this.#http = options.http;
    this.#oneLoopback = options.oneLoopback ?? false;
    this.#archives = options.archives;
    this.#maxIndexBytes = options.maxIndexBytes ?? 64 << 20;
    this.#maxPackageBytes = options.maxPackageBytes ?? 100 << 20;
  }

  /** The index, and its bytes if they were served anew. */
  async index(
    repository: HelmRepository,
    { maxAge = 0, signal }: IndexOptions = {},
  ): Promise<{ index: RepositoryIndex; raw?: Buffer }> {
    signal?.throwIfAborted();
    const key = `${repository.url} ${accessKey(repository.access)}`;
    const now = this.#http.clock.now();
    const known = this.#known.get(key);
    if (known && maxAge > 0 && now - known.at <= maxAge) return known;
    const failed = this.#failed.get(key);
    if (failed && maxAge > 0 && now - failed.at <= Math.min(maxAge, failureAge)) throw failed.error;
    let pending = this.#pending.get(key);
    if (!pending) {
      pending = this.#load(repository, known).finally(() => this.#pending.delete(key));
      this.#pending.set(key, pending);
    }
    try {
      const loaded = await orAborted(pending, signal);
      this.#failed.delete(key);
      this.#remember(key, loaded);
      return loaded;
    } catch (error) {
      if (this.#failed.size >= 1000) this.#failed.clear();
      if (error instanceof RegistryError) this.#failed.set(key, { error, at: now });
      throw error;
    }
  }

  #remember(key: string, loaded: KnownIndex): void {
    this.#known.delete(key);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= rememberedIndexes && oldest !== undefined) this.#known.delete(oldest);
    // Large ones weigh twice with their text.
    const { raw: _, ...kept } = loaded;
    this.#known.set(key, kept);
  }

  async #load({ url, access }: HelmRepository, known: KnownIndex | undefined): Promise<KnownIndex> {
    const asked = resolveReference(url, 'index.yaml');
    const authorization = basicAuthorization(access);
    const answer = await this.#http.send({
      url: asked,
      headers: {
        ...(known?.etag ? { 'if-none-match': known.etag } : {}),
        ...(known?.lastModified ? { 'if-modified-since': known.lastModified } : {}),
      },
      ...(authorization === '' ? {} : { authorization }),
      access,
      maxBytes: this.#maxIndexBytes,
    });
    const at = this.#http.clock.now();
    if (answer.status === 304 && known) return { ...known, at };
    if (answer.status !== 200)
      throw refused(answer, access, `failed to fetch ${withoutSecrets(asked)} : ${answer.statusText}`);
    return {
      index: await this.#read(answer, url, access),
      raw: answer.body,
      etag: answer.headers.etag ?? '',
      lastModified: answer.headers['last-modified'] ?? '',
      at,
    };
  }

  async #read(answer: HttpAnswer, url: string, access: Access): Promise<RepositoryIndex> {
    try {
      return await readIndexAside(answer.body, this.#maxIndexBytes);
    } catch (error) {
      const words = indexFault(error);
      if (words === undefined) throw error;
      throw indexInvalid(words, withoutSecrets(url), {
        asked: withoutSecrets(answer.url),
        answer: `${answer.statusText}, ${answer.body.length} bytes of ${answer.headers['content-type'] ?? 'unknown type'}`,
        credentials: describeAccess(access),
      });
    }
  }

  /** Whether what is sent to the repository may be sent there too. */
  #isHome(url: string, repository: string): boolean {
    if (!URL.canParse(repository)) return false;
    const [there, home] = [new URL(url), new URL(repository)];
    return isSameOrigin(there, home) || (this.#oneLoopback && isLoopback(there) && isLoopback(home));
  }

  /**
   * The bytes at a URL of a package (or of its provenance), from the cache if its digest is known and it is there. Credentials go
   * along only to the host of the repository, or where `passCredentials` says so.
   */
  async package(url: string, repository: HelmRepository, { digest, signal, keep }: PackageOptions): Promise<Buffer> {
    const wanted = digest.replace(/^sha256:/, '').toLowerCase();
    if (wanted !== '' && !/^[0-9a-f]{64}$/.test(wanted))
      throw indexInvalid(`invalid digest ${JSON.stringify(digest)}`, withoutSecrets(repository.url), {
        asked: withoutSecrets(url),
      });
    const kept = wanted === '' ? undefined : await this.#archives?.get(wanted);
    if (kept) return kept;
    const { access } = repository;
    const trusted = access.passCredentials === true || this.#isHome(url, repository.url);
    const authorization = trusted ? basicAuthorization(access) : '';
    const answer = await this.#http.send({
      url,
      headers: { accept: 'application/gzip,application/octet-stream' },
      ...(authorization === '' ? {} : { authorization }),
      access: trusted ? access : withoutIdentity(access),
      maxBytes: this.#maxPackageBytes,
      signal,
    });
    if (answer.status !== 200) throw packageRefused(answer, url, repository, trusted);
    const found = sha256(answer.body);
    if (wanted !== '' && found !== wanted) throw mismatch(url, wanted, found);
    if (keep !== false) await this.#archives?.put(found, answer.body);
    return answer.body;
  }
}

/** A name or an address of this machine that no other one answers to. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** Where a reference of an index leads, by Helm's rules: relative to the repository's folder, whose query stays. */
export function resolveReference(base: string, reference: string): string {
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(reference)) return reference;
  const folder = new URL(base);
  folder.pathname = `${folder.pathname.replace(/\/$/, '')}/`;
  const resolved = new URL(reference, folder);
  resolved.search = folder.search;
  return resolved.href;
}

export function indexInvalid(
  words: string,
  remote: string,
  evidence: Readonly<Record<string, string>> = {},
): RegistryError {
  return new RegistryError(repositoryIndexInvalid, words, {
    message: `The index of ${remote} can not be read: ${words}`,
    place: { remote, file: 'index.yaml' },
    evidence,
    remedies: ['Check that the URL is that of a Helm repository, and make its index again with `helm repo index`'],
  });
}

/** Anyone who withheld credentials says so: the host alone can't know that there were some. */
function packageRefused(
  answer: HttpAnswer,
  url: string,
  { url: repository, access }: HelmRepository,
  trusted: boolean,
): RegistryError {
  const words = `failed to fetch ${withoutSecrets(url)} : ${answer.statusText}`;
  const failure = refused(answer, trusted ? access : {}, words);
  const withheld = !trusted && (access.username !== undefined || access.cert !== undefined);
  if (!withheld || ![401, 403].includes(answer.status)) return failure;
  const [here, there] = [withoutSecrets(repository), hostOf(answer.url)];
  return new RegistryError(registryCredentialRefused, words, {
    ...failure.diagnosis,
    message: `The index of ${here} names a package of another host, ${there}, which wants credentials; those of ${here} are not sent to other hosts`,
    evidence: [...failure.diagnosis.evidence, { name: 'withheld', value: describeAccess(access) }],
    remedies: [
      'Have the index name packages of its own host',
      { text: 'If the other host may have the credentials, say so', paste: 'helm:\n  passCredentials: true' },
    ],
  });
}

function withoutIdentity({ username: _u, password: _p, cert: _c, key: _k, ...rest }: Access): Access {
  return rest;
}

function mismatch(url: string, wanted: string, found: string): RegistryError {
  const shown = withoutSecrets(url);
  return new RegistryError(
    digestMismatch,
    `digest of ${shown} does not match the index: sha256:${found}, not sha256:${wanted}`,
    {
      message: `The package at ${shown} is not the one that the index of the repository names`,
      place: { remote: shown },
      evidence: { asked: `GET ${shown}`, wanted: `sha256:${wanted}`, found: `sha256:${found}` },
      remedies: ['Index the repository again, and find out who replaced the package without a new version'],
    },
  );
}

async function orAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
