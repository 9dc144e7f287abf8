import type { Application, ResourceStatus, Source } from '../api/model.ts';
import { t } from '../i18n/texts.ts';

/** How objects that the cluster owns through what is deleted go with it. */
export const propagationPolicies = ['foreground', 'background', 'orphan'] as const;

export type PropagationPolicy = (typeof propagationPolicies)[number];

/** Options of a sync that are on or off, by their name in `syncOptions`. */
export const switches = [
  {
    option: 'ApplyOutOfSyncOnly=true',
    label: 'Out of sync only',
    description: 'Leave what is in sync alone; otherwise everything is applied',
  },
  { option: 'Replace=true', label: 'Replace', description: 'Replace objects in place of patching them' },
  {
    option: 'ServerSideApply=true',
    label: 'Server-side apply',
    description: 'The API server merges, and keeps who owns which field',
  },
  {
    option: 'Validate=false',
    label: 'Skip schema validation',
    description: 'Let fields through that the schema does not know',
  },
  {
    option: 'CreateNamespace=true',
    label: 'Create the namespace',
    description: 'Make the namespace of the destination if it is not there',
  },
  {
    option: 'PruneLast=true',
    label: 'Prune last',
    description: 'Delete what is left over after everything else is healthy',
  },
  {
    option: 'RespectIgnoreDifferences=true',
    label: 'Respect ignored differences',
    description: 'Leave fields of ignoreDifferences as they are live',
  },
] as const;

/** What a sync does or leaves out, whatever its options are. */
export const syncFlags = [
  { name: 'prune', label: 'Prune', description: 'Delete what is left over' },
  { name: 'dryRun', label: 'Dry run', description: 'Ask the cluster, change nothing' },
  { name: 'applyOnly', label: 'Apply only', description: 'Leave hooks out' },
  { name: 'force', label: 'Force', description: 'Delete and create again what cannot be changed in place' },
] as const;

export type SyncFlag = (typeof syncFlags)[number]['name'];

export type SwitchOption = (typeof switches)[number]['option'];

export interface RetryChoices {
  enabled: boolean;
  limit: number;
  duration: string;
  factor: number;
  maxDuration: string;
  refresh: boolean;
}

/** What the sync panel asks for. */
export interface SyncChoices {
  /** One a source; empty is the source's own target. */
  revisions: string[];
  prune: boolean;
  dryRun: boolean;
  applyOnly: boolean;
  force: boolean;
  switches: ReadonlySet<SwitchOption>;
  propagation: PropagationPolicy;
  retry: RetryChoices;
  /** Keys of the chosen objects; undefined is all of them. */
  chosen: ReadonlySet<string> | undefined;
}

const policyPrefix = 'PrunePropagationPolicy=';

export function sourcesOf({ spec }: Application): Source[] {
  return spec.sources?.length ? spec.sources : spec.source ? [spec.source] : [];
}

/** The sources as people know them: that of a hydrated application is the branch that is written. */
export function shownSourcesOf(application: Application): Source[] {
  const { drySource, syncSource } = application.spec.sourceHydrator ?? {};
  if (!drySource?.repoURL) return sourcesOf(application);
  return [
    {
      repoURL: drySource.repoURL,
      ...(syncSource?.path ? { path: syncSource.path } : {}),
      ...(syncSource?.targetBranch ? { targetRevision: syncSource.targetBranch } : {}),
    },
  ];
}

export function resourceKey({ group = '', kind, namespace = '', name }: ResourceStatus): string {
  return [group, kind, namespace, name].join('/');
}

/** What the application itself says of its syncs; the rest as a sync without options has it. */
export function defaultChoices(application: Application): SyncChoices {
  const { syncOptions = [], retry } = application.spec.syncPolicy ?? {};
  const policy = syncOptions.find((option) => option.startsWith(policyPrefix))?.slice(policyPrefix.length);
  return {
    revisions: sourcesOf(application).map(() => ''),
    prune: false,
    dryRun: false,
    applyOnly: false,
    force: false,
    switches: new Set(switches.map(({ option }) => option).filter((option) => syncOptions.includes(option))),
    propagation: propagationPolicies.find((known) => known === policy) ?? 'foreground',
    retry: {
      enabled: retry !== undefined && retry.limit !== 0,
      limit: Number(retry?.limit ?? 2),
      duration: retry?.backoff?.duration || '5s',
      factor: Number(retry?.backoff?.factor ?? 2),
      maxDuration: retry?.backoff?.maxDuration || '3m0s',
      refresh: retry?.refresh ?? false,
    },
    chosen: undefined,
  };
}

/** The body of the request. Options of the application that the panel does not show stay as they are. */
export function syncBody(application: Application, choices: SyncChoices): Record<string, unknown> {
  const { metadata, spec } = application;
  const several = Boolean(spec.sources?.length);
  const revisions = choices.revisions.map((revision) => revision.trim());
  const positions = revisions.flatMap((revision, index) => (revision ? [index + 1] : []));
  const { limit, duration, factor, maxDuration, refresh } = choices.retry;
  return {
    name: metadata.name,
    appNamespace: metadata.namespace,
    prune: choices.prune,
    dryRun: choices.dryRun,
    strategy: choices.applyOnly ? { apply: { force: choices.force } } : { hook: { force: choices.force } },
    syncOptions: { items: optionsOf(spec.syncPolicy?.syncOptions ?? [], choices) },
    ...(!several && revisions[0] ? { revision: revisions[0] } : {}),
    ...(several && positions.length > 0
      ? { sourcePositions: positions, revisions: positions.map((position) => revisions[position - 1]) }
      : {}),
    ...(choices.retry.enabled
      ? { retryStrategy: { limit, refresh, backoff: { duration, factor, maxDuration } } }
      : spec.syncPolicy?.retry
        ? { retryStrategy: { limit: 0 } }
        : {}),
    ...(choices.chosen
      ? {
          resources: [...choices.chosen].map((key) => {
            const [group = '', kind = '', namespace = '', name = ''] = key.split('/');
            return { group, kind, namespace, name };
          }),
        }
      : {}),
  };
}

function optionsOf(own: readonly string[], choices: SyncChoices): string[] {
  const known = new Set<string>(switches.flatMap(({ option }) => [option, opposite(option)]));
  const kept = own.filter((option) => !known.has(option) && !option.startsWith(policyPrefix));
  const policy = own.some((option) => option.startsWith(policyPrefix)) || choices.propagation !== 'foreground';
  return [...kept, ...choices.switches, ...(policy ? [`${policyPrefix}${choices.propagation}`] : [])];
}

function opposite(option: string): string {
  return option.endsWith('=true') ? option.replace(/true$/, 'false') : option.replace(/false$/, 'true');
}

/** Why the choices cannot be sent, for people; undefined if they can. */
export function refusedChoices({ chosen, retry }: SyncChoices): string | undefined {
  if (chosen?.size === 0) return t('Choose at least one object.');
  if (!retry.enabled) return undefined;
  const durations = [retry.duration, retry.maxDuration];
  const wrong = durations.find((text) => !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text));
  if (wrong !== undefined) return t('"{text}" is no duration: write it as 5s, 3m or 1h30m.', { text: wrong });
  return undefined;
}
