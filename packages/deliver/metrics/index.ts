export {
  type ApplicationFacts,
  type ClusterFacts,
  ControllerMetrics,
  type ControllerMetricsOptions,
} from './controller-metrics.ts';
export { Metrics } from './metrics.ts';
export { type MetricsPort, openMetricsPort } from './metrics-port.ts';
export { RepositoryMetrics } from './repository-metrics.ts';
export { selfSignedCertificate } from './self-signed.ts';
export { ServerMetrics } from './server-metrics.ts';
