/** The flags of `tiphys up`; their defaults are those of docs/settings.md. */
export interface UpOptions {
  port: number;
  host: string;
  data?: string;
  kubeconfig?: string;
  context?: string;
  kubeconfigOut?: string;
  repo?: string;
  path?: string;
  revision?: string;
  namespace: string;
  example: boolean;
}
