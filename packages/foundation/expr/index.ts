export type { RunLimits } from './eval/budget.ts';
export { ExpressionError, type ExpressionErrorKind } from './expr-error.ts';
export { type CompileOptions, compile, type Expectation, Program, type RunOptions } from './program.ts';
