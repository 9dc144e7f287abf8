import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { type ServerContext, StatusError } from '@tiphys/apimachinery';
import { requestUrl } from '@tiphys/inbound';
import { endToEnd } from '../aggregation/relay.ts';
import { headOf, join } from '../http/upgrade.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { type KubeletAddress, kubeletOf } from './pod-log.ts';
import { answerProxied } from './proxy-answer.ts';
import { type ProxyTarget, targetOf } from './proxy-target.ts';

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
  const url = requestUrl(request);
  const [, base = '', path = ''] = /^(.*?\/proxy)(?=\/|$)(.*)$/.exec(url.pathname) ?? [];
  const upgrade = headOf(request) !== undefined;
  if (!upgrade && !path && (request.method === 'GET' || request.method === 'HEAD')) {
    response.writeHead(301, { location: `${url.pathname}/${url.search}`, 'content-length': 0 }).end();
    return;
  }
  const address = await addressOf(server, target);
  const asked = { ...target.client, ...address, scheme: target.scheme, path: `${path}${url.search}` };
  const hosts = [hostAndPort(target), request.headers.host];
  const answer = await (upgrade ? askForUpgrade(request, asked, response) : ask(request, asked, response));
  if (answer) await answerProxied(answer, response, { prefix: base, hosts });
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
function isProcess(kubelet: KubeletAddress, namespace: string, name: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const call = httpsRequest({
      ...kubelet,
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
    call.once('error', (error) => reject(unreachable(`dial tcp ${hostAndPort(kubelet)}: ${error.message}`)));
    call.end();
  });
}

interface Asked extends Address {
  readonly scheme: string;
  readonly path: string;
}

function call(request: IncomingMessage, { scheme, ...address }: Asked, headers: OutgoingHttpHeaders): ClientRequest {
  const make = scheme === 'https' ? httpsRequest : httpRequest;
  const { pathname } = requestUrl(request);
  const all = { ...headers, 'x-forwarded-uri': pathname };
  return make({ ...address, method: request.method, headers: all, agent: false, rejectUnauthorized: false });
}

function ask(request: IncomingMessage, asked: Asked, response: ServerResponse): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asking = call(request, asked, endToEnd(request.headers));
    asking.once('response', resolve);
    asking.once('error', (error) => reject(unreachable(`dial tcp ${hostAndPort(asked)}: ${error.message}`)));
    response.once('close', () => asking.destroy());
    request.pipe(asking);
  });
}

/** Joins the client with what it asks for an upgrade; the answer, where that is a refusal. */
function askForUpgrade(
  request: IncomingMessage,
  asked: Asked,
  response: ServerResponse,
): Promise<IncomingMessage | undefined> {
  const { authorization: _, host: __, ...headers } = request.headers;
  return new Promise((resolve, reject) => {
    const asking = call(request, asked, headers);
    asking.once('upgrade', (head, socket, first) => {
      response.once('close', () => resolve(undefined));
      join(request, response, { head, socket, first });
    });
    asking.once('response', (answer) => {
      const code = answer.statusCode ?? 500;
      if (code >= 400) resolve(answer);
      else reject(new StatusError(500, '', `invalid upgrade response: status code ${code}`));
    });
    asking.once('error', (error) =>
      reject(new StatusError(500, '', `error dialing backend: dial tcp ${hostAndPort(asked)}: ${error.message}`)),
    );
    asking.end();
  });
}
