import { formatSelector } from '@tiphys/apimachinery';
import { ageOf, type KubeObject, type LabelSelector } from '@tiphys/kubernetes';
import { at, listAt, numberAt } from './cell-values.ts';

/** Cells of a row of a table, of an object as it is stored; `now` in milliseconds since the epoch. */
export type Cells = (object: KubeObject, now: number) => unknown[];

export const age = (object: KubeObject, now: number): string => ageOf(object.metadata.creationTimestamp, now);

export const name = (object: KubeObject): string | undefined => object.metadata.name;

/** Names and images of a template's containers. */
export function containers(object: unknown, path: string): [string, string] {
  const list = listAt<{ name: string; image?: string }>(object, path);
  return [list.map((container) => container.name).join(','), list.map(({ image = '' }) => image).join(',')];
}

export function selector(object: unknown, path = 'spec.selector'): string {
  return formatSelector(at(object, path) as LabelSelector | undefined);
}

export const TEMPLATE = 'spec.template.spec.containers';

export const replicaCells: Cells = (o, now) => [
  name(o),
  numberAt(o, 'spec.replicas'),
  numberAt(o, 'status.replicas'),
  numberAt(o, 'status.readyReplicas'),
  age(o, now),
];

export function balancerText(o: KubeObject): string {
  const found = listAt<{ ip?: string; hostname?: string }>(o, 'status.loadBalancer.ingress').map(
    ({ ip, hostname }) => ip || hostname || '',
  );
  return [...new Set(found.filter(Boolean))].sort().join(',');
}

export const nameAndAge: Cells = (object, now) => [name(object), age(object, now)];

export const nameAndCreation: Cells = (object) => [name(object), object.metadata.creationTimestamp];
