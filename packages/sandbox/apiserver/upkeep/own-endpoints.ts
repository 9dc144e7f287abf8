import { isIP } from 'node:net';
import type { ServerContext } from '@tiphys/apimachinery';
import { keep } from './ensure.ts';

/**
 * Keeps the endpoints of the service `kubernetes` at where this server listens, as kube-apiserver's reconciler does. They
 * may be on the loopback, which no client could write.
 */
export function announce(server: ServerContext, host: string, port: number): void {
  const ip = isIP(host) && !['0.0.0.0', '::'].includes(host) ? host : '127.0.0.1';
  const metadata = { name: 'kubernetes', namespace: 'default' };
  const ports = [{ name: 'https', port, protocol: 'TCP' }];
  keep(server, '', 'v1', 'endpoints', {
    apiVersion: 'v1',
    kind: 'Endpoints',
    metadata: { ...metadata, labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
    subsets: [{ addresses: [{ ip }], ports }],
  });
  keep(server, 'discovery.k8s.io', 'v1', 'endpointslices', {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'kubernetes' } },
    addressType: isIP(ip) === 6 ? 'IPv6' : 'IPv4',
    endpoints: [{ addresses: [ip], conditions: { ready: true } }],
    ports,
  });
}
