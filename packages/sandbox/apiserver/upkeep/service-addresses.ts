import { isIP } from 'node:net';
import { follow, type ServerContext, timestamp } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { ensure } from './ensure.ts';

const GROUP = 'networking.k8s.io';
const OWN = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };

/** Makes the ServiceCIDR that a fresh cluster has, and keeps an IPAddress for every address of a service, as the allocator does. */
export function keepServiceAddresses(server: ServerContext): void {
  const { store, clock } = server;
  ensure(server, GROUP, 'v1', 'servicecidrs', {
    apiVersion: `${GROUP}/v1`,
    kind: 'ServiceCIDR',
    metadata: { name: 'kubernetes' },
    spec: { cidrs: ['10.96.0.0/16'] },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          lastTransitionTime: timestamp(clock),
          reason: '',
          message: 'Kubernetes default Service CIDR is ready',
        },
      ],
    },
  });
  const services = store.collection('services');
  for (const key of services.keys()) keep(server, services.get(key)?.object, undefined);
  follow(store, 'services', ({ type, item, previous }) =>
    keep(server, type === 'DELETED' ? undefined : item.object, type === 'DELETED' ? item.object : previous?.object),
  );
}

function keep(server: ServerContext, service: KubeObject | undefined, before: KubeObject | undefined): void {
  const present = addressesOf(service);
  const { store } = server;
  const addresses = store.collection(`${GROUP}/ipaddresses`);
  for (const address of addressesOf(before)) if (!present.includes(address)) forget(address);
  const { name, namespace } = service?.metadata ?? {};
  for (const address of present)
    ensure(server, GROUP, 'v1', 'ipaddresses', {
      apiVersion: `${GROUP}/v1`,
      kind: 'IPAddress',
      metadata: { name: address, labels: { 'ipaddress.kubernetes.io/ip-family': `IPv${isIP(address)}`, ...OWN } },
      spec: { parentRef: { resource: 'services', namespace, name } },
    });

  function forget(address: string): void {
    const { labels = {} } = addresses.get(address)?.object.metadata ?? {};
    if (labels['ipaddress.kubernetes.io/managed-by'] === OWN['ipaddress.kubernetes.io/managed-by'])
      store.remove(addresses, address);
  }
}

function addressesOf(service: KubeObject | undefined): string[] {
  const { clusterIPs = [] } = (service?.spec ?? {}) as coreV1.ServiceSpec;
  return clusterIPs.filter((address) => isIP(address));
}
