import { BYTES, DYN, listOf, STRING, type Type } from '../language/types.ts';
import { isList, isMap, Opaque, Optional, type Value } from '../language/values.ts';
import { type Argument, kubernetesEstimate, standardEstimate } from './call-estimate.ts';
import { exactly, TRAVERSAL } from './range.ts';

/** What an evaluation has cost. */
export class CostMeter {
  spent = 0;
}

const AGGREGATES = new Set(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf']);

/** What a call of a function with these values costs, by the rules of cel-go and of Kubernetes' libraries. */
export function actualCost(name: string, method: boolean, values: readonly Value[]): number {
  if (AGGREGATES.has(name)) return traversal(values[0] as Value);
  const args = values.map(argument);
  const target = method ? args[0] : undefined;
  const rest = method ? args.slice(1) : args;
  const known = kubernetesEstimate(name, target, rest);
  return (
    known ??
    standardEstimate(
      name,
      args.map(({ type }) => type),
      target,
      rest,
    )
  ).cost.max;
}

function argument(value: Value): Argument {
  return { type: typeOf(value), size: exactly(sizeOf(value)), literal: undefined, items: undefined };
}

function typeOf(value: Value): Type {
  if (typeof value === 'string') return STRING;
  if (value instanceof Uint8Array) return BYTES;
  if (value instanceof Opaque) return { kind: 'opaque', name: value.type, parameters: [] };
  return isList(value) ? listOf(DYN) : DYN;
}

/** Characters of texts, elements of lists and maps; one for all else. */
function sizeOf(value: Value): number {
  if (typeof value === 'string' || isList(value) || value instanceof Uint8Array) return value.length;
  if (isMap(value)) return value.size;
  return value instanceof Optional && value.value !== undefined ? sizeOf(value.value) : 1;
}

function traversal(value: Value): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return Math.trunc(value.length * TRAVERSAL);
  if (isList(value)) return value.reduce((sum: number, item) => sum + traversal(item), 0);
  if (isMap(value)) return [...value].reduce((sum, [key, item]) => sum + traversal(key) + traversal(item), 0);
  return 1;
}
