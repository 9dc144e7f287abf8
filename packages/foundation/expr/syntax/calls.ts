import type { Node } from './node.ts';
import type { Parser } from './parser.ts';
import type { Token } from './token.ts';

type Argument = 'value' | 'predicate' | 'predicate?' | 'value?';

/** What the functions that take predicates take. */
export const predicateArguments: Readonly<Record<string, readonly Argument[]>> = {
  ...Object.fromEntries(
    'all none any one filter map find findIndex findLast findLastIndex groupBy'
      .split(' ')
      .map((name) => [name, ['value', 'predicate']]),
  ),
  count: ['value', 'predicate?'],
  sum: ['value', 'predicate?'],
  sortBy: ['value', 'predicate', 'value?'],
  reduce: ['value', 'predicate', 'value?'],
};

interface CallStart {
  /** What a pipe brings along. */
  readonly args: readonly Node[];
  readonly mayBeOverridden: boolean;
}

/** A call of a name; the current token is the opening bracket. */
export function parseCall(parser: Parser, name: Token, { args, mayBeOverridden }: CallStart): Node {
  const { reader } = parser;
  const kind = parser.callKind(name.value, mayBeOverridden);
  if (kind === 'predicate')
    return reader.node({ kind: 'builtin', name: name.value, args: predicateCall(parser, name, args) }, name.at);
  if (kind === 'builtin')
    return reader.node({ kind: 'builtin', name: name.value, args: parseArguments(parser, args) }, name.at);
  const callee = reader.node({ kind: 'name', name: name.value }, name.at);
  return reader.node({ kind: 'call', callee, args: parseArguments(parser, args) }, name.at);
}

function predicateCall(parser: Parser, name: Token, given: readonly Node[]): Node[] {
  const { reader } = parser;
  reader.expect('Bracket', '(');
  const nodes = [...given];
  const wanted = (predicateArguments[name.value] as readonly Argument[]).slice(given.length);
  for (const [i, argument] of wanted.entries()) {
    if (reader.at('Bracket', ')')) {
      if (argument.endsWith('?')) break;
      throw reader.fault(`expected at least ${wanted.length} arguments`);
    }
    if (i > 0) reader.expect('Operator', ',');
    nodes.push(argument.startsWith('predicate') ? parser.predicate() : parser.expression());
  }
  if (reader.at('Operator', ',')) reader.advance();
  reader.expect('Bracket', ')');
  return nodes;
}

/** `(a, b)`; what is given comes first. */
export function parseArguments(parser: Parser, given: readonly Node[] = []): Node[] {
  parser.reader.expect('Bracket', '(');
  return parser.list(')', () => parser.expression(), given);
}
