import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import type { RenderShares } from '@tiphys/source';
import { commaList } from './comma-list.ts';
import { type ComparisonSettings, comparisonSettings } from './comparison-settings.ts';
import { parseDuration } from './duration.ts';
import { readNamespaceList } from './namespace-list.ts';
import { oddValues } from './odd-values.ts';
import { renderShares } from './render-shares.ts';
import { type ResourceFilters, resourceFilters } from './resource-filters.ts';
import type { SelfHealWait } from './retry.ts';
import type { ShardingAlgorithm } from './shard-algorithms.ts';

const settingIgnored = defineDiagnosis(
  'SettingIgnored',
  'A setting cannot be read, so the last good value holds, or the default',
);

/** Without a webhook a fault of a remote, and a commit, are seen within a minute; it costs one request for a repository. */
const defaultRemoteInterval = 45_000;

/** What the control plane's ConfigMap `argocd-cm` says, with the peers' defaults. */
export interface ApplicationSettings {
  /** How often the repositories are asked for new revisions, in milliseconds; 0 for never. Default 120 s. */
  readonly reconciliationTimeout: number;
  /** How often a repository is asked for moved refs by one cheap request, in milliseconds: 45 s, or the timeout that was set; 0 for never. */
  readonly remoteInterval: number;
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
  /** `application.namespaces` of argocd-cmd-params-cm: other namespaces that may hold Applications; the last good list while it cannot be read. */
  readonly applicationNamespaces: readonly string[];
  /** `controller.sharding.algorithm` of argocd-cmd-params-cm; default legacy. */
  readonly shardingAlgorithm: ShardingAlgorithm;
  /** `controller.sync.wave.delay.seconds` of argocd-cmd-params-cm, in milliseconds; default 2 s. */
  readonly syncWaveDelay: number;
  /** `controller.sync.timeout.seconds` of argocd-cmd-params-cm, in milliseconds; default 0, which is no limit. */
  readonly syncTimeout: number;
  /** `controller.self.heal.*` of argocd-cmd-params-cm; default 2 s, tripled at each attempt, 5 minutes at most. */
  readonly selfHeal: SelfHealWait;
  /** `application.allowedNodeLabels`: labels of nodes that may be shown; default none. */
  readonly allowedNodeLabels: readonly string[];
  /** The last that could be read; throws a diagnosis that names the key if none ever could. */
  readonly comparison: () => ComparisonSettings;
  /** The same; undefined if none ever could. */
  readonly goodComparison: ComparisonSettings | undefined;
  /** Why what the ConfigMap says of comparing now cannot be read, so that the last good settings go on. */
  readonly refused?: Diagnosis;
  readonly resourceFilters: ResourceFilters;
  /** `tiphys.render.weights` and `tiphys.render.limits` of argocd-cmd-params-cm; default all the same, without limit. */
  readonly renderShares: RenderShares;
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
  let last: ApplicationSettings | undefined;
  return () => {
    const from = [configMap(), parameters()] as const;
    if (!read || read.from[0] !== from[0] || read.from[1] !== from[1]) {
      const settings = readSettings(...from, last);
      last = settings;
      read = { from, settings };
    }
    return read.settings;
  };
}

export function readSettings(
  configMap: KubeObject | undefined,
  parameterMap?: KubeObject,
  /** What held before: it goes on where a value cannot be used. */
  last?: ApplicationSettings,
): ApplicationSettings {
  const data = (configMap?.data ?? {}) as Record<string, string>;
  const parameters = (parameterMap?.data ?? {}) as Record<string, string>;
  const comparison = readComparison(data);
  const good = 'value' in comparison ? comparison.value : last?.goodComparison;
  const problems = oddValues(data, parameters);
  const duration = (key: string, fallback: number, before: number | undefined): number => {
    const text = data[key];
    if (text === undefined || text === '') return fallback;
    const value = parseDuration(text);
    if (value === undefined) problems.set(key, `found "${text}", wanted a duration such as 180s`);
    return value ?? before ?? fallback;
  };
  const choice = <T extends string>(key: string, text: string | undefined, all: readonly T[], before?: T): T => {
    const found = all.find((each) => each === (text || all[0]));
    if (found === undefined) problems.set(key, `found "${text}", wanted ${all.join(', ')}`);
    return found ?? before ?? (all[0] as T);
  };
  const seconds = (key: string, fallback: number, before: number | undefined): number => {
    const text = parameters[key];
    if (text === undefined || text === '') return fallback;
    if (/^\d{1,6}$/.test(text)) return Number(text) * 1_000;
    problems.set(key, `found "${text}", wanted a number of seconds`);
    return before ?? fallback;
  };
  const namespaces = readNamespaceList(parameters['application.namespaces']);
  if (namespaces.problem !== undefined)
    problems.set(
      'application.namespaces',
      `${namespaces.problem}; wanted names, globs or /expressions/ of namespaces, separated by commas`,
    );
  const respect = 'resource.respectRBAC';
  // both are what happens without it too, so that only a value which means nothing is reported
  choice(respect, data[respect], ['strict', 'normal'] as const);
  const method = 'application.resourceTrackingMethod';
  const algorithm = 'controller.sharding.algorithm';
  const timeout = duration('timeout.reconciliation', 120_000, last?.reconciliationTimeout);
  return {
    reconciliationTimeout: timeout,
    remoteInterval: data['timeout.reconciliation'] ? timeout : defaultRemoteInterval,
    reconciliationJitter: duration('timeout.reconciliation.jitter', 60_000, last?.reconciliationJitter),
    trackingMethod: choice(
      method,
      data[method],
      ['annotation', 'annotation+label', 'label'] as const,
      last?.trackingMethod,
    ),
    instanceLabelKey: data['application.instanceLabelKey'] || 'app.kubernetes.io/instance',
    installationId: data.installationID ?? '',
    inClusterEnabled: data['cluster.inClusterEnabled'] !== 'false',
    serverSideDiff: parameters['controller.diff.server.side'] === 'true',
    impersonation: {
      enabled: data['application.sync.impersonation.enabled'] === 'true',
      enforced: (data['application.sync.impersonation.enforced'] ?? 'true') === 'true',
    },
    shardingAlgorithm: choice(
      algorithm,
      parameters[algorithm],
      ['legacy', 'round-robin', 'consistent-hashing'] as const,
      last?.shardingAlgorithm,
    ),
    applicationNamespaces:
      namespaces.problem === undefined ? namespaces.patterns : (last?.applicationNamespaces ?? namespaces.patterns),
    syncWaveDelay: seconds('controller.sync.wave.delay.seconds', 2_000, last?.syncWaveDelay),
    syncTimeout: seconds('controller.sync.timeout.seconds', 0, last?.syncTimeout),
    selfHeal: selfHealOf(parameters, problems) ?? last?.selfHeal ?? { first: 2_000, factor: 3, maximum: 300_000 },
    allowedNodeLabels: labelNames(data, problems),
    comparison: () => {
      if (good) return good;
      throw 'error' in comparison ? comparison.error : new Error('no comparison settings');
    },
    goodComparison: good,
    resourceFilters: resourceFilters(data, last?.resourceFilters),
    renderShares: renderShares(parameters, problems) ?? last?.renderShares ?? { weights: new Map(), limits: new Map() },
    ...('error' in comparison ? { refused: diagnosisOf(comparison.error) } : {}),
    data,
    parameters,
    notices: [...problems].map(([key, reason]) =>
      diagnose(settingIgnored, {
        message: `${key} is ignored: ${reason}`,
        place: {
          object: `ConfigMap ${Object.hasOwn(data, key) ? 'argocd-cm' : 'argocd-cmd-params-cm'}`,
          field: `data["${key}"]`,
        },
        remedies: ['Correct the value; until then the last good one holds, or the default'],
      }),
    ),
  };
}

/** As upstream names that no label can have are left out. */
function labelNames(data: Readonly<Record<string, string>>, problems: Map<string, string>): string[] {
  const key = 'application.allowedNodeLabels';
  const wanted = commaList(data[key]);
  const odd = wanted.filter((name) => !labelName.test(name));
  if (odd.length > 0) problems.set(key, `found "${odd.join('", "')}", wanted names of labels separated by commas`);
  return wanted.filter((name) => labelName.test(name));
}

const labelName =
  /^([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

/** Undefined if a number cannot be read, which `problems` then tells. As upstream a first wait of 0 makes all waits the same. */
function selfHealOf(
  parameters: Readonly<Record<string, string>>,
  problems: Map<string, string>,
): SelfHealWait | undefined {
  const before = problems.size;
  const seconds = (name: string, fallback: number): number => {
    const key = `controller.self.heal.${name}`;
    const text = parameters[key];
    if (!text) return fallback;
    if (!/^\d{1,9}$/.test(text)) problems.set(key, `found "${text}", wanted a whole number`);
    return Number(text);
  };
  const first = seconds('backoff.timeout.seconds', 2) * 1_000;
  const factor = seconds('backoff.factor', 3);
  const maximum = seconds('backoff.cap.seconds', 300) * 1_000;
  const always = seconds('timeout.seconds', 0) * 1_000;
  if (problems.size > before) return undefined;
  return first === 0 ? { always } : { first, factor, maximum };
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
