import { Fault } from '../fault/expr-error.ts';
import type { NodeOf } from '../syntax/node.ts';
import { methodType } from '../values/method-type.ts';
import {
  elemOf,
  isAssignable,
  isInteger,
  isList,
  isMap,
  isUnknown,
  type Nature,
  natureText,
  ofType,
  unknown,
} from './nature.ts';

/** What a member of a value is. Throws `Fault`. */
export function memberNature(node: NodeOf<'member'>, base: Nature, property: Nature): Nature {
  if (isUnknown(base)) return unknown;
  const name = node.property.kind === 'text' ? node.property.value : undefined;
  if (name !== undefined) {
    if (base.isNil) throw new Fault(`type nil has no field ${name}`, node.at);
    const method = base.type?.methods?.get(name);
    if (method) return { type: methodType, call: method };
  }
  if (isMap(base)) {
    if (!isAssignable(property, ofType(base.type?.key)) && !isUnknown(property))
      throw new Fault(
        `cannot use ${natureText(property)} to get an element from ${natureText(base)}`,
        node.property.at,
      );
    return elemOf(base);
  }
  if (isList(base)) {
    if (!isInteger(property) && !isUnknown(property))
      throw new Fault(
        `array elements can only be selected using an integer (got ${natureText(property)})`,
        node.property.at,
      );
    return elemOf(base);
  }
  if (name !== undefined)
    throw new Fault(`type ${natureText(base)} has no ${node.isMethod ? 'method' : 'field'} ${name}`, node.at);
  throw new Fault(`type ${natureText(base)}[${natureText(property)}] is undefined`, node.at);
}
