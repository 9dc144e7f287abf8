export { ProcessRuntime } from './process-runtime.ts';
