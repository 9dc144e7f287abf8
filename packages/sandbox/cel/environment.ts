import type { Node } from './ast.ts';
import { check } from './checker.ts';
import { compileNode, type Variables } from './evaluator.ts';
import { Functions } from './functions.ts';
import { authorizer } from './library/authorizer.ts';
import { collections } from './library/collections.ts';
import { conversions } from './library/conversions.ts';
import { kubernetes } from './library/kubernetes.ts';
import { network } from './library/network.ts';
import { operators } from './library/operators.ts';
import { strings } from './library/strings.ts';
import { time } from './library/time.ts';
import { parse } from './parser.ts';
import type { Type } from './types.ts';
import type { Value } from './values.ts';

const LIBRARIES = [operators, conversions, time, strings, collections, network, kubernetes];
const plain = new Functions(LIBRARIES);
const withAuthorizer = new Functions([...LIBRARIES, authorizer]);

/** A compiled expression. */
export interface Program {
  readonly type: Type;
  /** The variables that it mentions. */
  readonly used: ReadonlySet<string>;
  /** Throws CelError. */
  readonly evaluate: (variables: Variables) => Value;
}

export interface CompileOptions {
  /** The functions of `authorizer` are there. */
  readonly authorizer?: boolean;
}

const parsed = new Map<string, Node>();

/**
 * Compiles an expression of Kubernetes' CEL (the libraries of 1.34) for variables of the given types; throws
 * CelCompileError with cel-go's words.
 */
export function compile(text: string, variables: ReadonlyMap<string, Type>, options: CompileOptions = {}): Program {
  const functions = options.authorizer ? withAuthorizer : plain;
  let node = parsed.get(text);
  if (!node) {
    node = parse(text);
    if (parsed.size > 2000) parsed.clear();
    parsed.set(text, node);
  }
  return { ...check(text, node, variables, functions), evaluate: compileNode(node, functions) };
}
