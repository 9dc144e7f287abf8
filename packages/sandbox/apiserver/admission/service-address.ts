import type { ClientConfig, ServerContext } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';

interface Port {
  name?: string;
  port: number;
  targetPort?: number | string;
}

interface Endpoints extends KubeObject {
  subsets?: { addresses?: { ip: string }[]; ports?: Port[] }[];
}

interface Slice extends KubeObject {
  endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[];
  ports?: { name?: string; port?: number }[];
}

/**
 * Where a service is reached from this process: at an endpoint that is ready, for cluster IPs lead nowhere outside of a
 * cluster network; or at an external name. Else the problem, in the API server's words.
 */
export function serviceAddress(
  { store }: ServerContext,
  reference: NonNullable<ClientConfig['service']>,
): { host: string; port: number } | { problem: string } {
  const { name = '', namespace = '', port = 443 } = reference;
  const key = `${namespace}/${name}`;
  const service = store.collection('services').get(key)?.object;
  if (!service) return { problem: `service ${JSON.stringify(name)} not found` };
  const spec = service.spec as coreV1.ServiceSpec;
  if (spec.type === 'ExternalName') return { host: spec.externalName ?? '', port };
  const found = spec.ports?.find((candidate) => candidate.port === port);
  if (!found) return { problem: `no service port ${port} found for service ${JSON.stringify(name)}` };
  for (const slice of slicesOf(store, namespace, name)) {
    const target = slice.ports?.find((candidate) => (candidate.name ?? '') === (found.name ?? ''));
    const endpoint = slice.endpoints?.find(({ conditions }) => conditions?.ready !== false);
    if (target?.port && endpoint?.addresses[0]) return { host: endpoint.addresses[0], port: target.port };
  }
  const endpoints = store.collection('endpoints').get(key)?.object as Endpoints | undefined;
  for (const { addresses = [], ports = [] } of endpoints?.subsets ?? []) {
    const target = ports.find((candidate) => (candidate.name ?? '') === (found.name ?? ''));
    if (target && addresses[0]) return { host: addresses[0].ip, port: target.port };
  }
  return { problem: `no endpoints available for service ${JSON.stringify(name)}` };
}

function* slicesOf(store: ServerContext['store'], namespace: string, name: string): Generator<Slice> {
  const collection = store.collection('discovery.k8s.io/endpointslices');
  for (const key of collection.keys()) {
    if (!key.startsWith(`${namespace}/`)) continue;
    const slice = collection.get(key)?.object as Slice;
    if (slice.metadata.labels?.['kubernetes.io/service-name'] === name) yield slice;
  }
}
