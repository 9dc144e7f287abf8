export type * from './backend.ts';
export { environmentOptions } from './environment.ts';
export type { Log } from './log.ts';
export { startRepositoryChecks } from './repositories/start-repository-checks.ts';
export { type Server, type ServerOptions, startServer } from './start-server.ts';
