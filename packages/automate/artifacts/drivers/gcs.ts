import { createSign } from 'node:crypto';
import type { Readable } from 'node:stream';
import { systemClock } from '@tiphys/kubernetes';
import { broken, invalid } from '../model/failures.ts';
import { checkAmbient, needed, type Settings, secretOf, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { Exchange, type Request } from '../wire/exchange.ts';
import { below, prefixOf } from '../wire/paths.ts';

const scope = 'https://www.googleapis.com/auth/devstorage.read_write';
const tokenUrl = 'https://oauth2.googleapis.com/token';

/** An object of Google Cloud Storage, by its JSON API. */
export class GcsStore implements ArtifactStore {
  readonly kind = 'gcs';
  readonly #bucket: string;
  readonly #key: string;
  readonly #base: string;
  readonly #exchange: Exchange;
  readonly #token: () => Promise<string | undefined>;

  constructor(settings: Settings, access: ArtifactAccess) {
    const { env = process.env, signal } = access;
    this.#bucket = needed('gcs', settings, 'bucket');
    this.#key = text(settings, 'key');
    // the variable of Google's own libraries
    const emulator = env['STORAGE_EMULATOR_HOST'];
    this.#base = emulator
      ? emulator.includes('://')
        ? emulator
        : `http://${emulator}`
      : 'https://storage.googleapis.com';
    this.#exchange = new Exchange({ env, ...(signal ? { signal } : {}) });
    let token: Promise<string | undefined> | undefined;
    this.#token = () => {
      token ??= tokenOf(settings, access, this.#exchange);
      return token;
    };
  }

  async read(file?: string): Promise<Readable> {
    const key = below(this.#key, file);
    const { body } = await this.#send({ url: `${this.#object(key)}?alt=media`, subject: this.#subject(key) });
    return body;
  }

  async write(content: Readable, { file, size }: WriteOptions = {}): Promise<void> {
    const key = below(this.#key, file);
    const answer = await this.#send({
      method: 'POST',
      url: `${this.#base}/upload/storage/v1/b/${encodeURIComponent(this.#bucket)}/o?uploadType=media&name=${encodeURIComponent(key)}`,
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
      ...(size === undefined ? {} : { size }),
      subject: this.#subject(key),
    });
    answer.body.resume();
  }

  async *files(): AsyncIterable<string> {
    const prefix = prefixOf(this.#key);
    let page = '';
    do {
      const query = new URLSearchParams({
        prefix,
        fields: 'items(name),nextPageToken',
        ...(page ? { pageToken: page } : {}),
      });
      const answer = await this.#send({
        url: `${this.#base}/storage/v1/b/${encodeURIComponent(this.#bucket)}/o?${query}`,
        subject: this.#subject(`${prefix}*`),
      });
      const { items = [], nextPageToken = '' } = JSON.parse(await answer.text()) as {
        items?: { name: string }[];
        nextPageToken?: string;
      };
      for (const { name } of items)
        if (name.startsWith(prefix) && name !== prefix && !name.endsWith('/')) yield name.slice(prefix.length);
      page = nextPageToken;
    } while (page);
  }

  async remove(): Promise<void> {
    if (!this.#key.endsWith('/')) return await this.#remove(this.#key);
    for await (const file of this.files()) await this.#remove(below(this.#key, file));
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  async #remove(key: string): Promise<void> {
    const answer = await this.#send({
      method: 'DELETE',
      url: this.#object(key),
      subject: this.#subject(key),
      accepts: [404],
    });
    answer.body.resume();
  }

  async #send(request: Request) {
    const token = await this.#token();
    const headers = { ...request.headers, ...(token ? { authorization: `Bearer ${token}` } : {}) };
    return await this.#exchange.send({ ...request, headers });
  }

  #object(key: string): string {
    return `${this.#base}/storage/v1/b/${encodeURIComponent(this.#bucket)}/o/${encodeURIComponent(key)}`;
  }

  #subject(key: string) {
    return { what: `the object ${key} of the bucket ${this.#bucket}`, remote: this.#base };
  }
}

/** By the key of a service account, else by what this process is; none for an emulator. */
async function tokenOf(settings: Settings, access: ArtifactAccess, exchange: Exchange): Promise<string | undefined> {
  const json = await secretOf(access, settings, 'serviceAccountKeySecret');
  if (json) return await accountToken(json, access, exchange);
  if ((access.env ?? process.env)['STORAGE_EMULATOR_HOST']) return undefined;
  checkAmbient('gcs', access);
  const { GoogleAuth } = await import('google-auth-library');
  try {
    return (await new GoogleAuth({ scopes: [scope] }).getAccessToken()) ?? undefined;
  } catch (error) {
    throw broken({ what: 'the credentials of this process', remote: 'Google Cloud' }, error);
  }
}

/** Only keys of service accounts: other kinds of credentials name files, URLs and programs of anyone who wrote them. */
async function accountToken(
  json: string,
  { clock = systemClock }: ArtifactAccess,
  exchange: Exchange,
): Promise<string> {
  const bad = (message: string) =>
    invalid(
      'gcs.serviceAccountKeySecret',
      message,
      'Put the JSON key of a service account there, as Google Cloud gives it',
    );
  let key: Settings;
  try {
    key = JSON.parse(json) as Settings;
  } catch {
    throw bad('The key of the service account is no JSON');
  }
  const [email, pem] = [text(key, 'client_email'), text(key, 'private_key')];
  if (!email || !pem) throw bad('The key of the service account has no client_email and private_key');
  const url = text(key, 'token_uri') || tokenUrl;
  const now = Math.floor(clock.now() / 1000);
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const head = `${part({ alg: 'RS256', typ: 'JWT' })}.${part({ iss: email, scope, aud: url, iat: now, exp: now + 3600 })}`;
  let signature: string;
  try {
    signature = createSign('RSA-SHA256').update(head).sign(pem, 'base64url');
  } catch {
    throw bad('The private key of the service account can not be read');
  }
  const answer = await exchange.send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion: `${head}.${signature}`,
    }).toString(),
    subject: { what: 'a token of the service account', remote: new URL(url).origin },
  });
  return text(JSON.parse(await answer.text()) as Settings, 'access_token');
}
