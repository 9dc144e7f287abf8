import type { Client } from '@tiphys/kubernetes';
import { configMapData } from './config-map.ts';
import { settingValues } from './controller-settings.ts';

/** Where the metrics of workflows are served, as `metricsConfig` of workflow-controller-configmap says; the port speaks TLS unless `secure: false`. */
export async function readMetricsSettings(at: {
  readonly client: Client;
  readonly namespace: string;
}): Promise<{ enabled: boolean; port: number; path: string; secure: boolean }> {
  const given = settingValues(await configMapData(at)).get('metricsConfig');
  const config = (given !== null && typeof given === 'object' ? given : {}) as Partial<
    Record<'enabled' | 'port' | 'path' | 'secure', unknown>
  >;
  const port = Number(config.port ?? 9090);
  return {
    enabled: config.enabled !== false,
    port: Number.isInteger(port) && port > 0 ? port : 9090,
    path: typeof config.path === 'string' && config.path.startsWith('/') ? config.path : '/metrics',
    secure: config.secure !== false,
  };
}
