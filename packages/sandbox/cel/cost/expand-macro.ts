import type { Node } from '../language/ast.ts';
import { BOOL, INT, type Type } from '../language/types.ts';

type Macro = Node & { kind: 'macro' };

/** A macro as the loop that it stands for. */
export interface Loop {
  readonly start: Node;
  readonly condition: Node;
  readonly step: Node;
  readonly result: Node;
  /** Of the value that is carried from one round to the next; undefined for that of the whole. */
  readonly type: Type | undefined;
}

/** The name of the value that is carried along; no expression can mention it. */
export const CARRIED = '@result';

const literal = (value: boolean | bigint): Node => ({ kind: 'literal', at: -1, value });
const call = (name: string, ...args: Node[]): Node => ({ kind: 'call', at: -1, name, target: undefined, args });
const carried: Node = { kind: 'ident', at: -1, name: CARRIED };
const listOf = (...nodes: Node[]): Node => ({
  kind: 'list',
  at: -1,
  items: nodes.map((node) => ({ node, optional: false })),
});

const fresh = (): Node => ({ ...carried });

/** The loop of a macro that goes over a list or a map. */
export function loopOf({ name, args, variables }: Macro): Loop {
  const [first, second] = args as [Node, Node | undefined];
  const filtered = (whole: Node): Node => (second ? call('_?_:_', first, whole, fresh()) : whole);
  const value = second ?? first;
  switch (name) {
    case 'all':
      return {
        start: literal(true),
        condition: call('@not_strictly_false', fresh()),
        step: call('_&&_', fresh(), first),
        result: fresh(),
        type: BOOL,
      };
    case 'exists':
      return {
        start: literal(false),
        condition: call('@not_strictly_false', call('!_', fresh())),
        step: call('_||_', fresh(), first),
        result: fresh(),
        type: BOOL,
      };
    case 'exists_one':
      return {
        start: literal(0n),
        condition: literal(true),
        step: call('_?_:_', first, call('_+_', fresh(), literal(1n)), fresh()),
        result: call('_==_', fresh(), literal(1n)),
        type: INT,
      };
    case 'filter': {
      const item: Node = { kind: 'ident', at: -1, name: variables[0] as string };
      const step = call('_?_:_', first, call('_+_', fresh(), listOf(item)), fresh());
      return { start: listOf(), condition: literal(true), step, result: fresh(), type: undefined };
    }
    case 'transformMap':
    case 'transformMapEntry': {
      const key: Node = { kind: 'ident', at: -1, name: variables[0] as string };
      const added = name === 'transformMap' ? [key, value] : [value];
      const start: Node = { kind: 'map', at: -1, entries: [] };
      const step = filtered(call('cel.@mapInsert', fresh(), ...added));
      return { start, condition: literal(true), step, result: fresh(), type: undefined };
    }
    default: {
      const step = filtered(call('_+_', fresh(), listOf(value)));
      return { start: listOf(), condition: literal(true), step, result: fresh(), type: undefined };
    }
  }
}
