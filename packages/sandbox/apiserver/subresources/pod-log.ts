import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { badRequest, type ServerContext, StatusError } from '@tiphys/apimachinery';
import type { Answer } from '../http/answer.ts';
import { requireItem } from '../write/write.ts';
import type { SubresourceRequest } from './subresource-request.ts';

const FORWARDED = ['follow', 'previous', 'sinceSeconds', 'sinceTime', 'timestamps', 'tailLines', 'limitBytes'];

export interface PodSpec {
  nodeName?: string;
  containers: { name: string }[];
  initContainers?: { name: string }[];
  ephemeralContainers?: { name: string }[];
}

/** GET of `pods/log`: relays the log from the kubelet of the pod's node, as the real server does. */
export async function podLog({ operation, query, request, response }: SubresourceRequest): Promise<Answer | undefined> {
  const { server, info } = operation;
  const spec = requireItem(operation).object.spec as PodSpec;
  const container = containerOf(spec, info.name, query.get('container'));
  if (!spec.nodeName) {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end();
    return undefined;
  }
  const kubelet = kubeletOf(server, spec.nodeName);
  const { host, port } = kubelet;
  const parameters = new URLSearchParams();
  for (const name of FORWARDED) {
    const value = query.get(name);
    if (value !== null) parameters.set(name, value);
  }
  const path = `/containerLogs/${info.namespace}/${info.name}/${container}${parameters.size ? `?${parameters}` : ''}`;
  const stop = new AbortController();
  response.on('close', () => stop.abort());
  const upstream = await ask({ ...kubelet, path, signal: stop.signal }).catch((error: unknown) => {
    throw new StatusError(
      500,
      '',
      `Get "https://${host}:${port}${path}": ${error instanceof Error ? error.message : String(error)}`,
    );
  });
  if (upstream.statusCode !== 200) throw await refusal(upstream, info.name, container);
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
  response.flushHeaders();
  request.resume();
  upstream.pipe(response);
  upstream.on('error', () => response.destroy());
  return undefined;
}

async function refusal(upstream: IncomingMessage, pod: string, container: string): Promise<StatusError> {
  let text = '';
  for await (const chunk of upstream) text += String(chunk);
  if (upstream.statusCode === 404)
    return new StatusError(404, 'NotFound', `the server could not find the requested resource ( pods/log ${pod})`, {});
  return badRequest(text.trim() || `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod)} has no log`);
}

export function containerOf(spec: PodSpec, pod: string, given: string | null): string {
  const main = spec.containers.map(({ name }) => name);
  const init = (spec.initContainers ?? []).map(({ name }) => name);
  const all = [...main, ...init, ...(spec.ephemeralContainers ?? []).map(({ name }) => name)];
  if (given) {
    if (!all.includes(given)) throw badRequest(`container ${given} is not valid for pod ${pod}`);
    return given;
  }
  if (all.length === 1) return all[0] as string;
  const inits = init.length ? ` or one of the init containers: [${init.join(' ')}]` : '';
  throw badRequest(`a container name must be specified for pod ${pod}, choose one of: [${main.join(' ')}]${inits}`);
}

/** Where a kubelet is reached, and what this server shows it. */
export interface KubeletAddress {
  readonly host: string;
  readonly port: number;
  readonly key: string;
  readonly cert: string;
}

export function kubeletOf(server: ServerContext, node: string): KubeletAddress {
  const object = server.store.collection('nodes').get(node)?.object;
  if (!object) throw new StatusError(500, '', `nodes "${node}" not found`);
  const status = object.status as
    | { addresses?: { type: string; address: string }[]; daemonEndpoints?: { kubeletEndpoint?: { Port?: number } } }
    | undefined;
  const order = ['InternalIP', 'Hostname', 'InternalDNS', 'ExternalDNS', 'ExternalIP'];
  const host = order.map((type) => status?.addresses?.find((address) => address.type === type)?.address).find(Boolean);
  if (!host)
    throw new StatusError(
      500,
      '',
      `no preferred addresses found; known addresses: ${JSON.stringify(status?.addresses ?? [])}`,
    );
  return { host, port: status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 10250, ...server.kubeletClient };
}

interface Ask extends KubeletAddress {
  path: string;
  signal: AbortSignal;
}

/** Kubelets speak TLS with certificates of their own; a simulated one may speak plain HTTP. */
async function ask(options: Ask): Promise<IncomingMessage> {
  try {
    return await get(httpsRequest, options);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (code !== 'EPROTO' && !code.startsWith('ERR_SSL') && code !== 'ECONNRESET') throw error;
    return get(httpRequest, options);
  }
}

function get(make: typeof httpRequest | typeof httpsRequest, options: Ask): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const settings: RequestOptions = { ...options, method: 'GET', rejectUnauthorized: false, agent: false };
    const call = make(settings, resolve);
    call.on('error', reject);
    call.end();
  });
}
