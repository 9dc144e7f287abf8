import { readFileSync } from 'node:fs';
import type { ApplicationSet } from '@tiphys/api';
import { goDurationOrSeconds } from '@tiphys/go';
import type { GeneratorSettings } from '../generators/sources.ts';

export type ApplicationsSyncPolicy = 'sync' | 'create-only' | 'create-update' | 'create-delete';

/** What argocd-cmd-params-cm and the environment say of ApplicationSets, with upstream's names and defaults. */
export interface ApplicationSetSettings extends GeneratorSettings {
  /** Other namespaces that may hold ApplicationSets: globs, and expressions in slashes. */
  readonly namespaces: readonly string[];
  readonly policy: ApplicationsSyncPolicy;
  /** Whether a set may have a policy of its own; true unless a policy is set. */
  readonly policyOverride: boolean;
  readonly dryRun: boolean;
  readonly progressiveSyncs: boolean;
  readonly preservedAnnotations: readonly string[];
  readonly preservedLabels: readonly string[];
  /** Applications in `status.resources` at most; 0 for all. */
  readonly maxResources: number;
  /** Sets that are worked on at once. */
  readonly workers: number;
  /** Deletions up to this many are made at once. */
  readonly deletionCount: number;
  /** Deletions up to this share of the set, in percent, are made at once. 0 for both takes the limit away. */
  readonly deletionPercent: number;
}

/** Reads a setting by its key of argocd-cmd-params-cm; the variable of the environment, upstream's way to hand it over, wins. */
type Lookup = (key: string, variable: string) => string | undefined;

const prefix = 'applicationsetcontroller.';

export function readSettings(
  parameters: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string | undefined>>,
): ApplicationSetSettings {
  const get: Lookup = (key, variable) =>
    env[`ARGOCD_APPLICATIONSET_CONTROLLER_${variable}`] || parameters.get(`${prefix}${key}`) || undefined;
  const policy = get('policy', 'POLICY');
  const caPath = get('scm.root.ca.path', 'SCM_ROOT_CA_PATH');
  return {
    namespaces: list(get('namespaces', 'NAMESPACES')),
    policy: isPolicy(policy) ? policy : 'sync',
    policyOverride: flag(get('enable.policy.override', 'ENABLE_POLICY_OVERRIDE'), policy === undefined),
    dryRun: flag(get('dryrun', 'DRY_RUN'), false),
    progressiveSyncs: flag(get('enable.progressive.syncs', 'ENABLE_PROGRESSIVE_SYNCS'), false),
    preservedAnnotations: list(get('global.preserved.annotations', 'GLOBAL_PRESERVED_ANNOTATIONS')),
    preservedLabels: list(get('global.preserved.labels', 'GLOBAL_PRESERVED_LABELS')),
    maxResources: count(get('status.max.resources.count', 'MAX_RESOURCES_STATUS_COUNT'), 5_000),
    workers: Math.max(1, count(get('concurrent.reconciliations.max', 'CONCURRENT_RECONCILIATIONS'), 10)),
    deletionCount: count(get('deletion.limit.count', 'DELETION_LIMIT_COUNT'), 3),
    deletionPercent: count(get('deletion.limit.percent', 'DELETION_LIMIT_PERCENT'), 25),
    requeueAfter: duration(get('requeue.after', 'REQUEUE_AFTER')) ?? 180_000,
    allowedScmProviders: list(get('allowed.scm.providers', 'ALLOWED_SCM_PROVIDERS')),
    enableScmProviders: flag(get('enable.scm.providers', 'ENABLE_SCM_PROVIDERS'), true),
    tokenRefStrictMode: flag(get('enable.tokenref.strict.mode', 'TOKENREF_STRICT_MODE'), false),
    newGitFileGlobbing: flag(get('enable.new.git.file.globbing', 'ENABLE_NEW_GIT_FILE_GLOBBING'), false),
    includeHiddenDirectories: flag(
      env.ARGOCD_REPO_SERVER_INCLUDE_HIDDEN_DIRECTORIES || parameters.get('reposerver.include.hidden.directories'),
      false,
    ),
    scmRootCa: caPath ? readText(caPath) : undefined,
    scmProxy: get('scm.proxy.url', 'SCM_PROXY_URL'),
    scmNoProxy: get('scm.no.proxy', 'SCM_NO_PROXY'),
  };
}

/** The policy that holds for a set: its own where it may have one. */
export function policyOf(set: ApplicationSet, settings: ApplicationSetSettings): ApplicationsSyncPolicy {
  const own = set.spec.syncPolicy?.applicationsSync;
  return own && settings.policyOverride ? own : settings.policy;
}

export function mayUpdate(policy: ApplicationsSyncPolicy): boolean {
  return policy === 'sync' || policy === 'create-update';
}

export function mayDelete(policy: ApplicationsSyncPolicy): boolean {
  return policy === 'sync' || policy === 'create-delete';
}

function isPolicy(text: string | undefined): text is ApplicationsSyncPolicy {
  return ['sync', 'create-only', 'create-update', 'create-delete'].includes(text ?? '');
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean);
}

function flag(text: string | undefined, fallback: boolean): boolean {
  return text === undefined ? fallback : ['1', 't', 'true'].includes(text.toLowerCase());
}

function count(text: string | undefined, fallback: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : fallback;
}

/** A number of seconds, or a duration such as `3m`, in milliseconds; what is below zero is none. */
function duration(text: string | undefined): number | undefined {
  const milliseconds = goDurationOrSeconds(text?.trim() ?? '');
  return milliseconds === undefined || milliseconds < 0 ? undefined : milliseconds;
}

/** A file of authorities that is not there leaves those of the system, as upstream. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
