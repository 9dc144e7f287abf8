import { evaluate } from '../govaluate/evaluate.ts';
import { EvaluateError } from '../govaluate/tokens.ts';
import { type Expression, parseExpression } from '../govaluate/tree.ts';
import { getPath } from '../json/get-path.ts';
import { dataOfNode, type Node } from '../json/node.ts';
import type { ExprFilter, LogicalOperator } from '../spec/sensor.ts';
import { joined, passed, refused, unclear, type Verdict } from './verdict.ts';

/** The `exprs` filter: expressions of govaluate over named fields of the payload; only `true` itself passes. */
export function exprFilter(filters: readonly ExprFilter[], operator: LogicalOperator | undefined, data: Node): Verdict {
  return joined('expr', operator === 'or', lazily(filters, data));
}

function* lazily(filters: readonly ExprFilter[], data: Node): Generator<Verdict> {
  for (const filter of filters) yield entry(filter, data);
}

function entry({ expr, fields }: ExprFilter, data: Node): Verdict {
  const parameters = new Map<string, unknown>();
  for (const { path, name } of fields) {
    const found = getPath(data, path);
    if (!found) return unclear(`path '${path}' does not exist`);
    parameters.set(name, dataOfNode(found));
  }
  try {
    if (evaluate(compiled(expr), parameters) === true) return passed;
  } catch (error) {
    if (error instanceof EvaluateError) return unclear(error.message);
    throw error;
  }
  const values = [...parameters].map(([name, value]) => `${name} is ${JSON.stringify(value)?.slice(0, 80)}`);
  return refused(`${expr} is not true: ${values.join(', ')}`);
}

const known = new Map<string, Expression>();

function compiled(text: string): Expression {
  let expression = known.get(text);
  if (!expression) {
    expression = parseExpression(text);
    if (known.size > 500) known.clear();
    known.set(text, expression);
  }
  return expression;
}
