import type { Strategy } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import type { BuiltinKind } from '../shared/built-in-kind.ts';
import { listAt, shortList } from '../shared/cell-values.ts';
import { age, name } from '../shared/cells.ts';
import { ipWarnings } from '../shared/ip-addresses.ts';
import { plain } from '../shared/plain.ts';
import { validateEndpoints } from './endpoints-validation.ts';

interface Subset {
  addresses?: { ip?: string }[];
  notReadyAddresses?: { ip?: string }[];
}

export const endpoints: Strategy = {
  metaRulesOnUpdate: true,
  ...plain,
  createOnUpdate: true,
  defaults(object) {
    for (const subset of (object.subsets ?? []) as coreV1.EndpointSubset[])
      for (const port of subset.ports ?? []) port.protocol ??= 'TCP';
  },
  validate: validateEndpoints,
  warnings: ({ subsets }) =>
    ((subsets ?? []) as Subset[]).flatMap((subset, index) =>
      (['addresses', 'notReadyAddresses'] as const).flatMap((list) =>
        (subset[list] ?? []).flatMap(({ ip = '' }, position) =>
          ipWarnings(`subsets[${index}].${list}[${position}].ip`, ip),
        ),
      ),
    ),
};

export function endpointList(o: KubeObject): string {
  const subsets = listAt(o, 'subsets');
  const all = subsets.flatMap((subset) => {
    const addresses = listAt<{ ip: string }>(subset, 'addresses');
    const ports = listAt<{ port: number }>(subset, 'ports');
    if (!ports.length) return addresses.map(({ ip }) => ip);
    return ports.flatMap(({ port }) =>
      addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
    );
  });
  if (!subsets.length) return '<none>';
  return all.length ? shortList(all, 3) : '';
}

export const endpointsKind: BuiltinKind = {
  strategy: endpoints,
  cells: (o, now) => [name(o), endpointList(o), age(o, now)],
};
