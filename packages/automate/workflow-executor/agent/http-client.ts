import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { guardedDispatcher } from '@tiphys/outbound';
import { type Dispatcher, request } from 'undici';
import { requestFailure } from './request-failure.ts';

/** Where certificates of the image and of the Secret `argo-workflows-agent-ca-certificates` are. */
const certificateFolder = '/etc/ssl/certs';
const moreCertificates = join(certificateFolder, 'ca-certificates');
const largestAnswer = 16 << 20;
const mostHops = 10;

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | Uint8Array;
  readonly insecure: boolean;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly text: string;
}

/** HTTP as the tasks of a workflow ask for it. Redirects are followed as Go's client does: ten at most. */
export class HttpClient {
  readonly #dispatchers = new Map<boolean, Promise<Dispatcher>>();

  async send(wanted: HttpRequest): Promise<HttpAnswer> {
    let { url, method, body } = wanted;
    let headers = wanted.headers;
    for (let hop = 0; ; hop++) {
      const answer = await this.#once({ ...wanted, url, method, body, headers }).catch((error: unknown) => {
        if (wanted.signal.aborted && (wanted.signal.reason as Error | undefined)?.name !== 'TimeoutError') throw error;
        throw requestFailure(error, { method, url, first: wanted.url });
      });
      const location = answer.headers.Location?.[0];
      if (!location || ![301, 302, 303, 307, 308].includes(answer.status)) return answer;
      if (hop >= mostHops) throw new Error(`${wanted.url} was redirected more than ${mostHops} times`);
      const next = new URL(location, url);
      if (answer.status < 304 && method !== 'GET' && method !== 'HEAD') [method, body] = ['GET', ''];
      if (next.origin !== new URL(url).origin)
        headers = headers.filter(
          ([name]) => !['authorization', 'cookie', 'www-authenticate'].includes(name.toLowerCase()),
        );
      url = next.href;
    }
  }

  async close(): Promise<void> {
    for (const dispatcher of this.#dispatchers.values()) await (await dispatcher).destroy();
  }

  async #once({ url, method, headers, body, insecure, signal }: HttpRequest): Promise<HttpAnswer> {
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers: headers.flat(),
      ...(body.length > 0 ? { body } : {}),
      dispatcher: await this.#dispatcher(insecure),
      signal,
    });
    return { status: answer.statusCode, headers: canonical(answer.headers), text: await bounded(answer.body) };
  }

  #dispatcher(insecure: boolean): Promise<Dispatcher> {
    const known = this.#dispatchers.get(insecure);
    if (known) return known;
    const made = guardedDispatcher({ tls: insecure ? { rejectUnauthorized: false } : { ca: authorities() } });
    this.#dispatchers.set(insecure, made);
    return made;
  }
}

/** The certificates of Node and of NODE_EXTRA_CA_CERTS, of the image, and of the Secret. */
function authorities(): string {
  const folders = [certificateFolder, moreCertificates].filter(
    (folder) => existsSync(folder) && statSync(folder).isDirectory(),
  );
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const found = files.filter((file) => /\.(crt|pem)$/.test(file) || file.startsWith(`${moreCertificates}/`));
  const texts = found
    .filter((file) => existsSync(file) && statSync(file).isFile())
    .map((file) => readFileSync(file, 'utf8'));
  return [...getCACertificates('default'), ...texts].join('\n');
}

/** Names as Go has them, each with all of its values: conditions look them up so. */
function canonical(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase().replace(/(^|-)([a-z])/g, (all) => all.toUpperCase()),
      [value ?? []].flat(),
    ]),
  );
}

async function bounded(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > largestAnswer) throw new Error(`the answer has more than ${largestAnswer} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
