import { isIP } from 'node:net';
import type { ServerContext } from '../machinery/server-context.ts';
import { ensure } from './bootstrap.ts';

/**
 * Keeps the endpoints of the service `kubernetes` at where this server listens, as kube-apiserver's reconciler does. They
 * may be on the loopback, which no client could write.
 */
export function announce(server: ServerContext, host: string, port: number): void {
  const ip = isIP(host) && !['0.0.0.0', '::'].includes(host) ? host : '127.0.0.1';
  const metadata = { name: 'kubernetes', namespace: 'default' };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  tell(server, '', 'endpoints', {
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports }],
  });
  tell(server, 'discovery.k8s.io', 'endpointslices', {
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: isIP(ip) === 6 ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports,
  });
}

interface Whole {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Record<string, string> };
  readonly [field: string]: unknown;
}

function tell(server: ServerContext, group: string, plural: string, { metadata, ...content }: Whole): void {
  ensure(server, group, 'v1', plural, { kind: '', apiVersion: '', metadata, ...content });
  const collection = server.store.collection(group ? `${group}/${plural}` : plural);
  const known = collection.get(`${metadata.namespace}/${metadata.name}`)?.object;
  if (!known || JSON.stringify({ ...known, ...content }) === JSON.stringify(known)) return;
  server.store.put(collection, `${metadata.namespace}/${metadata.name}`, { ...known, ...content });
}
