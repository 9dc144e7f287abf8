import type { Expression } from './tree.ts';

/** What can be several values. */
export function isMulti({ kind }: Expression): boolean {
  return kind === 'call' || kind === 'method' || kind === 'varargs';
}

/** A key that is a name in the text. */
export function isName(key: Expression): key is Expression & { kind: 'constant'; value: string } {
  return key.kind === 'constant' && typeof key.value === 'string';
}

/** What the text calls the function that it calls. */
export function nameOf(call: Expression & { kind: 'call' | 'method' }): string {
  if (call.kind === 'method') return call.name;
  const { callee } = call;
  if (callee.kind === 'global') return callee.name;
  if (callee.kind === 'local') return callee.variable.name;
  return callee.kind === 'index' && isName(callee.key) ? callee.key.value : '?';
}
