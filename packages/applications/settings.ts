import type { KubeObject } from '@tiphys/kubernetes';
import { parseDuration } from './duration.ts';

/** What the control plane's ConfigMap `argocd-cm` says, with the peers' defaults. */
export interface ApplicationSettings {
  /** How often the repositories are asked for new revisions, in milliseconds; 0 for never. Default 120 s. */
  readonly reconciliationTimeout: number;
  /** Up to this much is added to it, by the application's name. Default 60 s. */
  readonly reconciliationJitter: number;
  readonly trackingMethod: 'annotation' | 'annotation+label' | 'label';
  readonly instanceLabelKey: string;
  readonly installationId: string;
  /** Everything of the ConfigMap, for those who read keys of their own (engine, server). */
  readonly data: Readonly<Record<string, string>>;
  /** Keys that hold something which cannot be used, with the reason. */
  readonly problems: ReadonlyMap<string, string>;
}

export function readSettings(configMap: KubeObject | undefined): ApplicationSettings {
  const data = (configMap?.data ?? {}) as Record<string, string>;
  const problems = new Map<string, string>();
  const duration = (key: string, fallback: number): number => {
    const text = data[key];
    if (text === undefined || text === '') return fallback;
    const value = parseDuration(text);
    if (value === undefined) problems.set(key, `found "${text}", wanted a duration such as 180s`);
    return value ?? fallback;
  };
  const method = data['application.resourceTrackingMethod'] || 'annotation';
  const known = method === 'annotation' || method === 'annotation+label' || method === 'label';
  if (!known)
    problems.set(
      'application.resourceTrackingMethod',
      `found "${method}", wanted annotation, annotation+label or label`,
    );
  return {
    reconciliationTimeout: duration('timeout.reconciliation', 120_000),
    reconciliationJitter: duration('timeout.reconciliation.jitter', 60_000),
    trackingMethod: known ? method : 'annotation',
    instanceLabelKey: data['application.instanceLabelKey'] || 'app.kubernetes.io/instance',
    installationId: data.installationID ?? '',
    data,
    problems,
  };
}
