import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { type ComparisonSettings, comparisonSettings } from './comparison-settings.ts';
import { parseDuration } from './duration.ts';

const settingIgnored = defineDiagnosis('SettingIgnored', 'A setting cannot be read, so its default holds');

/** What the control plane's ConfigMap `argocd-cm` says, with the peers' defaults. */
export interface ApplicationSettings {
  /** How often the repositories are asked for new revisions, in milliseconds; 0 for never. Default 120 s. */
  readonly reconciliationTimeout: number;
  /** Up to this much is added to it, by the application's name. Default 60 s. */
  readonly reconciliationJitter: number;
  readonly trackingMethod: 'annotation' | 'annotation+label' | 'label';
  readonly instanceLabelKey: string;
  readonly installationId: string;
  /** `cluster.inClusterEnabled`; default true. */
  readonly inClusterEnabled: boolean;
  /** `controller.diff.server.side` of argocd-cmd-params-cm; default false. */
  readonly serverSideDiff: boolean;
  /** `application.sync.impersonation.*`: whether syncs act as service accounts of the projects, and fail without one. */
  readonly impersonation: { readonly enabled: boolean; readonly enforced: boolean };
  /** `application.namespaces` of argocd-cmd-params-cm: other namespaces that may hold Applications, separated by commas. */
  readonly applicationNamespaces: string;
  /** The last that could be read; throws a diagnosis that names the key if none ever could. */
  readonly comparison: () => ComparisonSettings;
  /** Why what the ConfigMap says of comparing now cannot be read, so that the last good settings go on. */
  readonly refused?: Diagnosis;
  /** Everything of the ConfigMap, for those who read keys of their own (engine, server). */
  readonly data: Readonly<Record<string, string>>;
  /** Everything of `argocd-cmd-params-cm`. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Keys that hold something which cannot be used, so that the default holds. */
  readonly notices: readonly Diagnosis[];
}

/** Reads `argocd-cm` and `argocd-cmd-params-cm`, each time anew only if one of them has changed. */
export function settingsReader(
  configMap: () => KubeObject | undefined,
  parameters: () => KubeObject | undefined,
): () => ApplicationSettings {
  let read:
    | { from: readonly [KubeObject | undefined, KubeObject | undefined]; settings: ApplicationSettings }
    | undefined;
  let lastGood: ComparisonSettings | undefined;
  return () => {
    const from = [configMap(), parameters()] as const;
    if (!read || read.from[0] !== from[0] || read.from[1] !== from[1]) {
      const settings = readSettings(...from, lastGood);
      if (settings.refused === undefined) lastGood = settings.comparison();
      read = { from, settings };
    }
    return read.settings;
  };
}

export function readSettings(
  configMap: KubeObject | undefined,
  parameterMap?: KubeObject,
  lastGood?: ComparisonSettings,
): ApplicationSettings {
  const data = (configMap?.data ?? {}) as Record<string, string>;
  const parameters = (parameterMap?.data ?? {}) as Record<string, string>;
  const comparison = readComparison(data);
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
    inClusterEnabled: data['cluster.inClusterEnabled'] !== 'false',
    serverSideDiff: parameters['controller.diff.server.side'] === 'true',
    impersonation: {
      enabled: data['application.sync.impersonation.enabled'] === 'true',
      enforced: (data['application.sync.impersonation.enforced'] ?? 'true') === 'true',
    },
    applicationNamespaces: parameters['application.namespaces'] ?? '',
    comparison: () => {
      if ('value' in comparison) return comparison.value;
      if (lastGood) return lastGood;
      throw comparison.error;
    },
    ...('error' in comparison ? { refused: diagnosisOf(comparison.error) } : {}),
    data,
    parameters,
    notices: [...problems].map(([key, reason]) =>
      diagnose(settingIgnored, {
        message: `${key} is ignored: ${reason}`,
        place: { object: 'ConfigMap argocd-cm', field: `data["${key}"]` },
        remedies: ['Correct the value; until then the default holds'],
      }),
    ),
  };
}

function readComparison(
  data: Readonly<Record<string, string>>,
): { readonly value: ComparisonSettings } | { readonly error: unknown } {
  try {
    return { value: comparisonSettings(data) };
  } catch (error) {
    return { error };
  }
}
