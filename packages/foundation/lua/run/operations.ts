/** What one instruction does. Operands are named a and b; the stack grows to the right. */
export const operations = {
  /** Pushes constant a. */
  constant: 0,
  /** Pushes the local in slot a. */
  local: 1,
  /** Pops into slot a. */
  setLocal: 2,
  /** Pushes what the cell in slot a holds. */
  cell: 3,
  setCell: 4,
  /** Pops into a new cell in slot a. */
  newCell: 5,
  captured: 6,
  setCaptured: 7,
  /** Globals are named by constant a. */
  global: 8,
  setGlobal: 9,
  /** object, key → value. */
  index: 10,
  /** object → value of the field that constant a names. */
  field: 11,
  /** object, key, value → nothing. */
  setIndex: 12,
  setField: 13,
  /** object → method named by constant a, object. */
  method: 14,
  /**
   * function, a values → b values (b < 0: all, as one pack). With `callSpread` the last value is a pack. A tail call
   * gives up its frame for a function in Lua, and is like a call for others.
   */
  call: 15,
  callSpread: 16,
  tailCall: 17,
  tailCallSpread: 18,
  /** Returns a values. */
  return: 19,
  returnSpread: 20,
  /** Pushes a of the variable arguments (a < 0: all, as one pack). */
  varargs: 21,
  closure: 22,
  jump: 23,
  jumpIfFalse: 24,
  jumpIfTrue: 25,
  /** Jumps and keeps the value if it decides the operator, else drops it. */
  and: 26,
  or: 27,
  add: 28,
  subtract: 29,
  multiply: 30,
  divide: 31,
  modulo: 32,
  power: 33,
  /** Joins a values. */
  concat: 34,
  equal: 35,
  notEqual: 36,
  less: 37,
  lessOrEqual: 38,
  not: 39,
  negate: 40,
  length: 41,
  table: 42,
  /** table, value → table with the value at index a. */
  setItem: 43,
  /** table, pack → table with the pack's values from index a on. */
  setItems: 44,
  /** table, key, value → table. */
  setEntry: 45,
  /** Drops a values. */
  pop: 46,
  /** start, limit, step → slots a, a+1, a+2; jumps to b if the loop does not run. Pushes the variable's value. */
  countStart: 47,
  /** Next value of the loop whose state is in slot a: pushes it and jumps to b; falls through at the end. */
  countNext: 48,
  /** Calls the iterator in slots a to a+2 for b values. */
  iterate: 49,
  /** value → value, kept as the iterator's in slot a+2; if it is nil drops it and jumps to b. */
  iterateTest: 50,
  /** … object, key, …, value → …: the object lies a below the value. */
  setIndexAt: 53,
  greater: 51,
  greaterOrEqual: 52,
} as const;

/** The instructions of the binary operators but `..`, which joins many. */
export const binaryOperations: Readonly<Record<string, number>> = {
  '+': operations.add,
  '-': operations.subtract,
  '*': operations.multiply,
  '/': operations.divide,
  '%': operations.modulo,
  '^': operations.power,
  '==': operations.equal,
  '~=': operations.notEqual,
  '<': operations.less,
  '<=': operations.lessOrEqual,
  '>': operations.greater,
  '>=': operations.greaterOrEqual,
};
