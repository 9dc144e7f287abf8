import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Clock } from '@tiphys/kubernetes';
import { guarded, isProxied } from '@tiphys/outbound';
import type { Credentials } from '../repository/credentials.ts';

export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly bytes: Buffer;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Proxy, authorities, client certificate and `insecure` are honoured; the rest is the caller's header. */
  readonly credentials: Credentials;
  /** Sent as it is; none if absent. */
  readonly body?: string;
  readonly clock: Clock;
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Goes on with a certificate that is not accepted: only to learn about it, never with a secret. */
  readonly anyCertificate?: boolean;
  /** Bytes of the answer's body; 64 kB if absent. What is longer is cut off. */
  readonly maxBody?: number;
}

const maxBody = 64 * 1024;

/** One HTTP request; redirects are not followed. Rejects with Node's error if there is no answer. */
export async function httpRequest(options: HttpRequest): Promise<HttpAnswer> {
  const { credentials } = options;
  const finished = new AbortController();
  const signal = AbortSignal.any([finished.signal, ...(options.signal ? [options.signal] : [])]);
  const secure = options.url.startsWith('https:');
  const proxyEnv = credentials.proxy
    ? { HTTP_PROXY: credentials.proxy, HTTPS_PROXY: credentials.proxy, NO_PROXY: credentials.noProxy ?? '' }
    : {
        HTTP_PROXY: process.env.HTTP_PROXY ?? process.env.http_proxy ?? '',
        HTTPS_PROXY: process.env.HTTPS_PROXY ?? process.env.https_proxy ?? '',
        NO_PROXY: process.env.NO_PROXY ?? process.env.no_proxy ?? '',
      };
  const tls = {
    rejectUnauthorized: !(credentials.insecure || options.anyCertificate),
    ...(credentials.ca ? { ca: credentials.ca } : {}),
    ...(credentials.tlsClientCertData && credentials.tlsClientCertKey
      ? { cert: credentials.tlsClientCertData, key: credentials.tlsClientCertKey }
      : {}),
  };
  const usable = Object.fromEntries(
    Object.entries(proxyEnv).filter(([, value]) => /^https?:/.test(value) || !value.includes('://')),
  );
  const proxied = isProxied(options.url, usable);
  const agent = secure ? new HttpsAgent({ ...tls, proxyEnv: usable }) : new HttpAgent({ proxyEnv: usable });
  try {
    const timedOut = options.clock.sleep(options.timeout, signal).then(() => {
      throw Object.assign(new Error(`no answer within ${options.timeout / 1000} s`), { code: 'ETIMEDOUT' });
    });
    return await Promise.race([send(options, { agent, secure, proxied }, signal), timedOut]);
  } finally {
    finished.abort();
    agent.destroy();
  }
}

function send(
  options: HttpRequest,
  { agent, secure, proxied }: { agent: HttpAgent; secure: boolean; proxied: boolean },
  signal: AbortSignal,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const request = (secure ? requestHttps : requestHttp)(options.url, {
      method: options.method,
      headers: { ...options.headers },
      agent,
      ...guarded(options.url, proxied),
      signal,
    });
    request.on('error', reject);
    request.on('response', (response) => {
      const limit = options.maxBody ?? maxBody;
      const chunks: Buffer[] = [];
      let length = 0;
      const done = () => {
        const bytes = Buffer.concat(chunks).subarray(0, limit);
        const headers = flatten(response.headers);
        resolve({ status: response.statusCode ?? 0, headers, body: bytes.toString('utf8'), bytes });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > limit) {
          done();
          response.destroy();
        }
      });
      response.on('end', done);
      response.on('error', reject);
    });
    request.end(options.body);
  });
}

function flatten(headers: NodeJS.Dict<string | string[]>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}
