import type { Overload } from './functions.ts';
import { BOOL, INT, listOf, mapOf, type Type } from './types.ts';

const parameter = (name: string): Type => ({ kind: 'parameter', name });
const shape = (name: string, args: Type[], result: Type): Overload => ({
  name,
  method: false,
  args,
  result,
  run: () => null,
});
/** Of `?:`. */
export const CONDITIONAL = [shape('_?_:_', [BOOL, parameter('A'), parameter('A')], parameter('A'))];
/** Of `[]`. */
export const INDEX = [
  shape('_[_]', [listOf(parameter('A')), INT], parameter('A')),
  shape('_[_]', [mapOf(parameter('A'), parameter('B')), parameter('A')], parameter('B')),
];
