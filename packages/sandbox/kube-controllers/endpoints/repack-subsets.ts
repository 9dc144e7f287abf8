import { createHash } from 'node:crypto';
import { dumpGo } from '../template-hash/go-dump.ts';

export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: { kind?: string; namespace?: string; name?: string; uid?: string };
}

export interface EndpointPort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
}

export interface EndpointSubset {
  addresses?: EndpointAddress[];
  notReadyAddresses?: EndpointAddress[];
  ports?: EndpointPort[];
}

interface Placed {
  address: EndpointAddress;
  ready: boolean;
}

/**
 * The subsets in the order and the form that kube-controller-manager gives them (`RepackSubsets`): addresses that
 * offer the same ports stand together, one that is not ready anywhere is not ready, and all is sorted.
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] {
  const byPort = new Map<string, { port: EndpointPort | undefined; placed: Map<string, Placed> }>();
  for (const { addresses, notReadyAddresses, ports } of subsets)
    for (const port of ports?.length ? ports : [undefined]) {
      const key = JSON.stringify(port && [port.name, port.port, port.protocol, port.appProtocol]) ?? '';
      const { placed } = byPort.get(key) ?? { placed: new Map<string, Placed>() };
      byPort.set(key, { port, placed });
      for (const address of addresses ?? []) place(placed, address, true);
      for (const address of notReadyAddresses ?? []) place(placed, address, false);
    }
  const byAddresses = new Map<string, { ports: EndpointPort[]; placed: Placed[] }>();
  for (const { port, placed } of byPort.values()) {
    const sorted = [...placed].sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(sorted.map(([each, { ready }]) => [each, ready]));
    const group = byAddresses.get(key) ?? { ports: [], placed: sorted.map(([, each]) => each) };
    if (port) group.ports.push(port);
    byAddresses.set(key, group);
  }
  const packed = [...byAddresses.values()].map(({ ports, placed }): EndpointSubset => {
    const of = (ready: boolean) => placed.filter((each) => each.ready === ready).map(({ address }) => address);
    return {
      ...(of(true).length > 0 ? { addresses: of(true) } : {}),
      ...(of(false).length > 0 ? { notReadyAddresses: of(false) } : {}),
      ...(ports.length > 0 ? { ports: byHash('v1.EndpointPort', ports) } : {}),
    };
  });
  return byHash('v1.EndpointSubset', packed);
}

/** By address and who has it; not to be ready wins. */
function place(placed: Map<string, Placed>, address: EndpointAddress, ready: boolean): void {
  const key = `${address.ip}\n${address.targetRef?.uid ?? ''}`;
  const known = placed.get(key);
  placed.set(key, { address: known?.address ?? address, ready: ready && (known?.ready ?? true) });
}

function byHash<T>(type: string, items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, hash: createHash('md5').update(dumpGo(type, item)).digest('hex') }))
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .map(({ item }) => item);
}
