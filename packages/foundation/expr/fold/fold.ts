import { int, integerOf, type Value } from '@tiphys/template';
import { Fault } from '../fault/expr-error.ts';
import type { Node, NodeOf } from '../syntax/node.ts';
import { add, divide, exponent, modulo, multiply, subtract } from '../values/arithmetic.ts';
import { equal } from '../values/compare.ts';

/**
 * The tree with what does not depend on the environment worked out. Go does so before it runs, which can be seen: a test
 * that a literal decides does not evaluate its other side, and a division by a literal zero is found without running.
 * Throws `Fault`.
 */
export function fold(node: Node): Node {
  switch (node.kind) {
    case 'unary':
      node.operand = fold(node.operand);
      return unary(node);
    case 'binary':
      node.left = fold(node.left);
      node.right = fold(node.right);
      return binary(node);
    case 'chain':
    case 'predicate':
      node.node = fold(node.node);
      return node;
    case 'member':
      node.node = fold(node.node);
      node.property = fold(node.property);
      return node;
    case 'slice':
      node.node = fold(node.node);
      node.from &&= fold(node.from);
      node.to &&= fold(node.to);
      return node;
    case 'call':
      node.callee = fold(node.callee);
      foldAll(node.args);
      return node;
    case 'builtin':
      foldAll(node.args);
      return node;
    case 'let':
      node.value = fold(node.value);
      node.body = fold(node.body);
      return node;
    case 'sequence':
      foldAll(node.nodes);
      return node;
    case 'conditional':
      node.condition = fold(node.condition);
      node.yes = fold(node.yes);
      node.no = fold(node.no);
      return node;
    case 'array':
      foldAll(node.nodes);
      return list(node);
    case 'map':
      for (const pair of node.pairs) {
        pair.key = fold(pair.key);
        pair.value = fold(pair.value);
      }
      return node;
    default:
      return node;
  }
}

function foldAll(nodes: Node[]): void {
  for (const [i, node] of nodes.entries()) nodes[i] = fold(node);
}

/** The value of a literal number or text, or undefined. */
function literal(node: Node): Value {
  if (node.kind === 'int') return int(node.value);
  return node.kind === 'float' || node.kind === 'text' || node.kind === 'bool' ? node.value : undefined;
}

const isNumeral = (node: Node): boolean => node.kind === 'int' || node.kind === 'float';

/** A literal in the place of a node. */
function replaced(node: Node, value: Value): Node {
  const common = { at: node.at, depth: node.depth };
  if (typeof value === 'number') return { kind: 'float', value, ...common };
  if (typeof value === 'boolean') return { kind: 'bool', value, ...common };
  if (typeof value === 'string') return { kind: 'text', value, ...common };
  return { kind: 'int', value: integerOf(value) as bigint, ...common };
}

function unary(node: NodeOf<'unary'>): Node {
  const { operator, operand } = node;
  if (operand.kind === 'bool' && (operator === '!' || operator === 'not')) return replaced(node, !operand.value);
  if (!isNumeral(operand) || (operator !== '-' && operator !== '+')) return node;
  const value = literal(operand);
  return replaced(node, operator === '+' ? value : multiply(value, int(-1)));
}

const numeric: Readonly<Record<string, (a: Value, b: Value) => Value>> = {
  '+': add,
  '-': subtract,
  '*': multiply,
  '/': divide,
  '**': exponent,
  '^': exponent,
};

function binary(node: NodeOf<'binary'>): Node {
  const { operator, left, right } = node;
  if (operator === 'and' || operator === '&&') return logical(node, true);
  if (operator === 'or' || operator === '||') return logical(node, false);
  if (operator === '%' && left.kind === 'int' && right.kind === 'int') {
    if (right.value === 0n) throw new Fault('integer divide by zero', node.at);
    return replaced(node, modulo(int(left.value), int(right.value)));
  }
  if (isNumeral(left) && isNumeral(right)) {
    const apply = numeric[operator];
    if (apply) return replaced(node, apply(literal(left), literal(right)));
  }
  if (operator === '==' && left.kind === right.kind && ['int', 'text', 'bool'].includes(left.kind))
    return replaced(node, equal(literal(left), literal(right)));
  if (left.kind === 'text' && right.kind === 'text' && operator === '+')
    return replaced(node, left.value + right.value);
  return node;
}

/** `x and true` is x, `x and false` is false; `or` the other way round. */
function logical(node: NodeOf<'binary'>, neutral: boolean): Node {
  const { left, right } = node;
  if (left.kind === 'bool' && left.value === neutral) return right;
  if (right.kind === 'bool' && right.value === neutral) return left;
  if (left.kind === 'bool' || right.kind === 'bool') return replaced(node, !neutral);
  return node;
}

/** A list of literals is made once. */
function list(node: NodeOf<'array'>): Node {
  const values = node.nodes.map(literal);
  if (values.length === 0 || values.includes(undefined)) return node;
  return { kind: 'constant', value: values, at: node.at, depth: node.depth };
}
