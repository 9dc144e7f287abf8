import type { IncomingMessage, ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { badRequest, StatusError, unsupported } from '@tiphys/apimachinery';
import { containerOf, type KubeletAddress, kubeletOf, type PodSpec } from './pod-log.ts';
import type { SubresourceRequest } from './subresource-request.ts';
import { requireItem } from './write.ts';

/** The bytes that came with the head of a request for an upgrade. */
const heads = new WeakMap<IncomingMessage, Buffer>();

/** A request for an upgrade, as the HTTP server hands it over. The answer goes to the socket through the response. */
export function rememberHead(request: IncomingMessage, head: Buffer): void {
  heads.set(request, head);
}

/** What came with the head of a request for an upgrade; undefined for other requests. */
export function headOf(request: IncomingMessage): Buffer | undefined {
  return heads.get(request);
}

/** `pods/exec`, `attach` and `portforward`: relays the connection to the kubelet of the pod's node. */
export async function podStream({ operation, query, request, response }: SubresourceRequest): Promise<undefined> {
  const { server, info } = operation;
  const spec = requireItem(operation).object.spec as PodSpec;
  if (!heads.has(request))
    throw badRequest(`you must specify at least 1 upgrade header: ${info.subresource} needs a WebSocket or SPDY/3.1`);
  if (!spec.nodeName) throw badRequest(`pod ${info.name} does not have a host assigned`);
  const upstream = await dial(request, { ...kubeletOf(server, spec.nodeName), path: pathOf(spec, { info, query }) });
  if ('answer' in upstream) throw await refusal(upstream.answer, info.subresource);
  join(request, response, upstream);
  return undefined;
}

function pathOf(
  spec: PodSpec,
  { info, query }: { info: { name: string; namespace: string; subresource: string }; query: URLSearchParams },
): string {
  const { name, namespace, subresource } = info;
  if (subresource === 'portforward') return `/portForward/${namespace}/${name}?${query}`;
  const container = containerOf(spec, name, query.get('container'));
  const on = (key: string) => ['1', 'true'].includes(query.get(key) ?? '');
  const parameters = new URLSearchParams();
  for (const [key, given] of [
    ['input', 'stdin'],
    ['output', 'stdout'],
    ['error', 'stderr'],
    ['tty', 'tty'],
  ] as const)
    if (on(given)) parameters.set(key, '1');
  if (parameters.size === 0) throw badRequest('you must specify at least one of stdin, stdout, stderr');
  if (subresource === 'exec' && !query.get('command'))
    throw badRequest('you must specify at least one command for the container');
  for (const word of query.getAll('command')) parameters.append('command', word);
  return `/${subresource}/${namespace}/${name}/${container}?${parameters}`;
}

/** A connection that has become something else than HTTP: the answer's head, the stream, and what came with the head. */
export interface Joined {
  head: IncomingMessage;
  socket: Duplex;
  first: Buffer;
}

function dial(
  request: IncomingMessage,
  kubelet: KubeletAddress & { path: string },
): Promise<Joined | { answer: IncomingMessage }> {
  const { authorization: _, host: __, ...headers } = request.headers;
  return new Promise((resolve, reject) => {
    const call = httpsRequest({
      ...kubelet,
      method: request.method,
      headers,
      rejectUnauthorized: false,
      agent: false,
    });
    call.once('upgrade', (head, socket, first) => resolve({ head, socket, first }));
    call.once('response', (answer) => resolve({ answer }));
    call.once('error', (error) =>
      reject(new StatusError(500, 'InternalError', `error dialing backend: ${error.message}`)),
    );
    call.end();
  });
}

async function refusal(answer: IncomingMessage, subresource: string): Promise<StatusError> {
  let text = '';
  for await (const chunk of answer) text += String(chunk);
  if (answer.statusCode === 501) return unsupported(`pods/${subresource}`, text);
  const code = answer.statusCode ?? 500;
  return new StatusError(code, code === 404 ? 'NotFound' : 'BadRequest', text);
}

/** From here on both sides are one stream of bytes. */
export function join(request: IncomingMessage, response: ServerResponse, { head, socket, first }: Joined): void {
  const client = request.socket;
  response.detachSocket(client);
  const lines = head.rawHeaders.flatMap((value, index, all) => (index % 2 ? [] : [`${value}: ${all[index + 1]}`]));
  client.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
  client.write(first);
  socket.write(heads.get(request) ?? Buffer.alloc(0));
  client.pipe(socket);
  socket.pipe(client);
  client.on('close', () => socket.destroy());
  // Whoever waits for the end of the answer learns of it.
  client.once('close', () => response.emit('close'));
  socket.on('close', () => client.destroySoon());
  for (const side of [client, socket]) side.on('error', () => side.destroy());
}
