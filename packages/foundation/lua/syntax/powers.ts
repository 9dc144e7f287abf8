/** Left and right binding power of the binary operators; the right one is lower where they associate to the right. */
export const powers: Readonly<Record<string, readonly [number, number]>> = {
  or: [1, 1],
  and: [2, 2],
  '<': [3, 3],
  '>': [3, 3],
  '<=': [3, 3],
  '>=': [3, 3],
  '~=': [3, 3],
  '==': [3, 3],
  '..': [5, 4],
  '+': [6, 6],
  '-': [6, 6],
  '*': [7, 7],
  '/': [7, 7],
  '%': [7, 7],
  '^': [10, 9],
};

/** What binds an operand to `not`, `-` and `#`: more than all but `^`. */
export const unaryPower = 8;
