import type { KubeObject } from '@tiphys/kubernetes';
import { ageOf } from './age.ts';

type Cells = (object: KubeObject, now: number) => unknown[];

/** The cells of a table row, in the order of the resource's columns. */
export function cellsOf(_group: string, _plural: string): Cells {
  return (object, now) => [object.metadata.name, ageOf(object.metadata.creationTimestamp, now)];
}
