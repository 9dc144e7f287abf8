export {
  type Evaluation,
  evaluate,
  type Imported,
  type PlainValue,
  type Program,
  readProgram,
  type Variable,
} from './evaluate.ts';
export { JsonnetError, type Place } from './language/jsonnet-error.ts';
export type { ImportNode } from './language/syntax.ts';
