import { readFileSync } from 'node:fs';
import type { ApplicationSet } from '@tiphys/api';
import { readNamespaceList } from '@tiphys/applications';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { goDurationOrSeconds } from '@tiphys/go';
import { setSettingIgnored } from '../diagnoses/diagnoses.ts';
import type { GeneratorSettings } from '../generators/sources.ts';

export type ApplicationsSyncPolicy = (typeof policies)[number];

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
  /** Values that cannot be read, for every set. */
  readonly notices: readonly Diagnosis[];
}

const policies = ['sync', 'create-only', 'create-update', 'create-delete'] as const;
const prefix = 'applicationsetcontroller.';

type Parameters = ReadonlyMap<string, string>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings; the variables of the environment, upstream's way to hand them over, win. A value that cannot be read is told, and `last`, what held
 * before it, goes on; of a policy that never could be read nothing is changed and nothing deleted.
 */
export function readSettings(
  parameters: Parameters,
  env: Environment,
  last?: ApplicationSetSettings,
): ApplicationSetSettings {
  const read = new Reading(parameters, env);
  const policy = read.text('policy', 'POLICY');
  const known = policies.find((each) => each === policy);
  if (policy && !known) read.refuse('policy', 'POLICY', `wanted ${policies.join(', ')}`);
  const namespaces = readNamespaceList(read.text('namespaces', 'NAMESPACES'));
  if (namespaces.problem !== undefined)
    read.refuse('namespaces', 'NAMESPACES', `${namespaces.problem}; wanted names, globs or /expressions/`);
  const caPath = read.text('scm.root.ca.path', 'SCM_ROOT_CA_PATH');
  return {
    namespaces: namespaces.problem === undefined ? namespaces.patterns : (last?.namespaces ?? namespaces.patterns),
    policy: known ?? (policy ? (last?.policy ?? 'create-only') : 'sync'),
    policyOverride: read.flag(
      'enable.policy.override',
      'ENABLE_POLICY_OVERRIDE',
      policy === undefined,
      last?.policyOverride,
    ),
    dryRun: read.flag('dryrun', 'DRY_RUN', false, last?.dryRun),
    progressiveSyncs: read.flag('enable.progressive.syncs', 'ENABLE_PROGRESSIVE_SYNCS', false, last?.progressiveSyncs),
    preservedAnnotations: read.list('global.preserved.annotations', 'GLOBAL_PRESERVED_ANNOTATIONS'),
    preservedLabels: read.list('global.preserved.labels', 'GLOBAL_PRESERVED_LABELS'),
    maxResources: read.count('status.max.resources.count', 'MAX_RESOURCES_STATUS_COUNT', 5_000, last?.maxResources),
    workers: Math.max(1, read.count('concurrent.reconciliations.max', 'CONCURRENT_RECONCILIATIONS', 10, last?.workers)),
    deletionCount: read.count('deletion.limit.count', 'DELETION_LIMIT_COUNT', 3, last?.deletionCount),
    deletionPercent: read.count('deletion.limit.percent', 'DELETION_LIMIT_PERCENT', 25, last?.deletionPercent),
    requeueAfter: read.duration('requeue.after', 'REQUEUE_AFTER', 180_000, last?.requeueAfter),
    allowedScmProviders: read.list('allowed.scm.providers', 'ALLOWED_SCM_PROVIDERS'),
    enableScmProviders: read.flag('enable.scm.providers', 'ENABLE_SCM_PROVIDERS', true, last?.enableScmProviders),
    tokenRefStrictMode: read.flag(
      'enable.tokenref.strict.mode',
      'TOKENREF_STRICT_MODE',
      false,
      last?.tokenRefStrictMode,
    ),
    newGitFileGlobbing: read.flag(
      'enable.new.git.file.globbing',
      'ENABLE_NEW_GIT_FILE_GLOBBING',
      false,
      last?.newGitFileGlobbing,
    ),
    includeHiddenDirectories: isOn(
      env.ARGOCD_REPO_SERVER_INCLUDE_HIDDEN_DIRECTORIES || parameters.get('reposerver.include.hidden.directories'),
    ),
    scmRootCa: caPath ? readText(caPath) : undefined,
    scmProxy: read.text('scm.proxy.url', 'SCM_PROXY_URL'),
    scmNoProxy: read.text('scm.no.proxy', 'SCM_NO_PROXY'),
    notices: read.notices,
  };
}

/** As Go's `strconv.ParseBool` reads them. */
const flags: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'true'].map((text) => [text, true] as const),
  ...['0', 'f', 'false'].map((text) => [text, false] as const),
]);

const isOn = (text: string | undefined): boolean => flags.get(text?.toLowerCase() ?? '') ?? false;

/** Reads settings by their keys of argocd-cmd-params-cm, and collects what cannot be read. */
class Reading {
  readonly #parameters: Parameters;
  readonly #env: Environment;
  readonly notices: Diagnosis[] = [];

  constructor(parameters: Parameters, env: Environment) {
    this.#parameters = parameters;
    this.#env = env;
  }

  text(key: string, variable: string): string | undefined {
    return this.#env[variableOf(variable)] || this.#parameters.get(prefix + key) || undefined;
  }

  list(key: string, variable: string): string[] {
    return (this.text(key, variable) ?? '')
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean);
  }

  flag(key: string, variable: string, fallback: boolean, last: boolean | undefined): boolean {
    const text = this.text(key, variable);
    if (text === undefined) return fallback;
    const value = flags.get(text.toLowerCase());
    if (value === undefined) this.refuse(key, variable, 'wanted true or false');
    return value ?? last ?? fallback;
  }

  count(key: string, variable: string, fallback: number, last: number | undefined): number {
    const text = this.text(key, variable);
    if (text === undefined) return fallback;
    if (/^\d{1,9}$/.test(text)) return Number(text);
    this.refuse(key, variable, 'wanted a number from 0 on');
    return last ?? fallback;
  }

  /** A number of seconds, or a duration such as `3m`, in milliseconds. */
  duration(key: string, variable: string, fallback: number, last: number | undefined): number {
    const text = this.text(key, variable);
    if (text === undefined) return fallback;
    const milliseconds = goDurationOrSeconds(text.trim());
    if (milliseconds !== undefined && milliseconds >= 0) return milliseconds;
    this.refuse(key, variable, 'wanted a duration such as 3m');
    return last ?? fallback;
  }

  refuse(key: string, variable: string, wanted: string): void {
    const given = this.#env[variableOf(variable)] ? variableOf(variable) : undefined;
    const name = given ?? prefix + key;
    this.notices.push(
      diagnose(setSettingIgnored, {
        message: `${name} is ignored: found "${this.text(key, variable)}", ${wanted}`,
        place: given ? { field: given } : { object: 'ConfigMap argocd-cmd-params-cm', field: `data["${name}"]` },
        remedies: [`Correct ${name}${given ? ' in the environment of the controller' : ' in argocd-cmd-params-cm'}`],
      }),
    );
  }
}

const variableOf = (name: string): string => `ARGOCD_APPLICATIONSET_CONTROLLER_${name}`;

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

/** A file of authorities that is not there leaves those of the system, as upstream. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
