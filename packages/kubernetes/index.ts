export { type ConnectOptions, connect, parseWarnings, type RequestRecord, resourcePath } from './api-client.ts';
export {
  ApiError,
  isAlreadyExists,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  reasonOfCode,
} from './api-error.ts';
export type * from './client.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  formatKubeconfig,
  inClusterConfig,
  type KubeconfigOptions,
  kubeconfigContexts,
  loadKubeconfig,
} from './kubeconfig.ts';
export * from './object.ts';
export { userAgent } from './user-agent.ts';
