import { goQuote } from '@tiphys/go';
import { zeroOf } from '../value/assign.ts';
import { type GoType, stringType } from '../value/type.ts';
import { GoMap, GoNil, GoStruct, GoValue, typeOf, type Value } from '../value/value.ts';
import type { Execution } from './execution.ts';

/** A method that a field name turned out to be, to be called with the receiver. */
export type MethodCall = (receiver: Value, type: GoType) => Value;

/**
 * `.name` of a receiver. `hasArgs` is true if arguments follow or a pipeline feeds it; `isInterface` if the receiver
 * comes from a slot of type `interface {}`, which only error messages tell; `invoke` calls a method.
 */
export function fieldOf(
  s: Execution,
  receiver: Value,
  name: string,
  hasArgs: boolean,
  isInterface: boolean,
  invoke: MethodCall | undefined,
): Value {
  if (receiver instanceof Map) {
    if (hasArgs) s.fail(`${name} is not a method but has arguments`);
    const value = receiver.get(name);
    if (value !== undefined) return value;
    if (s.missingKey === 'zero') return null;
    if (s.missingKey === 'error') s.fail(`map has no entry for key ${goQuote(name)}`);
    return undefined;
  }
  if (receiver === undefined) {
    if (s.missingKey === 'error') s.fail(`nil data; no entry for key ${goQuote(name)}`);
    return undefined;
  }
  if (receiver === null) s.fail(`nil pointer evaluating interface {}.${name}`);
  const type = typeOf(receiver) as GoType;
  if (receiver instanceof GoValue) {
    if (invoke && type.methods?.has(name) && !(receiver instanceof GoNil)) return invoke(receiver, type);
    if (receiver instanceof GoStruct) {
      const value = structField(s, receiver, name, hasArgs, type);
      if (value !== undefined) return value;
    }
    if (receiver instanceof GoMap && type.key === stringType) {
      if (hasArgs) s.fail(`${name} is not a method but has arguments`);
      const value = receiver.entries.get(name);
      if (value !== undefined) return value;
      if (s.missingKey === 'zero') return zeroOf(type.elem as GoType);
      if (s.missingKey === 'error') s.fail(`map has no entry for key ${goQuote(name)}`);
      return undefined;
    }
    if (receiver instanceof GoNil && type.kind === 'ptr') {
      const known = type.elem?.kind !== 'struct' || type.elem.fields?.includes(name) || type.methods?.has(name);
      if (known) s.fail(`nil pointer evaluating ${type.name}.${name}`);
    }
  }
  return s.fail(`can't evaluate field ${name} in type ${isInterface ? 'interface {}' : type.name}`);
}

function structField(s: Execution, receiver: GoStruct, name: string, hasArgs: boolean, type: GoType): Value {
  const value = receiver.fields.get(name);
  const declared = (type.elem ?? type).fields?.includes(name) ?? false;
  if (value === undefined && !declared) return undefined;
  if (!/^\p{Lu}/u.test(name)) s.fail(`${name} is an unexported field of struct type ${type.name}`);
  if (hasArgs) s.fail(`${name} has arguments but cannot be invoked as function`);
  return value === undefined ? null : value;
}
