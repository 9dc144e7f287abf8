import { formatValue } from '../fmt/format-value.ts';
import type { Node } from '../parse/node.ts';
import { sortedEntries } from '../value/sorted-entries.ts';
import { anyType } from '../value/type.ts';
import { elementsOf, GoInt, GoMap, int, typeOf, type Value } from '../value/value.ts';
import { type Compiler, compileLater, compilePipe, type Ending, type Execute } from './compile.ts';
import type { Execution } from './execution.ts';

type RangeNode = Extract<Node, { type: 'range' }>;

/** Runs the body for one element; true if the loop must end. */
type Iterate = (s: Execution, key: Value, element: Value, container: Value) => boolean;

export function compileRange(node: RangeNode, compiler: Compiler): Execute {
  const { scope } = compiler;
  const mark = scope.mark();
  const { pipe } = node;
  const evaluate = compilePipe(pipe, compiler);
  const names = pipe.decl.map((variable) => variable.ident[0] as string);
  const elementSlot = scope.reserve();
  if (!pipe.assign) for (const name of names) scope.bindRange(name, elementSlot);
  const slots = names.map((name) => scope.resolve(name)?.slot ?? 0);
  const keySlot = slots.length > 1 ? slots[0] : undefined;
  const valueSlot = slots.length > 1 ? slots[1] : slots[0];

  const dotRangeSlot = scope.dotRangeSlot;
  scope.dotRangeSlot = elementSlot;
  const inner = scope.mark();
  const body = compileLater(node.list, compiler);
  scope.pop(inner);
  scope.dotRangeSlot = dotRangeSlot;
  const elseList = node.elseList && compileLater(node.elseList, compiler);
  scope.pop(mark);

  const iterate: Iterate = (s, key, element, container) => {
    s.budget.step();
    s.tracer?.key(container, key);
    if (keySlot !== undefined) s.setVariable(keySlot, key);
    s.tracer?.element(container, key);
    if (valueSlot !== undefined) s.setVariable(valueSlot, element);
    s.rounds.push({ key, element });
    const ending: Ending = body(s, element);
    s.rounds.pop();
    return ending === 1;
  };
  return (s, dot) => {
    s.node = node;
    const value = evaluate(s, dot);
    const outer = s.tracer?.enterRange(s, node);
    const ranOnce = rangeOver(s, value, elementSlot, iterate, slots.length);
    if (outer) s.tracer?.leaveBranch(outer);
    return !ranOnce && elseList ? elseList(s, dot) : 0;
  };
}

function rangeOver(s: Execution, value: Value, elementSlot: number, iterate: Iterate, variables: number): boolean {
  if (value === undefined || value === null) return false;
  const items = elementsOf(value);
  if (items) {
    s.vars[elementSlot] = typeOf(value)?.elem === anyType;
    // Go evaluates the slice once: appending while looping does not change the number of rounds.
    const { length } = items;
    for (let i = 0; i < length; i++) if (iterate(s, int(i), items[i], value)) break;
    return length > 0;
  }
  if (value instanceof Map || value instanceof GoMap) {
    s.vars[elementSlot] = value instanceof Map || value.type.elem === anyType;
    const entries = sortedEntries(value);
    for (const [key, element] of entries) if (iterate(s, key, element, value)) break;
    return entries.length > 0;
  }
  if (typeof value === 'bigint' || value instanceof GoInt) {
    if (variables > 1) s.fail(`can't use ${formatValue(value)} to iterate over more than one variable`);
    s.vars[elementSlot] = false;
    return rangeInteger(s, value, iterate);
  }
  return s.fail(`range can't iterate over ${formatValue(value)}`);
}

function rangeInteger(s: Execution, value: bigint | GoInt, iterate: Iterate): boolean {
  const end = typeof value === 'bigint' ? value : value.value;
  for (let n = 0n; n < end; n++) {
    const element = typeof value === 'bigint' ? n : new GoInt(value.type, n);
    if (iterate(s, undefined, element, value)) break;
  }
  return end > 0n;
}
