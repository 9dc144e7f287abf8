import { isIP } from 'node:net';
import { badRequest, notFound, type ServerContext, StatusError } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { RequestInfo } from '../request/request-info.ts';
import { kubeletOf } from './pod-log.ts';

/** What a proxied request goes to. */
export interface ProxyTarget {
  readonly scheme: string;
  readonly host: string;
  readonly port: number;
  /** What this server shows to a kubelet; none for anything else. */
  readonly client?: { readonly key: string; readonly cert: string };
  /** The pod that has the address; none for nodes. */
  readonly pod?: { readonly namespace: string; readonly name: string; readonly nodeName: string | undefined };
}

interface Pod extends KubeObject {
  spec: { nodeName?: string; containers: { ports?: { containerPort: number }[] }[] };
  status?: { podIP?: string; podIPs?: { ip: string }[] };
}

interface Endpoints extends KubeObject {
  subsets?: {
    addresses?: { ip: string; targetRef?: { kind?: string; name?: string; namespace?: string } }[];
    ports?: { name?: string; port: number }[];
  }[];
}

/** Finds what `name`, `name:port` or `scheme:name:port` stands for, with the API server's errors. */
export function targetOf(server: ServerContext, info: RequestInfo): ProxyTarget {
  const kind = info.plural.replace(/s$/, '');
  const parts = info.name.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', ...parts, ''];
  if (parts.length > 3 || !name || !['', 'http', 'https'].includes(scheme as string))
    throw badRequest(`invalid ${kind} request ${JSON.stringify(info.name)}`);
  const asked = { scheme: scheme || 'http', name, port: port ?? '' };
  if (info.plural === 'nodes') return nodeTarget(server, asked);
  if (info.plural === 'pods') return podTarget(server, info.namespace, asked);
  return serviceTarget(server, info, asked);
}

interface Asked {
  readonly scheme: string;
  readonly name: string;
  readonly port: string;
}

function find<T extends KubeObject>(server: ServerContext, plural: string, namespace: string, name: string): T {
  const item = server.store.collection(plural).get(namespace ? `${namespace}/${name}` : name);
  if (!item) throw notFound({ group: '', name: plural === 'endpoints' ? 'services' : plural }, name);
  return item.object as T;
}

function nodeTarget(server: ServerContext, { name, port }: Asked): ProxyTarget {
  find(server, 'nodes', '', name);
  const kubelet = kubeletOf(server, name);
  const target = { scheme: 'https', host: kubelet.host, port: port ? Number(port) : kubelet.port };
  return target.port === kubelet.port ? { ...target, client: server.kubeletClient } : target;
}

function podTarget(server: ServerContext, namespace: string, { scheme, name, port }: Asked): ProxyTarget {
  const pod = find<Pod>(server, 'pods', namespace, name);
  const first = pod.spec.containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort))[0];
  const host = pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '';
  if (!isIP(host) || /^(127\.|169\.254\.|0\.|22[4-9]\.|::1$|fe80:)/.test(host)) throw badRequest('address not allowed');
  const number = Number(port || first || (scheme === 'https' ? 443 : 80));
  return { scheme, host, port: number, pod: { namespace, name, nodeName: pod.spec.nodeName } };
}

function serviceTarget(server: ServerContext, { namespace, name: id }: RequestInfo, asked: Asked): ProxyTarget {
  const { scheme, name, port } = asked;
  let wanted = port;
  if (/^\d+$/.test(port)) {
    const { ports = [] } = find(server, 'services', namespace, name).spec as coreV1.ServiceSpec;
    const found = ports.find((one) => one.port === Number(port));
    if (!found) throw unavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
    wanted = found.name ?? '';
  }
  const { subsets = [] } = find<Endpoints>(server, 'endpoints', namespace, name);
  if (!subsets.length) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  for (const { addresses = [], ports = [] } of subsets) {
    const named = ports.find((one) => (one.name ?? '') === wanted);
    const address = named && addresses.find(({ targetRef }) => targetRef?.kind === 'Pod');
    if (!named || !address?.targetRef?.name) continue;
    const { name: pod } = address.targetRef;
    const nodeName = (server.store.collection('pods').get(`${namespace}/${pod}`)?.object as Pod | undefined)?.spec
      .nodeName;
    return { scheme, host: address.ip, port: named.port, pod: { namespace, name: pod, nodeName } };
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(id)}`);
}

const unavailable = (message: string) => new StatusError(503, 'ServiceUnavailable', message);
