import { type Checked, check } from './check/checker.ts';
import type { CostMeter } from './cost/actual-cost.ts';
import { estimateCost, type SizeAt } from './cost/estimate-cost.ts';
import { CelInstantiationError, type Node, partsOf } from './language/ast.ts';
import { Functions } from './language/functions.ts';
import { parse } from './language/parser.ts';
import type { Type } from './language/types.ts';
import { CelError, type Value } from './language/values.ts';
import { authorizer } from './library/authorizer.ts';
import { collections } from './library/collections.ts';
import { conversions, pattern } from './library/conversions.ts';
import { kubernetes } from './library/kubernetes.ts';
import { network } from './library/network.ts';
import { operators } from './library/operators.ts';
import { strings } from './library/strings.ts';
import { time } from './library/time.ts';
import { urls } from './library/url.ts';
import { compileNode, type Variables } from './run/evaluator.ts';

const functions = new Functions([
  operators,
  conversions,
  time,
  strings,
  collections,
  network,
  urls,
  kubernetes,
  authorizer,
]);

/** A compiled expression. */
export interface Program extends Pick<Checked, 'type' | 'used'> {
  /** The most that an evaluation costs, when values are as large as the paths of their sizes tell. */
  readonly estimate: (sizeAt: SizeAt) => number;
  /** Throws CelError. */
  readonly evaluate: (variables: Variables, meter?: CostMeter) => Value;
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
  const { type, used } = checked;
  const estimate = (sizeAt: SizeAt) => estimateCost(node, checked, sizeAt);
  return { type, used, estimate, evaluate: compileNode(node, functions, checked) };
}

const CONVERSIONS = new Set(['bool', 'bytes', 'double', 'duration', 'int', 'string', 'timestamp', 'uint']);

/** Conversions of constants are tried at once; throws CelInstantiationError. */
function convertConstants(node: Node): void {
  for (const part of partsOf(node)) convertConstants(part);
  if (node.kind !== 'call') return;
  const [arg] = node.args;
  const searched =
    node.target && (node.name === 'find' || node.name === 'findAll') && arg?.kind === 'literal' ? arg.value : undefined;
  try {
    if (typeof searched === 'string') pattern(searched);
    else if (isConversion(node)) compileNode(node, functions)(() => undefined);
  } catch (error) {
    if (error instanceof CelError) throw new CelInstantiationError(error.message);
    throw error;
  }
}

/** Of a constant, or of another such conversion. */
function isConversion(node: Node): boolean {
  if (node.kind !== 'call' || node.target || !CONVERSIONS.has(node.name)) return false;
  const [arg] = node.args;
  return arg?.kind === 'literal' || (arg !== undefined && isConversion(arg));
}
