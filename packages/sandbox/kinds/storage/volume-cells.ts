import type { KubeObject } from '@tiphys/kubernetes';
import { textAt } from '../shared/cell-values.ts';

const MODES: Record<string, string> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export function accessModes(modes: unknown): string {
  const present = Array.isArray(modes) ? (modes as string[]) : [];
  return Object.keys(MODES)
    .filter((mode) => present.includes(mode))
    .map((mode) => MODES[mode])
    .join(',');
}

export function storageClassOf(o: KubeObject): string {
  return o.metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? textAt(o, 'spec.storageClassName');
}
