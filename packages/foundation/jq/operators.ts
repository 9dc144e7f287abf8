import type { Query } from './tree.ts';

/** Left and right binding power, as in jq: `|` least, then `,`, `//`, assignments, `or`, `and`, comparisons, sums, products. */
export const powers: Readonly<Record<string, readonly [number, number]>> = {
  '|': [1, 1],
  ',': [2, 3],
  '//': [5, 4],
  ...Object.fromEntries(['=', '|=', '+=', '-=', '*=', '/=', '%=', '//='].map((name) => [name, [6, 7]])),
  or: [8, 9],
  and: [10, 11],
  ...Object.fromEntries(['==', '!=', '<', '<=', '>', '>='].map((name) => [name, [12, 13]])),
  '+': [14, 15],
  '-': [14, 15],
  '*': [16, 17],
  '/': [16, 17],
  '%': [16, 17],
};

export function literal(value: unknown): Query {
  return { kind: 'literal', value };
}

/** What two programs with an operator between them are. */
export function join(operator: string, left: Query, right: Query): Query {
  switch (operator) {
    case '|':
      return { kind: 'pipe', left, right };
    case ',':
      return { kind: 'comma', left, right };
    case '//':
      return { kind: 'alternative', left, right };
    case 'and':
    case 'or':
      return { kind: operator, left, right };
  }
  if (operator.endsWith('=') && !['==', '!=', '<=', '>='].includes(operator))
    return { kind: 'update', operator, left, right };
  return { kind: 'binary', operator, left, right };
}
