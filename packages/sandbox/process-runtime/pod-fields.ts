import type { Container, Pod } from '@tiphys/kube-controllers';
import { quantityValue } from '@tiphys/kubernetes';

export interface FieldRef {
  fieldPath: string;
}

export interface ResourceFieldRef {
  containerName?: string;
  resource: string;
  divisor?: string;
}

/** What the downward API tells of a pod: `metadata.labels['app']`, `status.podIP`, … ; throws for a path that it does not know. */
export function podField(pod: Pod, { fieldPath }: FieldRef): string {
  const { metadata, spec, status } = pod;
  const keyed = /^metadata\.(labels|annotations)\['(.*)'\]$/.exec(fieldPath);
  if (keyed) return metadata[keyed[1] as 'labels']?.[keyed[2] as string] ?? '';
  const known: Record<string, string | undefined> = {
    'metadata.name': metadata.name,
    'metadata.namespace': metadata.namespace,
    'metadata.uid': metadata.uid,
    'metadata.labels': quoted(metadata.labels),
    'metadata.annotations': quoted(metadata.annotations),
    'spec.nodeName': spec.nodeName,
    'spec.serviceAccountName': spec.serviceAccountName,
    'spec.restartPolicy': spec.restartPolicy,
    'status.podIP': status?.podIP,
    'status.podIPs': status?.podIPs?.map(({ ip }) => ip).join(','),
    'status.hostIP': status?.hostIP,
    'status.hostIPs': status?.hostIPs?.map(({ ip }) => ip).join(','),
  };
  if (!Object.hasOwn(known, fieldPath)) throw new Error(`unsupported fieldPath: ${fieldPath}`);
  return known[fieldPath] ?? '';
}

/** The value of a `resourceFieldRef`, rounded up to whole divisors. */
export function resourceField(
  pod: Pod,
  own: Container,
  { containerName, resource, divisor = '0' }: ResourceFieldRef,
): string {
  const all = [...pod.spec.containers, ...(pod.spec.initContainers ?? [])];
  const container = containerName ? all.find(({ name }) => name === containerName) : own;
  const [kind, name = ''] = resource.split('.') as ['limits' | 'requests', string?];
  const value = quantityValue(container?.resources?.[kind]?.[name] ?? '0');
  return String(Math.ceil(value / (quantityValue(divisor) || 1)));
}

function quoted(map: Record<string, string> | undefined): string {
  return Object.entries(map ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .join('\n');
}
