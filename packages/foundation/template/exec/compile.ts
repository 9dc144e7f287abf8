import { goQuote } from '@tiphys/go';
import type { ActionNode, ListNode, Node, PipeNode, TemplateNode } from '../parse/node.ts';
import type { Tree } from '../parse/tree.ts';
import { isTrue } from '../value/truth.ts';
import type { Value } from '../value/value.ts';
import { type Command, compileCommand, missing } from './compile-command.ts';
import { compileRange } from './compile-range.ts';
import type { Execution } from './execution.ts';
import { printValue } from './print-value.ts';
import { Scope } from './scope.ts';

/** How a body ended: 0 normally, 1 by `break`, 2 by `continue`. */
export type Ending = 0 | 1 | 2;
export type Execute = (s: Execution, dot: Value) => Ending;
export type Evaluate = (s: Execution, dot: Value) => Value;

/** A template as closures. */
export interface Body {
  readonly execute: Execute;
  readonly slots: number;
}

const plainBodies = new WeakMap<ListNode, Body>();
const tracedBodies = new WeakMap<ListNode, Body>();

/** The closures of a tree, made at its first execution. */
export function compiled(tree: Tree, trace: boolean): Body {
  const bodies = trace ? tracedBodies : plainBodies;
  let body = bodies.get(tree.root);
  if (!body) {
    const compiler: Compiler = { scope: new Scope(), trace };
    const execute = compileList(tree.root, compiler);
    const { scope } = compiler;
    body = {
      execute,
      get slots() {
        return scope.slots;
      },
    };
    bodies.set(tree.root, body);
  }
  return body;
}

/** What compilation carries along. */
export interface Compiler {
  readonly scope: Scope;
  readonly trace: boolean;
}

/** The statements of a list in order; a `break` or `continue` ends it. */
export function compileList(list: ListNode, compiler: Compiler): Execute {
  const parts = list.nodes.map((node) => compileNode(node, compiler));
  if (parts.length === 1) return parts[0] as Execute;
  return (s, dot) => {
    for (let i = 0; i < parts.length; i++) {
      const ending = (parts[i] as Execute)(s, dot);
      if (ending !== 0) return ending;
    }
    return 0;
  };
}

/** The same, made at its first execution: with its values a chart runs few of its branches. */
export function compileLater(list: ListNode, compiler: Compiler): Execute {
  if (list.nodes.every(({ type }) => type === 'text')) return compileList(list, compiler);
  const point = compiler.scope.mark();
  let execute: Execute | undefined;
  return (s, dot) => {
    execute ??= compiler.scope.at(point, () => compileList(list, compiler));
    return execute(s, dot);
  };
}

function compileNode(node: Node, compiler: Compiler): Execute {
  switch (node.type) {
    case 'text': {
      const { text } = node;
      return (s) => {
        s.node = node;
        s.writeText(text);
        return 0;
      };
    }
    case 'action':
      return compileAction(node, compiler);
    case 'break':
      return () => 1;
    case 'continue':
      return () => 2;
    case 'if':
    case 'with':
      return compileBranch(node, compiler);
    case 'range':
      return compileRange(node, compiler);
    case 'template':
      return compileTemplate(node, compiler);
  }
}

function compileAction(node: ActionNode, compiler: Compiler): Execute {
  const evaluate = compilePipe(node.pipe, compiler);
  if (node.pipe.decl.length > 0) {
    return (s, dot) => {
      s.node = node;
      s.budget.step();
      evaluate(s, dot);
      return 0;
    };
  }
  return (s, dot) => {
    s.node = node;
    s.budget.step();
    const value = evaluate(s, dot);
    s.node = node;
    s.writeValue(typeof value === 'string' ? value : printValue(s, node, value), value);
    return 0;
  };
}

function compileBranch(node: Extract<Node, { type: 'if' | 'with' }>, compiler: Compiler): Execute {
  const { scope } = compiler;
  const mark = scope.mark();
  const evaluate = compilePipe(node.pipe, compiler);
  const isWith = node.type === 'with';
  const dotRangeSlot = scope.dotRangeSlot;
  if (isWith) scope.dotRangeSlot = undefined;
  const inner = scope.mark();
  const list = compileLater(node.list, compiler);
  scope.pop(inner);
  scope.dotRangeSlot = dotRangeSlot;
  const elseList = node.elseList && compileLater(node.elseList, compiler);
  scope.pop(mark);
  return (s, dot) => {
    s.node = node;
    s.budget.step();
    s.tracer?.watch();
    const value = evaluate(s, dot);
    s.tracer?.decide();
    const taken = isTrue(value);
    const body = taken ? list : elseList;
    if (!body) return 0;
    const inner = taken && isWith ? value : dot;
    if (!s.tracer) return body(s, inner);
    const outer = s.tracer.enterBranch(s, node, taken);
    const ending = body(s, inner);
    s.tracer.leaveBranch(outer);
    return ending;
  };
}

function compileTemplate(node: TemplateNode, compiler: Compiler): Execute {
  const evaluate = node.pipe && compilePipe(node.pipe, compiler);
  const { name } = node;
  return (s, dot) => {
    s.node = node;
    s.budget.step();
    const tree = s.set.lookup(name);
    if (!tree) return s.fail(`template ${goQuote(name)} not defined`);
    const data = evaluate?.(s, dot);
    s.tracer?.passDot(s, node, evaluate !== undefined);
    s.run(tree, data);
    return 0;
  };
}

/** A pipeline: each command gets the value of the one before as its last argument; then the variables are set. */
export function compilePipe(pipe: PipeNode, compiler: Compiler): Evaluate {
  const { scope } = compiler;
  const commands = pipe.cmds.map((command) => compileCommand(command, compiler));
  const targets = pipe.decl.map((variable) => {
    const name = variable.ident[0] as string;
    if (!pipe.assign) return scope.declare(name);
    return scope.resolve(name)?.slot ?? `undefined variable: ${name}`;
  });
  const [first, ...others] = commands as [Command, ...Command[]];
  const evaluate: Evaluate =
    others.length === 0
      ? (s, dot) => {
          s.node = pipe;
          const value = first(s, dot, missing);
          return value === null ? undefined : value;
        }
      : (s, dot) => {
          s.node = pipe;
          let value = first(s, dot, missing);
          for (let i = 0; i < others.length; i++) {
            if (s.tracer) s.tracer.pipe();
            value = (others[i] as Command)(s, dot, value === null ? undefined : value);
          }
          return value === null ? undefined : value;
        };
  if (targets.length === 0) return evaluate;
  return (s, dot) => {
    const value = evaluate(s, dot);
    for (const target of targets) {
      if (typeof target === 'string') s.fail(target);
      s.setVariable(target as number, value);
    }
    return value;
  };
}
