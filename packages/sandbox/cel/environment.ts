import { CelInstantiationError, type Node } from './ast.ts';
import { check } from './checker.ts';
import { compileNode, type Variables } from './evaluator.ts';
import { Functions } from './functions.ts';
import { authorizer } from './library/authorizer.ts';
import { collections } from './library/collections.ts';
import { conversions, pattern } from './library/conversions.ts';
import { kubernetes } from './library/kubernetes.ts';
import { network } from './library/network.ts';
import { operators } from './library/operators.ts';
import { strings } from './library/strings.ts';
import { time } from './library/time.ts';
import { parse } from './parser.ts';
import type { Type } from './types.ts';
import { CelError, type Value } from './values.ts';

const functions = new Functions([operators, conversions, time, strings, collections, network, kubernetes, authorizer]);

/** A compiled expression. */
export interface Program {
  readonly type: Type;
  /** The variables that it mentions. */
  readonly used: ReadonlySet<string>;
  /** Throws CelError. */
  readonly evaluate: (variables: Variables) => Value;
}

const parsed = new Map<string, Node>();

/**
 * Compiles an expression of Kubernetes' CEL (the libraries of 1.34) for variables of the given types; throws
 * CelCompileError with cel-go's words, or CelInstantiationError.
 */
export function compile(text: string, variables: ReadonlyMap<string, Type>): Program {
  let node = parsed.get(text);
  if (!node) {
    node = parse(text);
    if (parsed.size > 2000) parsed.clear();
    parsed.set(text, node);
  }
  const checked = check(text, node, variables, functions);
  convertConstants(node);
  return { ...checked, evaluate: compileNode(node, functions) };
}

const CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);

/** Conversions of constants are tried at once; throws CelInstantiationError. */
function convertConstants(node: Node): void {
  for (const part of partsOf(node)) convertConstants(part);
  if (node.kind !== 'call' || node.args[0]?.kind !== 'literal') return;
  const { value } = node.args[0];
  const searches = node.target && (node.name === 'find' || node.name === 'findAll') && typeof value === 'string';
  if (!searches && (node.target || !CONVERSIONS.has(node.name))) return;
  try {
    if (searches) pattern(value);
    else compileNode(node, functions)(() => undefined);
  } catch (error) {
    if (error instanceof CelError) throw new CelInstantiationError(error.message);
    throw error;
  }
}

function partsOf(node: Node): readonly Node[] {
  switch (node.kind) {
    case 'select':
      return [node.operand];
    case 'call':
      return [...(node.target ? [node.target] : []), ...node.args];
    case 'list':
      return node.items.map((item) => item.node);
    case 'map':
      return node.entries.flatMap(({ key, value }) => [key, value]);
    case 'macro':
      return [node.range, ...node.args];
    default:
      return [];
  }
}
