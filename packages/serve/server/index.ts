export type { WorkflowQuery, WorkflowsAccess } from './context/workflows-access.ts';
export { startDashboard } from './dashboard/start-dashboard.ts';
export { environmentOptions } from './environment.ts';
export { BodyBudget } from './http/body-budget.ts';
export { Gateway } from './http/gateway.ts';
export type * from './ports/backend.ts';
export type { Log } from './ports/log.ts';
export { boundedExpression } from './resources/line-filter.ts';
export { maskSecrets } from './resources/mask-secrets.ts';
export type { Call } from './rpc/call.ts';
export { decodePart } from './rpc/decode-part.ts';
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
export { repositoryQuestions } from './services/notifications/repository-questions.ts';
export { IdentityProvider } from './sso/identity-provider.ts';
export { TokenRefused } from './sso/provider-failure.ts';
export { claimValues } from './sso/scopes.ts';
export type { SsoSettings } from './sso/sso-settings.ts';
export { startRepositoryChecks } from './start-repository-checks.ts';
export { type Server, type ServerOptions, startServer } from './start-server.ts';
export { isForeignOrigin } from './transport/foreign-origin.ts';
export { type HttpRequest, type HttpResponse, sendJson } from './transport/http-message.ts';
export { openPort, type TlsFiles } from './transport/port.ts';
