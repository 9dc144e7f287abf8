import { join } from 'node:path';

export { type LocalStore, localRepository, startLocalStore } from './local-store/start-local-store.ts';
export { type ExecutorOptions, runExecutor } from './run-executor.ts';

/** The executor as a program for Node, whose arguments are those of `argoexec`. */
export const executorProgram: string = join(import.meta.dirname, 'main.ts');
