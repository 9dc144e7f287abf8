export type * from './backend.ts';
export { environmentOptions } from './environment.ts';
export { BodyBudget } from './http/body-budget.ts';
export { Gateway } from './http/gateway.ts';
export { type HttpRequest, type HttpResponse, sendJson } from './http/http-message.ts';
export { openPort, type TlsFiles } from './http/port.ts';
export type { Log } from './log.ts';
export { startRepositoryChecks } from './repositories/start-repository-checks.ts';
export type { Call } from './rpc/call.ts';
export { type Endpoint, endpointsOf } from './rpc/dispatcher.ts';
export { type Admit, grpcHandler, type Observe } from './rpc/grpc.ts';
export type { AnyHandler } from './rpc/handlers.ts';
export {
  Code,
  httpStatusOf,
  invalidArgument,
  notFound,
  permissionDenied,
  RpcError,
  rpcErrorOf,
} from './rpc/rpc-error.ts';
export { type Server, type ServerOptions, startServer } from './start-server.ts';
