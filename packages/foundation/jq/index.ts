export { type JqPath, parseJqPath, removePaths } from './jq-path.ts';
export { JqFailure, JqProgram } from './jq-program.ts';
