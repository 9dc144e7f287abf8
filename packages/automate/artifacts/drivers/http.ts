import type { Readable } from 'node:stream';
import { invalid, unsupported } from '../model/failures.ts';
import { needed, type Settings, secretOf, text } from '../model/fields.ts';
import type { ArtifactAccess, ArtifactStore, WriteOptions } from '../model/store.ts';
import { type Answer, Exchange } from '../wire/exchange.ts';
import { below } from '../wire/paths.ts';

type HttpKind = 'http' | 'artifactory';

/** A file behind a URL: read with GET, written with PUT. Folders and removal are none of HTTP's. */
export class HttpStore implements ArtifactStore {
  readonly kind: HttpKind;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #exchange: Exchange;

  private constructor(
    kind: HttpKind,
    { url, headers, exchange }: { url: string; headers: Record<string, string>; exchange: Exchange },
  ) {
    this.kind = kind;
    this.#url = url;
    this.#headers = headers;
    this.#exchange = exchange;
  }

  static async open(kind: HttpKind, settings: Settings, access: ArtifactAccess): Promise<HttpStore> {
    const url = needed(kind, settings, 'url');
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
      throw invalid(`${kind}.url`, 'The URL of the artifact is none of http or https', 'Write http:// or https://');
    const auth = (settings['auth'] ?? {}) as Record<string, Settings | undefined>;
    const { env, signal } = access;
    const common = { ...(env ? { env } : {}), ...(signal ? { signal } : {}) };
    const certificate = kind === 'http' ? auth['clientCert'] : undefined;
    const [cert, key] = certificate
      ? await Promise.all([
          secretOf(access, certificate, 'clientCertSecret'),
          secretOf(access, certificate, 'clientKeySecret'),
        ])
      : [];
    const exchange = new Exchange({ ...common, ...(cert && key ? { tls: { cert, key } } : {}) });
    const headers: Record<string, string> = {};
    if (kind === 'http')
      for (const { name, value } of (settings['headers'] ?? []) as { name: string; value?: string }[])
        headers[name.toLowerCase()] = value ?? '';
    const basic = kind === 'artifactory' ? settings : (auth['basicAuth'] ?? {});
    const [username, password] = await Promise.all([
      secretOf(access, basic, 'usernameSecret'),
      secretOf(access, basic, 'passwordSecret'),
    ]);
    if (username && password)
      headers['authorization'] = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
    // upstream writes the other ways to log in as empty ones
    const client = kind === 'http' ? auth['oauth2'] : undefined;
    if (client && Object.keys(client).length > 0)
      headers['authorization'] = `Bearer ${await clientToken(exchange, client, access)}`;
    return new HttpStore(kind, { url, headers, exchange });
  }

  async read(file?: string): Promise<Readable> {
    const { body } = await this.#exchange.send({
      url: this.#at(file),
      headers: this.#headers,
      subject: this.#subject(file),
    });
    return body;
  }

  async write(content: Readable, { file, size }: WriteOptions = {}): Promise<void> {
    const answer: Answer = await this.#exchange.send({
      method: 'PUT',
      url: this.#at(file),
      headers: this.#headers,
      body: content,
      ...(size === undefined ? {} : { size }),
      subject: this.#subject(file),
    });
    answer.body.resume();
  }

  async *files(): AsyncIterable<string> {}

  async remove(): Promise<void> {
    throw unsupported(
      this.kind,
      'removed',
      'Remove the file where it is served, or keep outputs that are collected in another store',
    );
  }

  async close(): Promise<void> {
    await this.#exchange.close();
  }

  #at(file: string | undefined): string {
    if (!file) return this.#url;
    const url = new URL(this.#url);
    url.pathname = below(url.pathname, file);
    return url.href;
  }

  #subject(file: string | undefined) {
    const { origin, pathname } = new URL(this.#at(file));
    return { what: `the file ${pathname}`, remote: origin };
  }
}

/** A token by the client's credentials: OAuth 2 without a user. */
async function clientToken(exchange: Exchange, settings: Settings, access: ArtifactAccess): Promise<string> {
  const [id, secret, url] = await Promise.all([
    secretOf(access, settings, 'clientIDSecret'),
    secretOf(access, settings, 'clientSecretSecret'),
    secretOf(access, settings, 'tokenURLSecret'),
  ]);
  if (!id || !secret || !url || !URL.canParse(url))
    throw invalid(
      'http.auth.oauth2',
      'OAuth 2 lacks the client, its secret, or the URL of tokens',
      'Set clientIDSecret, clientSecretSecret and tokenURLSecret',
    );
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  const scopes = (settings['scopes'] ?? []) as string[];
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  for (const { key, value } of (settings['endpointParams'] ?? []) as { key: string; value?: string }[])
    form.append(key, value ?? '');
  const answer = await exchange.send({
    method: 'POST',
    url,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
    },
    body: form.toString(),
    subject: { what: 'a token', remote: new URL(url).origin },
  });
  const token = tokenIn(await answer.text());
  if (!token)
    throw invalid(
      'http.auth.oauth2.tokenURLSecret',
      'The answer of the token URL has no access_token',
      'Correct the URL of tokens',
    );
  return token;
}

/** Providers answer with JSON, and older ones as forms do: `access_token=…&expires_in=…`. */
function tokenIn(answer: string): string {
  try {
    const value: unknown = JSON.parse(answer);
    return typeof value === 'object' && value !== null ? text(value as Settings, 'access_token') : '';
  } catch {
    return new URLSearchParams(answer.trim()).get('access_token') ?? '';
  }
}
