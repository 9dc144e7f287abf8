import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { badRequest, StatusError, unsupported } from '@tiphys/apimachinery';
import { headOf, type Joined, join } from '../http/upgrade.ts';
import { requireItem } from '../write/write.ts';
import { containerOf, type KubeletAddress, kubeletOf, type PodSpec } from './pod-log.ts';
import type { SubresourceRequest } from './subresource-request.ts';

/** `pods/exec`, `attach` and `portforward`: relays the connection to the kubelet of the pod's node. */
export async function podStream({ operation, query, request, response }: SubresourceRequest): Promise<undefined> {
  const { server, info } = operation;
  const spec = requireItem(operation).object.spec as PodSpec;
  if (!headOf(request))
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
