import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Log } from '../../ports/log.ts';
import type { HttpRequest, HttpResponse } from '../../transport/http-message.ts';

/** Bytes of a request to Dex; its forms are small. */
const maxBody = 1024 * 1024;
const timeout = 30_000;
/** Headers of one hop, and of HTTP/2. */
const dropped = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|:.*)$/;

/**
 * `/api/dex`: hands a request on to Dex (`https://argocd-dex-server:5556` by default), whose login pages are shown under our own
 * address. An internal error of Dex sends the browser to the login page, and its words to the log.
 */
export function dexProxy(dexServer: string, page: () => string, log: Log) {
  const target = new URL(dexServer);
  const send = target.protocol === 'https:' ? requestHttps : requestHttp;
  return (request: HttpRequest, response: HttpResponse): void => {
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => !dropped.test(name) && !/^(host|authorization)$/.test(name)),
    );
    const outgoing = send(
      new URL(request.url ?? '/', target),
      // its certificate is of its own making, and it is reached inside of the cluster
      { method: request.method, headers: { ...headers, host: target.host }, rejectUnauthorized: false, timeout },
      (answer) => {
        if (answer.statusCode === 500) return failed(answer);
        for (const [name, value] of Object.entries(answer.headers))
          if (value !== undefined && !dropped.test(name)) response.setHeader(name, value);
        response.statusCode = answer.statusCode ?? 502;
        answer.pipe(response as NodeJS.WritableStream);
      },
    );
    const failed = (answer: NodeJS.ReadableStream) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => {
        if (text.length < 4096) text += chunk.toString('utf8');
      });
      answer.on('end', () => {
        log('error', 'Dex failed', { answer: text.slice(0, 4096) });
        response.statusCode = 303;
        response.setHeader('Location', `${page().replace(/(?<!\/)\/+$/, '')}/login?has_sso_error=true`);
        response.end();
      });
    };
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${timeout / 1000} s`)));
    outgoing.on('error', (error) => {
      log('error', 'Dex cannot be reached', { server: dexServer, error: error.message });
      if (response.headersSent) return void response.end();
      response.statusCode = 502;
      response.setHeader('Content-Type', 'text/plain; charset=utf-8');
      response.end(`Dex cannot be reached at ${target.host}: ${error.message}\n`);
    });
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBody) outgoing.destroy(new Error('the request is too large'));
      else outgoing.write(chunk);
    });
    request.on('end', () => outgoing.end());
    response.on('close', () => outgoing.destroy());
  };
}
