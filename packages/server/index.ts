export type * from './backend.ts';
export { environmentOptions } from './environment.ts';
export { startRepositoryChecks } from './repositories/start-repository-checks.ts';
export type { Log } from './server-context.ts';
export { type Server, type ServerOptions, startServer } from './start-server.ts';
