import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { systemClock } from '@tiphys/kubernetes';
import { broken, invalid, type Subject } from '../model/failures.ts';
import { checkAmbient, needed, type Settings, secretOf } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { chunksOf } from '../wire/chunks.ts';
import { type Answer, Exchange } from '../wire/exchange.ts';
import { below, encodedKey, prefixOf } from '../wire/paths.ts';
import { elements } from '../wire/xml.ts';

/** Bytes of a block: what one upload keeps in memory. A blob has 50,000 blocks at most. */
const smallestBlock = 8 << 20;
const mostBlocks = 50_000;
const version = '2021-12-02';

/** Adds to a request what says who asks. */
type Sign = (request: Signed) => Promise<{ url: URL; headers: Record<string, string> }>;

interface Signed {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly length: number;
}

/** A blob of Azure, by its REST API. */
export class AzureStore implements ArtifactStore {
  readonly kind = 'azure';
  readonly #container: URL;
  readonly #blob: string;
  readonly #sign: Sign;
  readonly #exchange: Exchange;
  readonly #now: () => number;

  private constructor(parts: { container: URL; blob: string; sign: Sign; access: ArtifactAccess }) {
    const { env, signal, clock = systemClock } = parts.access;
    this.#container = parts.container;
    this.#blob = parts.blob;
    this.#sign = parts.sign;
    this.#now = () => clock.now();
    this.#exchange = new Exchange({ ...(env ? { env } : {}), ...(signal ? { signal } : {}) });
  }

  static async open(settings: Settings, access: ArtifactAccess): Promise<AzureStore> {
    const endpoint = needed('azure', settings, 'endpoint');
    if (!URL.canParse(endpoint))
      throw invalid(
        'azure.endpoint',
        'The endpoint of the store is no URL',
        'Write https://ACCOUNT.blob.core.windows.net',
      );
    const container = new URL(endpoint);
    container.pathname = `${container.pathname.replace(/\/$/, '')}/${needed('azure', settings, 'container')}`;
    const sign = await signer(settings, access, container);
    return new AzureStore({ container, blob: needed('azure', settings, 'blob'), sign, access });
  }

  async read(file?: string): Promise<Readable> {
    const { body } = await this.#send('GET', below(this.#blob, file));
    return body;
  }

  async write(content: Readable, { file, size = 0 }: WriteOptions = {}): Promise<void> {
    const blob = below(this.#blob, file);
    const blockSize = Math.max(smallestBlock, Math.ceil(size / mostBlocks));
    const ids: string[] = [];
    for await (const block of chunksOf(content, blockSize)) {
      const id = Buffer.from(String(ids.length).padStart(8, '0')).toString('base64');
      await this.#put(blob, { comp: 'block', blockid: id }, block);
      ids.push(id);
    }
    const list = ids.map((id) => `<Latest>${id}</Latest>`).join('');
    await this.#put(
      blob,
      { comp: 'blocklist' },
      Buffer.from(`<?xml version="1.0" encoding="utf-8"?><BlockList>${list}</BlockList>`),
    );
  }

  async *files(): AsyncIterable<string> {
    const prefix = prefixOf(this.#blob);
    let marker = '';
    do {
      const query = { restype: 'container', comp: 'list', prefix, ...(marker ? { marker } : {}) };
      const answer = await this.#send('GET', undefined, { query });
      const xml = await answer.text();
      for (const blob of elements(xml, 'Name'))
        if (blob.startsWith(prefix) && blob !== prefix && !blob.endsWith('/')) yield blob.slice(prefix.length);
      marker = elements(xml, 'NextMarker')[0] ?? '';
    } while (marker);
  }

  async remove(): Promise<void> {
    if (!this.#blob.endsWith('/')) return await this.#remove(this.#blob);
    for await (const file of this.files()) await this.#remove(below(this.#blob, file));
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  async #remove(blob: string): Promise<void> {
    (await this.#send('DELETE', blob, { accepts: [404] })).body.resume();
  }

  async #put(blob: string, query: Record<string, string>, body: Buffer): Promise<void> {
    (await this.#send('PUT', blob, { query, body })).body.resume();
  }

  async #send(
    method: 'GET' | 'PUT' | 'DELETE',
    blob: string | undefined,
    { query = {}, body, accepts }: { query?: Record<string, string>; body?: Buffer; accepts?: number[] } = {},
  ): Promise<Answer> {
    const wanted = new URL(this.#container);
    if (blob !== undefined) wanted.pathname = `${wanted.pathname}/${encodedKey(blob)}`;
    for (const [name, value] of Object.entries(query)) wanted.searchParams.set(name, value);
    const plain = { 'x-ms-date': new Date(this.#now()).toUTCString(), 'x-ms-version': version };
    const { url, headers } = await this.#sign({ method, url: wanted, headers: plain, length: body?.length ?? 0 });
    return await this.#exchange.send({
      method,
      url: url.href,
      headers,
      ...(body ? { body } : {}),
      ...(accepts ? { accepts } : {}),
      subject: this.#subject(blob),
    });
  }

  #subject(blob: string | undefined): Subject {
    const container = this.#container.pathname.slice(1);
    return {
      what: blob === undefined ? `the list of ${container}` : `the blob ${blob} of the container ${container}`,
      remote: this.#container.origin,
    };
  }
}

/** By the identity of this process, by a shared access signature, or by the key of the account. */
async function signer(settings: Settings, access: ArtifactAccess, container: URL): Promise<Sign> {
  if (settings['useSDKCreds'] === true) {
    checkAmbient('azure', access);
    const { DefaultAzureCredential } = await import('@azure/identity');
    const credential = new DefaultAzureCredential();
    return async ({ url, headers }) => {
      try {
        const { token } = await credential.getToken('https://storage.azure.com/.default');
        return { url, headers: { ...headers, authorization: `Bearer ${token}` } };
      } catch (error) {
        throw broken({ what: 'the credentials of this process', remote: 'Azure' }, error);
      }
    };
  }
  const key = (await secretOf(access, settings, 'accountKeySecret'))?.trim();
  if (!key)
    throw invalid(
      'azure.accountKeySecret',
      'The store has no key of its account',
      'Set azure.accountKeySecret, or useSDKCreds: true',
    );
  // upstream's rule: text with a query's parameters is a signature of its own
  if (/[?&][^=]+=[^&]/.test(key)) {
    const given = new URLSearchParams(key.replace(/^\?/, ''));
    return async ({ url, headers }) => {
      const signed = new URL(url);
      for (const [name, value] of given) signed.searchParams.set(name, value);
      return { url: signed, headers: { ...headers } };
    };
  }
  const account = accountOf(container);
  return async (request) => ({
    url: request.url,
    headers: { ...request.headers, authorization: `SharedKey ${account}:${sharedKey(request, account, key)}` },
  });
}

/** The first part of the host; of the path where the host is this machine, as emulators have it. */
function accountOf({ hostname, pathname }: URL): string {
  return (hostname === 'localhost' || hostname === '127.0.0.1' ? pathname.split('/')[1] : hostname.split('.')[0]) ?? '';
}

/** The signature of a request, as "Authorize with Shared Key" has it for versions since 2015-02-21. */
function sharedKey({ method, url, headers, length }: Signed, account: string, key: string): string {
  const own = Object.entries(headers)
    .filter(([name]) => name.startsWith('x-ms-'))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}:${value}`);
  const query = [...url.searchParams].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => `\n${name}:${value}`);
  const resource = `/${account}${url.pathname}${query.join('')}`;
  const text = [method, '', '', length || '', '', '', '', '', '', '', '', '', ...own, resource].join('\n');
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text, 'utf8').digest('base64');
}
