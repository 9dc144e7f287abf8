import { parseArguments } from './calls.ts';
import { isName } from './characters.ts';
import type { Node } from './node.ts';
import type { Parser } from './parser.ts';
import type { Token } from './token.ts';

/** Members, elements, slices and calls that follow a node. */
export function parsePostfix(parser: Parser, first: Node): Node {
  const { reader } = parser;
  let node = first;
  for (;;) {
    const token = reader.current;
    if (token.kind !== 'Operator' && token.kind !== 'Bracket') return node;
    if (token.value === '[') node = index(parser, node, { bracket: token, isOptional: false });
    else if (token.value === '.' || token.value === '?.') node = member(parser, node, token.value === '?.');
    else return node;
  }
}

function member(parser: Parser, before: Node, isOptional: boolean): Node {
  const { reader } = parser;
  reader.advance();
  const name = reader.current;
  if (isOptional && reader.at('Bracket', '[')) return index(parser, before, { bracket: name, isOptional });
  reader.advance();
  if (name.kind !== 'Identifier' && (name.kind !== 'Operator' || !isName(name.value)))
    throw reader.fault('expected name');
  const property = reader.node({ kind: 'text', value: name.value }, name.at);
  // A chain goes on behind the member: nil leaves the whole of it.
  const isChain = before.kind === 'chain';
  const isMethod = reader.at('Bracket', '(');
  let node = reader.node(
    { kind: 'member', node: isChain ? before.node : before, property, isOptional, isMethod },
    name.at,
  );
  if (isMethod) node = reader.node({ kind: 'call', callee: node, args: parseArguments(parser) }, name.at);
  return isChain || isOptional ? reader.node({ kind: 'chain', node }, name.at) : node;
}

function index(parser: Parser, node: Node, start: { bracket: Token; isOptional: boolean }): Node {
  const { reader } = parser;
  const { at } = start.bracket;
  reader.advance();
  const bound = (): Node | undefined => (reader.at('Bracket', ']') ? undefined : parser.expression());
  let from: Node | undefined;
  if (!reader.at('Operator', ':')) from = parser.expression();
  if (reader.at('Operator', ':')) {
    reader.advance();
    const slice = reader.node({ kind: 'slice', node, from, to: bound() }, at);
    reader.expect('Bracket', ']');
    return slice;
  }
  const element = reader.node(
    { kind: 'member', node, property: from as Node, isOptional: start.isOptional, isMethod: false },
    at,
  );
  reader.expect('Bracket', ']');
  return start.isOptional ? reader.node({ kind: 'chain', node: element }, at) : element;
}
