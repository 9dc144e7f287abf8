import { formatNumber } from './numbers.ts';
import { LuaTable } from './table.ts';
import { Thread } from './thread.ts';
import { Builtin, LuaFunction, type LuaValue } from './value.ts';

export function typeName(value: LuaValue): string {
  if (value === undefined) return 'nil';
  if (value instanceof LuaTable) return 'table';
  if (value instanceof LuaFunction || value instanceof Builtin) return 'function';
  return value instanceof Thread ? 'thread' : typeof value;
}

let identities = new WeakMap<object, number>();
let lastIdentity = 0;

/** Begins to count anew: scripts run one at a time, and each has to see the same in every run. */
export function forgetIdentities(): void {
  identities = new WeakMap();
  lastIdentity = 0;
}

/** The text of a value, as `tostring` without metatables gives it. */
export function show(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return formatNumber(value);
  if (value === undefined) return 'nil';
  if (typeof value === 'boolean') return String(value);
  let identity = identities.get(value);
  if (identity === undefined) {
    identity = ++lastIdentity;
    identities.set(value, identity);
  }
  return `${typeName(value)}: 0x${identity.toString(16).padStart(12, '0')}`;
}
