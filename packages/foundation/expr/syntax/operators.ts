/** Binding power of the prefix operators. */
export const unaryPower: Readonly<Record<string, number>> = { not: 50, '!': 50, '-': 90, '+': 90 };

/** Binding power of the operators between two operands; `**` and `^` group from the right. */
export const binaryPower: ReadonlyMap<string, number> = new Map([
  ['|', 0],
  ['or', 10],
  ['||', 10],
  ['and', 15],
  ['&&', 15],
  ...['==', '!=', '<', '>', '>=', '<=', 'in', 'matches', 'contains', 'startsWith', 'endsWith'].map(
    (operator) => [operator, 20] as const,
  ),
  ['..', 25],
  ['+', 30],
  ['-', 30],
  ['*', 60],
  ['/', 60],
  ['%', 60],
  ['**', 100],
  ['^', 100],
  ['??', 500],
]);

export const isFromRight = (operator: string): boolean => operator === '**' || operator === '^';
/** `1 < x < 3` compares twice. */
export const isComparison = (operator: string): boolean => ['<', '>', '>=', '<='].includes(operator);
/** What `not` may stand before, between two operands. */
export const isNegatable = (word: string): boolean =>
  ['contains', 'matches', 'startsWith', 'endsWith', 'in'].includes(word);
