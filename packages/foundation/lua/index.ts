export type { Json } from './convert.ts';
export type { Limits } from './run/bounds.ts';
export { Script, ScriptError, type ScriptFailure, type ScriptOptions, type ScriptResult } from './script.ts';
