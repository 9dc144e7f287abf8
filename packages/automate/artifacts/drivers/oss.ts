import { createHmac } from 'node:crypto';
import type { Readable } from 'node:stream';
import { systemClock } from '@tiphys/kubernetes';
import { invalid, type Subject } from '../model/failures.ts';
import { checkAmbient, needed, type Settings, secretOf, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { chunksOf } from '../wire/chunks.ts';
import { type Answer, Exchange } from '../wire/exchange.ts';
import { below, encodedKey, prefixOf } from '../wire/paths.ts';
import { elements, escaped } from '../wire/xml.ts';

/** Bytes of a part: what one upload keeps in memory. */
const smallestPart = 8 << 20;
/** OSS takes no more parts. */
const mostParts = 10_000;

interface Call {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Absent for the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string>>;
  readonly accepts?: readonly number[];
}

interface Keys {
  readonly accessKey: string;
  readonly secretKey: string;
  readonly token: string;
}

/** An object of Alibaba's OSS, by its REST API with signatures of version 1. */
export class OssStore implements ArtifactStore {
  readonly kind = 'oss';
  readonly #settings: Settings;
  readonly #bucket: string;
  readonly #key: string;
  readonly #base: URL;
  readonly #keys: Keys;
  readonly #exchange: Exchange;
  readonly #now: () => number;

  private constructor(settings: Settings, access: ArtifactAccess, keys: Keys) {
    const { env, signal, clock = systemClock } = access;
    const endpoint = needed('oss', settings, 'endpoint');
    const written = endpoint.includes('://') ? endpoint : `https://${endpoint}`;
    if (!URL.canParse(written))
      throw invalid('oss.endpoint', 'The endpoint of the store is no host', 'Write https://oss-REGION.aliyuncs.com');
    if (settings['lifecycleRule'])
      throw invalid(
        'oss.lifecycleRule',
        'Lifecycle rules of a bucket are not set when artifacts are written',
        'Set them on the bucket itself, and remove oss.lifecycleRule',
      );
    this.#settings = settings;
    this.#bucket = needed('oss', settings, 'bucket');
    this.#key = text(settings, 'key');
    this.#base = new URL(written);
    this.#keys = keys;
    this.#now = () => clock.now();
    this.#exchange = new Exchange({ ...(env ? { env } : {}), ...(signal ? { signal } : {}) });
  }

  static async open(settings: Settings, access: ArtifactAccess): Promise<OssStore> {
    return new OssStore(settings, access, await keysOf(settings, access));
  }

  async read(file?: string): Promise<Readable> {
    return (await this.#send({ method: 'GET', key: below(this.#key, file) })).body;
  }

  async write(content: Readable, { file, size = 0 }: WriteOptions = {}): Promise<void> {
    const key = below(this.#key, file);
    if (this.#settings['createBucketIfNotPresent'] === true && !file)
      (await this.#send({ method: 'PUT', accepts: [409] })).body.resume();
    const partSize = Math.max(smallestPart, Math.ceil(size / mostParts));
    let upload = '';
    const etags: string[] = [];
    let held: Buffer | undefined;
    for await (const part of chunksOf(content, partSize)) {
      if (held) {
        upload ||= await this.#begin(key);
        etags.push(await this.#part(key, { upload, number: etags.length + 1, body: held }));
      }
      held = part;
    }
    const last = held ?? Buffer.alloc(0);
    if (!upload) return void (await this.#send({ method: 'PUT', key, body: last })).body.resume();
    etags.push(await this.#part(key, { upload, number: etags.length + 1, body: last }));
    const list = etags.map(
      (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escaped(etag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
    (await this.#send({ method: 'POST', key, query: { uploadId: upload }, body })).body.resume();
  }

  async *files(): AsyncIterable<string> {
    const prefix = prefixOf(this.#key);
    let token = '';
    do {
      const query = { 'list-type': '2', prefix, ...(token ? { 'continuation-token': token } : {}) };
      const xml = await (await this.#send({ method: 'GET', query })).text();
      for (const key of elements(xml, 'Key'))
        if (key.startsWith(prefix) && key !== prefix && !key.endsWith('/')) yield key.slice(prefix.length);
      token = elements(xml, 'NextContinuationToken')[0] ?? '';
    } while (token);
  }

  async remove(): Promise<void> {
    if (!this.#key.endsWith('/')) return await this.#remove(this.#key);
    for await (const file of this.files()) await this.#remove(below(this.#key, file));
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  async #remove(key: string): Promise<void> {
    (await this.#send({ method: 'DELETE', key, accepts: [404] })).body.resume();
  }

  async #begin(key: string): Promise<string> {
    const answer = await this.#send({ method: 'POST', key, query: { uploads: '' } });
    return elements(await answer.text(), 'UploadId')[0] ?? '';
  }

  async #part(
    key: string,
    { upload, number, body }: { upload: string; number: number; body: Buffer },
  ): Promise<string> {
    const answer = await this.#send({
      method: 'PUT',
      key,
      query: { partNumber: String(number), uploadId: upload },
      body,
    });
    answer.body.resume();
    return answer.header('etag') ?? '';
  }

  async #send({ method, key, query = {}, body, accepts }: Call): Promise<Answer> {
    const isLocal = /^(?:localhost|[\d.]+|\[.*\])$/.test(this.#base.hostname);
    const url = new URL(this.#base);
    if (isLocal) url.pathname = `/${this.#bucket}/${encodedKey(key ?? '')}`;
    else {
      url.hostname = `${this.#bucket}.${url.hostname}`;
      url.pathname = `/${encodedKey(key ?? '')}`;
    }
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const date = new Date(this.#now()).toUTCString();
    const { accessKey, secretKey, token } = this.#keys;
    const own = token ? { 'x-oss-security-token': token } : {};
    const type = body ? 'application/octet-stream' : '';
    const signed = ['uploads', 'uploadId', 'partNumber', 'continuation-token']
      .filter((name) => Object.hasOwn(query, name))
      .sort();
    const parameters = signed.map((name) => (query[name] ? `${name}=${query[name]}` : name)).join('&');
    const resource = `/${this.#bucket}/${key ?? ''}${parameters ? `?${parameters}` : ''}`;
    const headers = Object.entries(own)
      .map(([name, value]) => `${name}:${value}\n`)
      .join('');
    const signature = createHmac('sha1', secretKey)
      .update(`${method}\n\n${type}\n${date}\n${headers}${resource}`)
      .digest('base64');
    return await this.#exchange.send({
      method,
      url: url.href,
      headers: {
        date,
        ...own,
        ...(type ? { 'content-type': type } : {}),
        ...(accessKey ? { authorization: `OSS ${accessKey}:${signature}` } : {}),
      },
      ...(body ? { body } : {}),
      ...(accepts ? { accepts } : {}),
      subject: this.#subject(key),
    });
  }

  #subject(key: string | undefined): Subject {
    const what = key === undefined ? `the bucket ${this.#bucket}` : `the object ${key} of the bucket ${this.#bucket}`;
    return { what, remote: this.#base.origin };
  }
}

/** Keys of Secrets, else those that the pod's environment has. */
async function keysOf(settings: Settings, access: ArtifactAccess): Promise<Keys> {
  if (settings['useSDKCreds'] === true) {
    checkAmbient('oss', access);
    const { env = process.env } = access;
    const keys = {
      accessKey: env['ALIBABA_CLOUD_ACCESS_KEY_ID'] ?? '',
      secretKey: env['ALIBABA_CLOUD_ACCESS_KEY_SECRET'] ?? '',
      token: env['ALIBABA_CLOUD_SECURITY_TOKEN'] ?? '',
    };
    if (keys.accessKey && keys.secretKey) return keys;
    throw invalid(
      'oss.useSDKCreds',
      'This process has no ALIBABA_CLOUD_ACCESS_KEY_ID and ALIBABA_CLOUD_ACCESS_KEY_SECRET; roles of RAM are not assumed',
      'Set oss.accessKeySecret and oss.secretKeySecret',
    );
  }
  const [accessKey = '', secretKey = ''] = await Promise.all([
    secretOf(access, settings, 'accessKeySecret'),
    secretOf(access, settings, 'secretKeySecret'),
  ]);
  return { accessKey: accessKey.trim(), secretKey: secretKey.trim(), token: text(settings, 'securityToken') };
}
