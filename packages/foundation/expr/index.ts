export { argoFunctions } from './argo-functions.ts';
export { ExpressionError, type ExpressionErrorKind } from './fault/expr-error.ts';
export { type CompileOptions, compile, type Expectation, Program, type RunOptions } from './program.ts';
export type { RunLimits } from './values/budget.ts';
