import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { endToEnd } from '../aggregation/relay.ts';
import type { ServerContext } from '../machinery/server-context.ts';
import { StatusError } from '../machinery/status.ts';
import { kubeletOf } from './pod-log.ts';
import { type ProxyTarget, targetOf } from './proxy-target.ts';
import type { RequestInfo } from './request-info.ts';

/**
 * `pods/proxy`, `services/proxy` and `nodes/proxy`: relays a request to what listens there. Pods listen where they are
 * processes, on this machine's loopback; simulated ones refuse connections.
 */
export async function proxy(
  server: ServerContext,
  info: RequestInfo,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = targetOf(server, info);
  const url = new URL(request.url ?? '/', 'http://server');
  const [, base = '', path = ''] = /^(.*?\/proxy)(?=\/|$)(.*)$/.exec(url.pathname) ?? [];
  if (!path && (request.method === 'GET' || request.method === 'HEAD')) {
    response.writeHead(301, { location: `${url.pathname}/${url.search}`, 'content-length': 0 }).end();
    return;
  }
  const address = await addressOf(server, target);
  const answer = await ask(request, { ...address, scheme: target.scheme, path: `${path}${url.search}` }, response);
  const headers = endToEnd(answer.headers);
  // Links of the server behind lead through the proxy again.
  if (headers.location?.toString().startsWith('/')) headers.location = `${base}${headers.location}`;
  response.writeHead(answer.statusCode ?? 502, headers);
  response.flushHeaders();
  answer.on('error', () => response.destroy());
  answer.pipe(response);
  await new Promise((resolve) => response.once('close', resolve));
}

interface Address {
  readonly host: string;
  readonly port: number;
}

async function addressOf(server: ServerContext, target: ProxyTarget): Promise<Address> {
  if (!target.pod) return { host: target.host, port: target.port };
  const { namespace, name, nodeName } = target.pod;
  const listens = nodeName !== undefined && (await isProcess(kubeletOf(server, nodeName), namespace, name));
  if (!listens) throw unreachable(`dial tcp ${hostAndPort(target)}: connect: connection refused`);
  return { host: '127.0.0.1', port: target.port };
}

const hostAndPort = ({ host, port }: Address) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;

const unreachable = (why: string) =>
  new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${why}`);

/** Whether the pod's kubelet would forward its ports: then the processes of the pod listen on this machine. */
function isProcess({ host, port }: Address, namespace: string, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = httpsRequest({
      host,
      port,
      path: `/portForward/${namespace}/${name}`,
      method: 'POST',
      headers: { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'portforward.k8s.io' },
      rejectUnauthorized: false,
      agent: false,
    });
    call.once('upgrade', (_, socket) => {
      socket.destroy();
      resolve(true);
    });
    call.once('response', (answer) => {
      answer.resume();
      resolve(false);
    });
    call.once('error', (error) => reject(unreachable(`dial tcp ${hostAndPort({ host, port })}: ${error.message}`)));
    call.end();
  });
}

function ask(
  request: IncomingMessage,
  target: Address & { readonly scheme: string; readonly path: string },
  response: ServerResponse,
): Promise<IncomingMessage> {
  const { scheme, ...address } = target;
  const make = scheme === 'https' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const headers = { ...endToEnd(request.headers), 'x-forwarded-uri': request.url ?? '/' };
    const call = make(
      { ...address, method: request.method, headers, agent: false, rejectUnauthorized: false },
      resolve,
    );
    call.once('error', (error) => reject(unreachable(`dial tcp ${hostAndPort(address)}: ${error.message}`)));
    response.once('close', () => call.destroy());
    request.pipe(call);
  });
}
