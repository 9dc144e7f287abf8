import { X509Certificate } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import type { ClientConfig, ServerContext } from '@tiphys/apimachinery';
import { serviceAddress } from './service-address.ts';
import { connectionFailure } from './webhook-failure.ts';

/** A webhook that could not be asked, or gave no answer that can be used; the words are the API server's. */
export class WebhookCallError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WebhookCallError';
  }
}

export interface WebhookCall {
  readonly config: ClientConfig;
  readonly body: unknown;
  readonly timeoutSeconds: number | undefined;
  readonly userAgent?: string;
}

/** Bytes of an answer: a patch of the largest object, several times. */
const largestAnswer = 16 * 1024 * 1024;

/** Sends a review to a webhook and gives what it answers, parsed; throws WebhookCallError. */
export async function callWebhook(server: ServerContext, call: WebhookCall): Promise<unknown> {
  const { config, timeoutSeconds } = call;
  const url = urlOf(config);
  if (timeoutSeconds !== undefined) url.searchParams.set('timeout', `${timeoutSeconds}s`);
  const shown = `Post ${JSON.stringify(config.service ? url.href.replace(url.host, `${url.hostname}:${config.service.port ?? 443}`) : url.href)}`;
  const target = config.service
    ? serviceAddress(server, config.service)
    : { host: url.hostname, port: Number(url.port || 443) };
  if ('problem' in target) throw new WebhookCallError(`failed to call webhook: ${shown}: ${target.problem}`);
  const { code, text } = await post(server, call, { url, target, shown });
  if (code < 200 || code > 206) throw new WebhookCallError(`failed to call webhook: ${failureOf(code, text)}`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new WebhookCallError(`failed to call webhook: couldn't get version/kind; json parse error: ${error.message}`);
  }
}

function urlOf({ url, service }: ClientConfig): URL {
  if (url !== undefined) return new URL(url);
  const path = service?.path ?? '/';
  return new URL(
    `https://${service?.name}.${service?.namespace}.svc:${service?.port ?? 443}${path.startsWith('/') ? path : `/${path}`}`,
  );
}

interface Target {
  readonly url: URL;
  readonly target: { host: string; port: number };
  readonly shown: string;
}

function post(
  server: ServerContext,
  { config, body, timeoutSeconds = 30, userAgent = 'kube-apiserver-admission' }: WebhookCall,
  { url, target, shown }: Target,
): Promise<{ code: number; text: string }> {
  const ca = config.caBundle ? Buffer.from(config.caBundle, 'base64').toString() : undefined;
  const payload = Buffer.from(JSON.stringify(body));
  const serverName = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return new Promise((resolve, reject) => {
    let certificate: PeerCertificate | undefined;
    const signal = AbortSignal.timeout(timeoutSeconds * 1000);
    const fail = (error: NodeJS.ErrnoException) => {
      const cause = signal.aborted ? Object.assign(new Error('timeout'), { name: 'TimeoutError' }) : error;
      const failed = {
        address: `${target.host}:${target.port}`,
        serverName,
        certificate: certificate ?? (error as { cert?: PeerCertificate }).cert,
        authorities: subjects(ca),
        now: server.clock.now(),
      };
      reject(new WebhookCallError(`failed to call webhook: ${shown}: ${connectionFailure(cause, failed)}`));
    };
    const request = httpsRequest(
      {
        method: 'POST',
        host: target.host.replace(/^\[(.*)\]$/, '$1'),
        port: target.port,
        path: `${url.pathname}${url.search}`,
        servername: isIP(serverName) ? '' : serverName,
        ...(ca === undefined ? {} : { ca }),
        agent: false,
        signal,
        headers: {
          host: url.host,
          accept: 'application/json, */*',
          'content-type': 'application/json',
          'content-length': payload.length,
          'user-agent': userAgent,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > largestAnswer) request.destroy(new Error(`the answer is longer than ${largestAnswer} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => resolve({ code: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
      },
    );
    request.on('socket', (socket) => {
      // Node forgets a certificate that it refuses as soon as it has said so.
      const tls = socket as TLSSocket;
      tls.prependOnceListener('secure', () => {
        certificate = tls.getPeerCertificate();
      });
    });
    request.on('error', fail);
    request.end(payload);
  });
}

/** Common names of the authorities in a bundle. */
function subjects(bundle: string | undefined): string[] {
  const blocks = bundle?.match(/-----BEGIN CERTIFICATE-----(?:(?!-----)[\s\S])*-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return new X509Certificate(block).subject
        .split('\n')
        .flatMap((line) => (line.startsWith('CN=') ? [line.slice(3)] : []));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code) return [];
      throw error;
    }
  });
}

/** How client-go reports an answer that is no success. */
function failureOf(code: number, text: string): string {
  const message = statusMessage(text);
  if (message !== undefined) return message;
  switch (code) {
    case 400:
      return 'the server rejected our request for an unknown reason';
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return `forbidden: ${text.trim() || 'the server refused'}`;
    case 404:
      return 'the server could not find the requested resource';
    case 405:
      return 'the server does not allow this method on the requested resource';
    case 409:
      return 'the server reported a conflict';
    case 429:
      return 'the server has received too many requests and has asked us to try again later';
    case 503:
      return 'the server is currently unable to handle the request';
    case 504:
      return 'the server was unable to return a response in the time allotted, but may still be processing the request';
    default:
      if (code >= 500)
        return `an error on the server (${JSON.stringify(text.trim() || 'unknown')}) has prevented the request from succeeding`;
      return `the server responded with the status code ${code} but did not return more information`;
  }
}

function statusMessage(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as { kind?: string; message?: string } | null;
    return value?.kind === 'Status' ? value.message : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
