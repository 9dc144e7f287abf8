import { workflowNames } from '@tiphys/api';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { goDuration } from '@tiphys/go';
import { parseDocuments } from '@tiphys/yaml';
import type { MachineSettings } from '../../model/settings.ts';
import type { Packing } from '../persistence/nodes-codec.ts';
import { deletePropagationOf, packingOf, userOverridesOf } from './environment.ts';
import { settingInvalid } from './setting-invalid.ts';

/** What `workflow-controller-configmap` says. */
export interface ControllerSettings extends MachineSettings {
  /** Workflows that run at once, in all and in each namespace; 0 for no limit. */
  readonly parallelism: number;
  readonly namespaceParallelism: number;
  readonly retention: { readonly completed: number; readonly failed: number; readonly errored: number };
  /** Pods that are created at once, and each second after that. */
  readonly rateLimit?: { readonly limit: number; readonly burst: number };
  readonly semaphoreLimitCacheSeconds: number;
  /** How nodes are packed that are too large for the API server. */
  readonly packing: Packing;
  /** What becomes of what belongs to a workflow that is deleted because it is old. */
  readonly deletePropagation: 'Background' | 'Foreground' | 'Orphan';
  /** Whether claims of finished workflows wait until no pod is there that mounts them. */
  readonly keepsClaimGuard: boolean;
  /** Whether nothing is estimated from earlier workflows. */
  readonly skipsEstimates: boolean;
  /** Where archive and offloaded nodes are kept, as it is written. */
  readonly persistence?: Readonly<Record<string, unknown>>;
  /** The database of locks, as it is written. */
  readonly synchronization?: Readonly<Record<string, unknown>>;
}

/** What the process is started with, which the ConfigMap cannot change. */
export interface SettingsBase {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly executorImage: string;
  readonly executorCommand?: readonly string[];
  readonly emissaryCommand?: readonly string[];
  readonly wrapsCommands?: boolean;
  readonly executorAsRoot?: boolean;
  readonly ownTemporary?: boolean;
  /** Where artifacts go if the ConfigMap does not say it. */
  readonly artifactRepository?: MachineSettings['artifactRepository'];
}

type Data = ReadonlyMap<string, unknown>;

/** Reads the settings; what cannot be read is reported, and its default applies. */
export function parseSettings(
  data: ReadonlyMap<string, string>,
  base: SettingsBase,
): { settings: ControllerSettings; problems: Diagnosis[] } {
  const problems: Diagnosis[] = [];
  const values = readValues(data, problems);
  const { env } = base;
  const executor = object(values, 'executor') ?? {};
  const settings = {
    parallelism: number(values, 'parallelism') ?? 0,
    namespaceParallelism: number(values, 'namespaceParallelism') ?? 0,
    retention: retentionOf(object(values, 'retentionPolicy') ?? {}),
    semaphoreLimitCacheSeconds: number(values, 'semaphoreLimitCacheSeconds') ?? 0,
    ...defined({
      rateLimit: object(values, 'resourceRateLimit') as ControllerSettings['rateLimit'],
      instanceId: text(values, 'instanceID'),
      persistence: object(values, 'persistence'),
      synchronization: object(values, 'synchronization'),
      workflowDefaults: object(values, 'workflowDefaults'),
      templateReferencing: (object(values, 'workflowRestrictions') as { templateReferencing?: string } | undefined)
        ?.templateReferencing,
      artifactRepository: object(values, 'artifactRepository') ?? base.artifactRepository,
      mainContainer: object(values, 'mainContainer'),
      executor,
      images: object(values, 'images'),
      artifactDrivers: list(values, 'artifactDrivers'),
      kubeConfig: object(values, 'kubeConfig'),
      failedPodRestart: object(values, 'failedPodRestart'),
      podGCDeleteDelay: duration(values, 'podGCDeleteDelayDuration'),
      podGCGracePeriodSeconds: number(values, 'podGCGracePeriodSeconds'),
      executorImagePullPolicy: (executor as { imagePullPolicy?: string }).imagePullPolicy,
      executorCommand: base.executorCommand,
      emissaryCommand: base.emissaryCommand,
      wrapsCommands: base.wrapsCommands,
      ownTemporary: base.ownTemporary,
      executorAsRoot: base.executorAsRoot,
      retryHostLabel: env.RETRY_HOST_NAME_LABEL_KEY,
      transientErrorPattern: env.TRANSIENT_ERROR_PATTERN,
      podAbsenceGrace: env.RECENTLY_STARTED_POD_DURATION && goDuration(env.RECENTLY_STARTED_POD_DURATION),
      taskResultTimeout: env.TASK_RESULT_TIMEOUT_DURATION && goDuration(env.TASK_RESULT_TIMEOUT_DURATION),
      progressPatchTick: env.ARGO_PROGRESS_PATCH_TICK_DURATION,
      progressFileTick: env.ARGO_PROGRESS_FILE_TICK_DURATION,
      podNameFormat: env.POD_NAMES === 'v1' ? 'v1' : undefined,
      maxDepth: env.DISABLE_MAX_RECURSION === 'true' ? Number.POSITIVE_INFINITY : undefined,
      userOverrides: userOverridesOf(env, problems),
    }),
    executorImage: (executor as { image?: string }).image || base.executorImage,
    sendWorkflowEvents: enabled(object(values, 'workflowEvents')),
    sendNodeEvents: enabled(object(values, 'nodeEvents')),
    sendNodeEventsAsPod: (object(values, 'nodeEvents') as { sendAsPod?: boolean } | undefined)?.sendAsPod === true,
    agentDisabled: values.get('disableAgentPodCreation') === true,
    executorPlugins: env.ARGO_EXECUTOR_PLUGINS === 'true',
    workflowLevelExecutorPlugins: env.ARGO_WORKFLOW_LEVEL_EXECUTOR_PLUGINS === 'true',
    agent: defined({
      cpuLimit: env.ARGO_AGENT_CPU_LIMIT,
      memoryLimit: env.ARGO_AGENT_MEMORY_LIMIT,
      patchRate: env.ARGO_AGENT_PATCH_RATE || env.DEFAULT_REQUEUE_TIME,
    }),
    packing: packingOf(env, problems),
    deletePropagation: deletePropagationOf(env, problems),
    keepsClaimGuard: env.ARGO_REMOVE_PVC_PROTECTION_FINALIZER === 'false',
    skipsEstimates: env.SKIP_WORKFLOW_DURATION_ESTIMATION === 'true',
    keepsArtifacts: env.ARGO_ARTIFACT_GC_ENABLED === 'false',
    podStatusFinalizer: env.ARGO_POD_STATUS_CAPTURE_FINALIZER === 'true',
  } as unknown as ControllerSettings;
  return { settings, problems };
}

/** What the keys of the ConfigMap say; those that cannot be read are left out. */
export function settingValues(data: ReadonlyMap<string, string>): ReadonlyMap<string, unknown> {
  return readValues(data, []);
}

/** Each key is YAML of its own; older installations have all of it below `config`. */
function readValues(data: ReadonlyMap<string, string>, problems: Diagnosis[]): Data {
  const values = new Map<string, unknown>();
  for (const [key, yaml] of data) {
    try {
      const value = parseDocuments(yaml, { file: key }).documents[0]?.value as unknown;
      if (key === 'config' && value !== null && typeof value === 'object')
        for (const [inner, setting] of Object.entries(value)) values.set(inner, setting);
      else values.set(key, value);
    } catch (error) {
      problems.push(
        diagnose(settingInvalid, {
          message: `${key} of ${workflowNames.configMap} is not valid YAML: ${(error as Error).message}`,
          place: { object: `ConfigMap ${workflowNames.configMap}`, field: `data.${key}` },
          remedies: [`Correct data.${key}; until then its default applies`],
        }),
      );
    }
  }
  return values;
}

function object(values: Data, key: string): object | undefined {
  const value = values.get(key);
  return value !== null && typeof value === 'object' ? value : undefined;
}

function list(values: Data, key: string): readonly unknown[] | undefined {
  const value = values.get(key);
  return Array.isArray(value) ? value : undefined;
}

function text(values: Data, key: string): string | undefined {
  const value = values.get(key);
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function number(values: Data, key: string): number | undefined {
  const value = Number(values.get(key) ?? Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

function duration(values: Data, key: string): number | undefined {
  const value = text(values, key);
  return value === undefined ? undefined : goDuration(value);
}

function enabled(events: object | undefined): boolean {
  return (events as { enabled?: boolean } | undefined)?.enabled !== false;
}

function retentionOf(policy: object): ControllerSettings['retention'] {
  const { completed = 0, failed = 0, errored = 0 } = policy as Partial<Record<string, number>>;
  return { completed, failed, errored };
}

function defined(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''));
}
