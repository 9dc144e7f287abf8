import type { GoType } from '@tiphys/template';
import { Fault, type Location } from '../fault/expr-error.ts';
import type { Node } from '../syntax/node.ts';
import { isAssignable, isFloat, isInteger, isUnknown, type Nature, natureText, ofType } from './nature.ts';

/** What a function takes. */
export interface Parameters {
  readonly params: readonly GoType[];
  readonly rest?: GoType | undefined;
}

interface Call {
  readonly name: string;
  readonly at: Location;
  /** Changed in place: an integer that stands for a float becomes one. */
  readonly args: Node[];
  readonly natures: readonly Nature[];
}

/** Throws `Fault` unless the arguments fit. */
export function checkArguments({ params, rest }: Parameters, { name, at, args, natures }: Call): void {
  if (args.length < params.length) throw new Fault(`not enough arguments to call ${name}`, at);
  if (!rest && args.length > params.length) throw new Fault(`too many arguments to call ${name}`, at);
  for (const [i, nature] of natures.entries()) {
    const wanted = ofType(params[i] ?? rest);
    const node = args[i] as Node;
    if (isFloat(wanted) && isInteger(nature)) args[i] = asFloat(node, wanted);
    else if (isInteger(wanted) && isInteger(nature) && nature.type !== wanted.type) continue;
    else if (nature.isNil) {
      if (wanted.type?.kind !== 'ptr' && wanted.type?.kind !== 'interface')
        throw new Fault(`cannot use nil as argument (type ${natureText(wanted)}) to call ${name}`, node.at);
    } else if (!isUnknown(nature) && !isAssignable(nature, wanted)) {
      throw new Fault(
        `cannot use ${natureText(nature)} as argument (type ${natureText(wanted)}) to call ${name} `,
        node.at,
      );
    }
  }
}

/** Integers that are written out, also in sums and products of them, become floats. */
function asFloat(node: Node, nature: Nature): Node {
  if (node.kind === 'int') return { kind: 'float', value: Number(node.value), at: node.at, depth: node.depth, nature };
  if (node.kind === 'unary') node.operand = asFloat(node.operand, nature);
  if (node.kind === 'binary' && ['+', '-', '*'].includes(node.operator)) {
    node.left = asFloat(node.left, nature);
    node.right = asFloat(node.right, nature);
  }
  return node;
}
