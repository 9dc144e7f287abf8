import type { Role } from './role.ts';

/** The flags of `tiphys up`; their defaults are those of docs/settings.md. */
export interface UpOptions {
  port: number;
  host: string;
  data?: string;
  kubeconfig?: string;
  context?: string;
  kubeconfigOut?: string;
  /** What runs pods of the sandbox. */
  runtime: 'simulated' | 'process';
  /** File that gets the sandbox's audit events. */
  auditLog?: string;
  repo?: string;
  path?: string;
  revision?: string;
  /** Folders whose repositories may be delivered by their paths. */
  localRepositories: readonly string[];
  namespace: string;
  /**
   * Whoever sends this token may do everything, and nobody else anything: for a server of one caller, beside an installation. It
   * installs nothing, has no page and no TLS, and saves no session. No flag.
   */
  soleToken?: string;
  /** What of Tiphys runs in this process; everything, or as ARGOCD_BINARY_NAME says, if absent. */
  role?: Role;
  /** Folder of plugin.yaml files that this process serves. */
  plugins?: string;
  /** Host and port of a Redis in which replicas share what they rendered. */
  redis?: string;
  redisdb?: string;
  redisUseTls?: boolean;
  redisInsecureSkipTlsVerify?: boolean;
  redisCaCertificate?: string;
  redisClientCertificate?: string;
  redisClientKey?: string;
  /** True if it is a Redis Cluster, and `redis` names some of its nodes. */
  redisCluster?: boolean;
  /** Hosts and ports of Redis sentinels, in place of `redis`. */
  sentinel?: string[];
  sentinelmaster?: string;
  /** Name of an example, or whether there is one. */
  example?: boolean | string;
  /** Milliseconds for which it serves once it is to stop. */
  shutdownDelay: number;
  /** False serves no metrics. */
  metrics: boolean;
  /** Of controller, server and repositories; 8082 to 8084 if absent. */
  metricsPorts?: readonly number[];
  metricsApplicationLabels: readonly string[];
  metricsApplicationConditions: readonly string[];
  metricsClusterLabels: readonly string[];
}
