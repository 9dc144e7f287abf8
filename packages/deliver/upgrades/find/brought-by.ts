import type { KubeObject } from '@tiphys/kubernetes';

const longestId = 1024;

/** What of an object's metadata tells where it came from: the Application that delivers it, and its chart. */
export function broughtBy({ metadata }: Pick<KubeObject, 'metadata'>): { application?: string; chart?: string } {
  const { labels = {}, annotations = {} } = metadata;
  const tracked = annotations['argocd.argoproj.io/tracking-id']?.slice(0, longestId).split(':')[0];
  const application = tracked ?? labels['app.kubernetes.io/instance'] ?? labels['argocd.argoproj.io/instance'];
  const chart = labels['helm.sh/chart'] ?? labels.chart;
  return { ...(application ? { application: application.replace('_', '/') } : {}), ...(chart ? { chart } : {}) };
}
