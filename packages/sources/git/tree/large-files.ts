import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DiagnosisError, failure } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { basicCredentials } from '../connect/git-environment.ts';
import type { GitResult } from '../connect/git-process.ts';
import { type HttpAnswer, httpRequest } from '../connect/http-request.ts';
import type { Credentials } from '../repository/credentials.ts';
import { largeFileMissing } from '../repository/diagnoses.ts';
import type { LocalRepository } from '../repository/local-repository.ts';
import { parseRepositoryUrl, type RepositoryUrl } from '../repository/repository-url.ts';
import type { ObjectSource } from './git-tree.ts';
import { lfsUrl } from './lfs-config.ts';
import type { Folder } from './tree-cache.ts';

export interface LargeFilesOptions {
  readonly objects: ObjectSource;
  /** Id of the root folder, where `.lfsconfig` may be. */
  readonly root: string;
  readonly remote: RepositoryUrl;
  /** Files of this remote are kept below it by their content's id: nothing in it is precious. */
  readonly directory: string;
  readonly clock: Clock;
  /** Milliseconds for one file. */
  readonly timeout: number;
  readonly credentials: () => Promise<Credentials>;
  /** Where a local repository is. */
  readonly locate: () => LocalRepository;
  /** Runs `git-lfs-authenticate` on the SSH host. */
  readonly authenticate: (command: string) => Promise<GitResult>;
}

interface Pointer {
  readonly oid: string;
  readonly size: number;
}

interface Endpoint {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What one answer of the batch API says of a file. */
interface Download {
  readonly href?: string;
  readonly header?: Readonly<Record<string, string>>;
  readonly error?: { readonly code?: number; readonly message?: string };
}

const pointerBytes = 1024;
const maxFile = 256 * 1024 * 1024;
const mediaType = 'application/vnd.git-lfs+json';

/**
 * Objects of a repository, with files of Git LFS in the place of their pointers where they are read through its filter: asked for by the
 * batch API then, checked by their SHA-256 and kept by it.
 */
export class LargeFiles implements ObjectSource {
  readonly checkedOut = true;
  readonly #options: LargeFilesOptions;
  readonly #pointers = new Map<string, Pointer | undefined>();
  readonly #fetching = new Map<string, Promise<Buffer>>();
  #endpoint: Promise<Endpoint> | undefined;

  constructor(options: LargeFilesOptions) {
    this.#options = options;
  }

  folder(oid: string): Promise<Folder> {
    return this.#options.objects.folder(oid);
  }

  async size(oid: string, filter?: 'lfs'): Promise<number> {
    const size = await this.#options.objects.size(oid);
    return filter !== 'lfs' || size > pointerBytes ? size : ((await this.#pointer(oid))?.size ?? size);
  }

  async blob(oid: string, filter?: 'lfs'): Promise<Buffer> {
    const { objects } = this.#options;
    if (filter !== 'lfs' || (await objects.size(oid)) > pointerBytes) return objects.blob(oid);
    const pointer = await this.#pointer(oid);
    return pointer ? this.#file(pointer) : objects.blob(oid);
  }

  async #pointer(oid: string): Promise<Pointer | undefined> {
    if (!this.#pointers.has(oid)) this.#pointers.set(oid, readPointer(await this.#options.objects.blob(oid)));
    return this.#pointers.get(oid);
  }

  #file(pointer: Pointer): Promise<Buffer> {
    const known = this.#fetching.get(pointer.oid);
    if (known) return known;
    const fetching = this.#read(pointer).finally(() => this.#fetching.delete(pointer.oid));
    this.#fetching.set(pointer.oid, fetching);
    return fetching;
  }

  async #read(pointer: Pointer): Promise<Buffer> {
    const path = join(this.#options.directory, pointer.oid.slice(0, 2), pointer.oid);
    if (existsSync(path)) {
      const content = await readFile(path);
      if (digest(content) === pointer.oid) return content;
    }
    const content = await this.#fetch(pointer);
    if (content.length !== pointer.size || digest(content) !== pointer.oid)
      throw this.#missing(pointer, `what the server sent has ${content.length} bytes and another SHA-256`);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(`${path}.${process.pid}`, content);
    await rename(`${path}.${process.pid}`, path);
    return content;
  }

  async #fetch(pointer: Pointer): Promise<Buffer> {
    const { remote } = this.#options;
    if (pointer.size > maxFile) throw this.#missing(pointer, `it is longer than ${maxFile} bytes`);
    if (remote.transport === 'local') {
      const { oid } = pointer;
      const folder = join(this.#options.locate().commonDirectory, 'lfs', 'objects');
      const path = join(folder, oid.slice(0, 2), oid.slice(2, 4), oid);
      if (existsSync(path)) return readFile(path);
      throw this.#missing(pointer, 'it is not in the folder lfs of the repository');
    }
    try {
      return await this.#download(pointer);
    } catch (error) {
      if (error instanceof DiagnosisError) throw error;
      throw this.#missing(pointer, error instanceof Error ? error.message : String(error), 'retryable');
    }
  }

  async #download(pointer: Pointer): Promise<Buffer> {
    this.#endpoint ??= this.#locate();
    this.#endpoint.catch(() => {
      this.#endpoint = undefined;
    });
    const endpoint = await this.#endpoint;
    const answer = await this.#send(`${endpoint.url}/objects/batch`, {
      headers: { ...endpoint.headers, accept: mediaType, 'content-type': mediaType },
      body: JSON.stringify({ operation: 'download', transfers: ['basic'], objects: [pointer] }),
    });
    if (answer.status !== 200) throw this.#refused(pointer, answer);
    const { href, header, error } = downloadOf(answer.body);
    if (error) throw this.#missing(pointer, `the server says: ${error.message ?? error.code}`);
    if (!href || !/^https?:\/\//.test(href)) throw this.#missing(pointer, 'the server names no address for it');
    const home = new URL(href).origin === new URL(endpoint.url).origin;
    const given = typeof header === 'object' && header !== null ? header : {};
    const own = home && !Object.keys(given).some((name) => name.toLowerCase() === 'authorization');
    const headers = { ...(own ? endpoint.headers : {}), ...given };
    const file = await this.#send(href, { headers, home, maxBody: pointer.size + 1 });
    if (file.status === 200) return file.bytes;
    throw this.#refused(pointer, file);
  }

  async #send(
    url: string,
    {
      headers,
      body,
      maxBody,
      home = true,
    }: {
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly maxBody?: number;
      readonly home?: boolean;
    },
  ): Promise<HttpAnswer> {
    const { clock, timeout } = this.#options;
    const credentials = await this.#options.credentials();
    const { tlsClientCertData: _, tlsClientCertKey: __, ...abroad } = credentials;
    return httpRequest({
      url,
      method: body === undefined ? 'GET' : 'POST',
      headers,
      credentials: home ? credentials : abroad,
      clock,
      timeout,
      ...(body === undefined ? {} : { body }),
      ...(maxBody === undefined ? {} : { maxBody }),
    });
  }

  /** By `.lfsconfig`, by the SSH host, or from the repository's URL. Credentials stay with the repository's own host. */
  async #locate(): Promise<Endpoint> {
    const { remote } = this.#options;
    const configured = await this.#configured();
    if (remote.transport === 'ssh' && configured === undefined) return this.#sshEndpoint();
    const url = configured ?? `${remote.remote.replace(/(?<!\/)\/+$/, '').replace(/(?:\.git)?$/, '.git')}/info/lfs`;
    const parsed = parseRepositoryUrl(url);
    const same = remote.transport !== 'ssh' && parsed.host === remote.host && parsed.port === remote.port;
    return { url, headers: same ? authorization(remote, await this.#options.credentials()) : {} };
  }

  async #configured(): Promise<string | undefined> {
    const { objects, root } = this.#options;
    const entry = (await objects.folder(root)).get('.lfsconfig');
    if (entry?.kind !== 'file' || (await objects.size(entry.oid)) > 100_000) return undefined;
    return lfsUrl((await objects.blob(entry.oid)).toString('utf8'));
  }

  async #sshEndpoint(): Promise<Endpoint> {
    const { remote, authenticate } = this.#options;
    const path = /^ssh:/.test(remote.remote)
      ? new URL(remote.remote).pathname.replace(/^\//, '')
      : remote.remote.slice(remote.remote.indexOf(':') + 1);
    if (!/^[A-Za-z0-9._~/-]+$/.test(path)) throw new Error(`the path ${path} can not be asked for by SSH`);
    const { code, stdout, stderr } = await authenticate(`git-lfs-authenticate ${path} download`);
    if (code !== 0) throw new Error(`git-lfs-authenticate failed on ${remote.host}: ${stderr.slice(-300)}`);
    const { href = '', header = {} } = objectOf(stdout.toString('utf8')) as Download;
    if (!/^https?:\/\//.test(href)) throw new Error(`git-lfs-authenticate of ${remote.host} names no address`);
    return { url: href.replace(/(?<!\/)\/+$/, ''), headers: header };
  }

  #refused(pointer: Pointer, { status }: HttpAnswer): DiagnosisError {
    const handling = status >= 500 || status === 429 ? 'retryable' : 'stalled';
    return this.#missing(pointer, `the server of Git LFS answered ${status}`, handling);
  }

  #missing({ oid, size }: Pointer, why: string, handling: 'stalled' | 'retryable' = 'stalled'): DiagnosisError {
    return failure(
      largeFileMissing,
      {
        message: `A file of Git LFS can not be had: ${why}`,
        place: { remote: this.#options.remote.display },
        evidence: { oid: `sha256:${oid}`, size },
        remedies: ['Push the file with git lfs push, and give the repository credentials that may read it'],
      },
      { handling },
    );
  }
}

function readPointer(content: Buffer): Pointer | undefined {
  const text = content.toString('latin1');
  if (!text.startsWith('version https://git-lfs.github.com/spec/')) return undefined;
  const oid = /^oid sha256:([0-9a-f]{64})$/m.exec(text)?.[1];
  const size = /^size (\d+)$/m.exec(text)?.[1];
  return oid && size ? { oid, size: Number(size) } : undefined;
}

/** Of an answer that says nothing of a file, nothing: its words are not told, as anything may be in them. */
function downloadOf(body: string): Download {
  const { objects } = objectOf(body) as { objects?: (Download & { actions?: { download?: Download } })[] };
  const object = Array.isArray(objects) ? objects[0] : undefined;
  return { ...object?.actions?.download, ...(object?.error ? { error: object.error } : {}) };
}

function objectOf(json: string): object {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function authorization(remote: RepositoryUrl, credentials: Credentials): Record<string, string> {
  if (credentials.bearerToken) return { authorization: `Bearer ${credentials.bearerToken}` };
  const basic = basicCredentials(remote, credentials);
  if (!basic) return {};
  return { authorization: `Basic ${Buffer.from(`${basic.username}:${basic.password}`).toString('base64')}` };
}

function digest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
