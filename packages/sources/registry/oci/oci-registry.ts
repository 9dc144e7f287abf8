import { createHash } from 'node:crypto';
import type { Access } from '../access/access.ts';
import { digestMismatch, registryAnswerRefused } from '../access/diagnoses.ts';
import { RegistryError } from '../access/registry-error.ts';
import type { HttpAnswer, HttpClient } from '../http/http-client.ts';
import { isSameOrigin } from '../http/http-client.ts';
import { readFields } from '../http/read-fields.ts';
import { withoutSecrets } from '../http/without-secrets.ts';
import { isDigest, type OciReference } from './oci-reference.ts';
import { RegistrySession, registryFailure } from './registry-session.ts';

/** What a manifest says of a blob, or a registry of a manifest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Of an entry of an index. */
  readonly platform?: { readonly os: string; readonly architecture: string };
}

/** An image manifest or an index, as it was served. */
export interface Manifest {
  readonly descriptor: Descriptor;
  readonly config?: Descriptor;
  readonly layers: readonly Descriptor[];
  /** Of an index. */
  readonly manifests: readonly Descriptor[];
  readonly annotations: Readonly<Record<string, string>>;
}

export interface RegistryOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Where a request goes. */
export type OciRepository = Pick<OciReference, 'registry' | 'repository'>;

const indexType = 'application/vnd.oci.image.index.v1+json';
const manifestType = 'application/vnd.oci.image.manifest.v1+json';
const dockerManifestType = 'application/vnd.docker.distribution.manifest.v2+json';
const dockerIndexType = 'application/vnd.docker.distribution.manifest.list.v2+json';
const manifestTypes = [
  dockerManifestType,
  dockerIndexType,
  manifestType,
  indexType,
  'application/vnd.oci.artifact.manifest.v1+json',
].join(', ');

const maxManifestBytes = 4 << 20;
const maxTagPages = 1000;
const maxTags = 100_000;

/** A client of the distribution API: manifests, blobs and tags, every byte checked against its digest. */
export class OciRegistry {
  readonly #session: RegistrySession;

  constructor(http: HttpClient) {
    this.#session = new RegistrySession(http);
  }

  /** True if the registry speaks the API and takes the credentials. Throws what prevents it. */
  async ping(registry: string, access: Access, { signal }: RegistryOptions = {}): Promise<void> {
    const url = `${baseOf(registry, access)}/v2/`;
    const answer = await this.#session.send({ url, maxBytes: maxManifestBytes, scope: '', access, signal });
    if (answer.status !== 200) throw registryFailure(answer, access);
  }

  /** All tags of a repository, in the registry's order. */
  async tags(repository: OciRepository, access: Access, { signal }: RegistryOptions = {}): Promise<string[]> {
    const tags: string[] = [];
    const first = new URL(`${repositoryUrl(repository, access)}/tags/list`);
    let url: URL | undefined = first;
    for (let page = 0; url !== undefined; page += 1) {
      const answer: HttpAnswer = await this.#session.send({
        url: url.href,
        maxBytes: maxManifestBytes,
        scope: pullScope(repository),
        access,
        signal,
      });
      if (answer.status !== 200) throw registryFailure(answer, access, { scope: pullScope(repository) });
      for (const tag of tagsOf(answer)) tags.push(tag);
      if (page >= maxTagPages || tags.length > maxTags)
        throw odd(answer, `more than ${maxTags} tags`, 'Delete tags, or name an exact version');
      url = nextPage(answer, url);
      if (url && !isSameOrigin(url, first))
        throw odd(
          answer,
          `its list of tags goes on at another host, ${url.host}`,
          'Check the settings of the registry',
        );
    }
    return tags;
  }

  /** What a tag or digest stands for now; undefined if the registry does not have it. */
  async resolve(
    reference: OciReference,
    access: Access,
    { signal }: RegistryOptions = {},
  ): Promise<Descriptor | undefined> {
    const name = reference.digest || reference.tag;
    const url = `${repositoryUrl(reference, access)}/manifests/${name}`;
    const scope = pullScope(reference);
    const call = { url, accept: manifestTypes, maxBytes: maxManifestBytes, scope, access, signal };
    const answer = await this.#session.send({ ...call, method: 'HEAD' });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw registryFailure(answer, access, { scope });
    const digest = answer.headers['docker-content-digest'] ?? '';
    const mediaType = answer.headers['content-type']?.split(';')[0]?.trim() ?? '';
    const size = Number(answer.headers['content-length'] ?? 0);
    // Registries that do not tell the digest of a tag are asked for the manifest itself.
    if (isDigest(digest) && (reference.digest === '' || digest === reference.digest))
      return { mediaType, digest, size };
    if (isDigest(digest)) throw mismatch(url, reference.digest, digest);
    const whole = await this.#session.send(call);
    if (whole.status !== 200) throw registryFailure(whole, access, { scope });
    return { mediaType, digest: digestOf(whole.body, reference.digest || 'sha256:'), size: whole.body.length };
  }

  /** The manifest that a tag or digest stands for now; undefined if the registry does not have it. */
  async manifest(
    reference: OciReference,
    access: Access,
    { signal }: RegistryOptions = {},
  ): Promise<Manifest | undefined> {
    const url = `${repositoryUrl(reference, access)}/manifests/${reference.digest || reference.tag || 'latest'}`;
    const scope = pullScope(reference);
    const answer = await this.#session.send({
      url,
      accept: manifestTypes,
      maxBytes: maxManifestBytes,
      scope,
      access,
      signal,
    });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw registryFailure(answer, access, { scope });
    const told = answer.headers['docker-content-digest'] ?? '';
    if (reference.digest !== '') check(answer, reference.digest);
    if (isDigest(told)) check(answer, told);
    return readManifest(answer, reference.digest || (isDigest(told) ? told : 'sha256:'));
  }

  /** The bytes of a blob, exactly as many as the manifest says, and with its digest. */
  async blob(
    repository: OciRepository,
    descriptor: Descriptor,
    access: Access,
    options: RegistryOptions & { readonly maxBytes: number },
  ): Promise<Buffer> {
    const url = `${repositoryUrl(repository, access)}/blobs/${descriptor.digest}`;
    const scope = pullScope(repository);
    const maxBytes = Math.min(descriptor.size, options.maxBytes);
    const answer = await this.#session.send({ url, maxBytes, scope, access, signal: options.signal });
    if (answer.status !== 200) throw registryFailure(answer, access, { scope });
    if (answer.body.length !== descriptor.size)
      throw odd(answer, `it sent ${answer.body.length} bytes of ${descriptor.size}`, 'Push the artifact again');
    check(answer, descriptor.digest);
    return answer.body;
  }
}

function baseOf(registry: string, access: Access): string {
  const host = registry === 'docker.io' ? 'registry-1.docker.io' : registry;
  return `${access.plainHttp ? 'http' : 'https'}://${host}`;
}

function repositoryUrl({ registry, repository }: OciRepository, access: Access): string {
  return `${baseOf(registry, access)}/v2/${repository}`;
}

function pullScope({ repository }: OciRepository): string {
  return `repository:${repository}:pull`;
}

function tagsOf(answer: HttpAnswer): string[] {
  const { tags } = jsonOf(answer) as { tags?: unknown };
  if (tags === undefined || tags === null) return [];
  if (!Array.isArray(tags)) throw odd(answer, 'its list of tags is not a list', 'Check the settings of the registry');
  return tags.filter((tag) => typeof tag === 'string' && tag.length <= 128);
}

/** `Link: </v2/…>; rel="next"`, relative to the page. */
function nextPage(answer: HttpAnswer, page: URL): URL | undefined {
  const target = /^\s*<([^>]*)>/.exec(answer.headers.link ?? '')?.[1];
  return target === undefined || !URL.canParse(target, page) ? undefined : new URL(target, page);
}

function readManifest(answer: HttpAnswer, like: string): Manifest {
  const value = jsonOf(answer) as Record<string, unknown>;
  const mediaType = answer.headers['content-type']?.split(';')[0]?.trim() ?? '';
  const list = (name: string): Descriptor[] => {
    const items = value[name];
    return Array.isArray(items) ? items.slice(0, 1000).map((item) => descriptorOf(answer, item)) : [];
  };
  return {
    descriptor: { mediaType, digest: digestOf(answer.body, like), size: answer.body.length },
    ...(value.config ? { config: descriptorOf(answer, value.config) } : {}),
    layers: list('layers'),
    manifests: list('manifests'),
    annotations: textsOf(value.annotations),
  };
}

function descriptorOf(answer: HttpAnswer, value: unknown): Descriptor {
  const { mediaType, digest, size, annotations, platform } = (value ?? {}) as Record<string, unknown>;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || typeof size !== 'number')
    throw odd(answer, 'its manifest has an entry without media type, digest or size', 'Push the artifact again');
  if (!isDigest(digest))
    throw odd(answer, `its manifest has the digest ${JSON.stringify(digest)}`, 'Push the artifact again');
  if (!Number.isSafeInteger(size) || size < 0)
    throw odd(answer, `its manifest has an entry of ${size} bytes`, 'Push the artifact again');
  const { os = '', architecture = '' } = textsOf(platform);
  return {
    mediaType,
    digest,
    size,
    annotations: textsOf(annotations),
    ...(platform ? { platform: { os, architecture } } : {}),
  };
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function jsonOf(answer: HttpAnswer): object {
  const value = readFields(answer.body);
  if (value) return value;
  throw odd(answer, 'it did not answer with a JSON object', 'Check that the URL is that of an OCI registry');
}

function digestOf(body: Buffer, like: string): string {
  const algorithm = like.slice(0, like.indexOf(':'));
  return `${algorithm}:${createHash(algorithm).update(body).digest('hex')}`;
}

function check(answer: HttpAnswer, wanted: string): void {
  const found = digestOf(answer.body, wanted);
  if (found !== wanted) throw mismatch(answer.url, wanted, found);
}

function mismatch(url: string, wanted: string, found: string): RegistryError {
  const shown = withoutSecrets(url);
  return new RegistryError(digestMismatch, `mismatch digest: ${wanted}: got ${found}`, {
    message: `What ${new URL(url).host} sent is not what its digest says`,
    place: { remote: shown },
    evidence: { asked: `GET ${shown}`, wanted, found },
    remedies: ['Push the artifact again; if it comes through a cache or a mirror, clear that'],
  });
}

function odd(answer: HttpAnswer, reason: string, remedy: string): RegistryError {
  const shown = withoutSecrets(answer.url);
  return new RegistryError(registryAnswerRefused, `GET "${shown}": ${reason}`, {
    message: `The answer of ${new URL(answer.url).host} can not be used: ${reason}`,
    place: { remote: shown },
    evidence: { asked: `${answer.method} ${shown}`, answer: answer.statusText },
    remedies: [remedy],
  });
}
