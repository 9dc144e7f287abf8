import type { Application, ApplicationSpec } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Command, Option } from 'commander';
import { collect } from '../../terminal/flag-values.ts';
import { addSourceFlags, withSourceFlags } from '../common/source-flags.ts';

const sourceNotNamed = defineDiagnosis('SourceNotNamed', 'A command does not say which of several sources it means');

/** The flags of `argocd app create` and `argocd app set` that say what is delivered, from where, to where. */
export interface SpecFlags {
  readonly destServer?: string;
  readonly destName?: string;
  readonly destNamespace?: string;
  readonly project?: string;
  readonly syncPolicy?: 'none' | 'manual' | 'auto' | 'automated' | 'automatic';
  readonly autoPrune?: boolean;
  readonly selfHeal?: boolean;
  readonly allowEmpty?: boolean;
  readonly syncOption?: string[];
  readonly syncRetryLimit?: number;
  readonly syncRetryBackoffDuration?: string;
  readonly syncRetryBackoffMaxDuration?: string;
  readonly syncRetryBackoffFactor?: number;
  readonly syncRetryRefresh?: boolean;
  readonly revisionHistoryLimit?: number;
  readonly drySourceRepo?: string;
  readonly drySourceRevision?: string;
  readonly drySourcePath?: string;
  readonly syncSourceBranch?: string;
  readonly syncSourcePath?: string;
  readonly hydrateToBranch?: string;
  /** Of several sources the one that is changed, counted from 1; or its name. */
  readonly sourcePosition?: number;
  readonly sourceName?: string;
}

const number = (text: string) => Number.parseInt(text, 10);

export function addSpecFlags(command: Command): Command {
  return addSourceFlags(command)
    .option('--dest-server <url>', 'Cluster, by its URL')
    .option('--dest-name <name>', 'Cluster, by its name')
    .option('--dest-namespace <namespace>', 'Namespace of objects that name none')
    .option('--project <name>', 'Project')
    .addOption(
      new Option('--sync-policy <policy>', 'Whether changes are synced without being asked for').choices([
        'none',
        'manual',
        'auto',
        'automated',
        'automatic',
      ]),
    )
    .option('--auto-prune', 'Automated sync deletes what left the repository')
    .option('--self-heal', 'Automated sync undoes changes of live objects')
    .option('--allow-empty', 'Automated sync may delete everything')
    .option('--sync-option <option>', 'Sync option; with ! in front it is removed (repeatable)', collect)
    .option('--sync-retry-limit <count>', 'How often a failed sync is tried again', number)
    .option('--revision-history-limit <count>', 'How many deployments are kept', number)
    .option('--sync-retry-backoff-duration <duration>', 'Wait before the first retry (5s)')
    .option('--sync-retry-backoff-max-duration <duration>', 'Longest wait before a retry (3m)')
    .option('--sync-retry-backoff-factor <factor>', 'What the wait is multiplied by after each retry', number)
    .option('--sync-retry-refresh', 'A retry takes the newest revision')
    .option('--dry-source-repo <url>', 'Repository whose manifests are hydrated')
    .option('--dry-source-revision <revision>', 'Its branch, tag or commit')
    .option('--dry-source-path <dir>', 'Its folder')
    .option('--sync-source-branch <branch>', 'Branch of the hydrated manifests')
    .option('--sync-source-path <dir>', 'Its folder')
    .option('--hydrate-to-branch <branch>', 'Branch that hydrated manifests are written to first')
    .option('--source-position <number>', 'Of several sources the one that is meant, counted from 1', number)
    .option('--source-name <name>', 'The same, by its name');
}

/** The spec with what the flags say; what they do not name stays. */
export function withSpecFlags(spec: ApplicationSpec, flags: SpecFlags, workdir: string): ApplicationSpec {
  const destination = {
    ...spec.destination,
    ...(flags.destServer === undefined ? {} : { server: flags.destServer, name: undefined }),
    ...(flags.destName === undefined ? {} : { name: flags.destName, server: undefined }),
    ...(flags.destNamespace === undefined ? {} : { namespace: flags.destNamespace }),
  };
  return {
    ...spec,
    ...(flags.project === undefined ? {} : { project: flags.project }),
    ...(flags.revisionHistoryLimit === undefined ? {} : { revisionHistoryLimit: flags.revisionHistoryLimit }),
    destination: destination as ApplicationSpec['destination'],
    ...sourcesOf(spec, flags, workdir),
    ...hydratorOf(spec, flags),
    ...policyOf(spec, flags),
  };
}

function sourcesOf(
  spec: ApplicationSpec,
  flags: SpecFlags,
  workdir: string,
): Pick<ApplicationSpec, 'source' | 'sources'> {
  const given = flags as Readonly<Record<string, unknown>>;
  if (!spec.sources?.length) {
    const source = withSourceFlags(spec.source, given, workdir);
    return source ? { source } : {};
  }
  const at = sourceAt(spec, flags);
  const source = withSourceFlags(spec.sources[at], given, workdir);
  return source ? { sources: spec.sources.with(at, source) } : {};
}

/** Which of several sources the flags mean. Throws a diagnosis that lists them where they mean none. */
export function sourceAt(spec: ApplicationSpec, { sourcePosition, sourceName }: SpecFlags): number {
  const sources = spec.sources ?? [];
  const at =
    sourceName === undefined ? (sourcePosition ?? 0) - 1 : sources.findIndex(({ name }) => name === sourceName);
  if (sources[at]) return at;
  throw failure(sourceNotNamed, {
    message: 'The application has several sources, and none of them is named',
    evidence: { sources: sources.map(({ name, repoURL }, index) => `${index + 1}: ${name ?? repoURL}`).join(', ') },
    remedies: ['Name one by --source-position (counted from 1) or --source-name'],
  });
}

function hydratorOf(spec: ApplicationSpec, flags: SpecFlags): Pick<ApplicationSpec, 'sourceHydrator'> {
  const { drySourceRepo, drySourceRevision, drySourcePath, syncSourceBranch, syncSourcePath, hydrateToBranch } = flags;
  const all = [drySourceRepo, drySourceRevision, drySourcePath, syncSourceBranch, syncSourcePath, hydrateToBranch];
  if (all.every((value) => value === undefined)) return {};
  const { drySource, syncSource, hydrateTo } = spec.sourceHydrator ?? {};
  return {
    sourceHydrator: {
      drySource: {
        ...drySource,
        repoURL: drySourceRepo ?? drySource?.repoURL ?? '',
        targetRevision: drySourceRevision ?? drySource?.targetRevision ?? '',
        path: drySourcePath ?? drySource?.path ?? '',
      },
      syncSource: {
        ...syncSource,
        targetBranch: syncSourceBranch ?? syncSource?.targetBranch ?? '',
        path: syncSourcePath ?? syncSource?.path ?? '',
      },
      ...(hydrateToBranch === undefined
        ? hydrateTo
          ? { hydrateTo }
          : {}
        : { hydrateTo: { targetBranch: hydrateToBranch } }),
    },
  };
}

type Retry = NonNullable<NonNullable<ApplicationSpec['syncPolicy']>['retry']>;

function retryOf(before: Retry | undefined, flags: SpecFlags): { retry?: Retry } {
  const backoff = {
    ...(flags.syncRetryBackoffDuration === undefined ? {} : { duration: flags.syncRetryBackoffDuration }),
    ...(flags.syncRetryBackoffMaxDuration === undefined ? {} : { maxDuration: flags.syncRetryBackoffMaxDuration }),
    ...(flags.syncRetryBackoffFactor === undefined ? {} : { factor: flags.syncRetryBackoffFactor }),
  };
  const changes = {
    ...(flags.syncRetryLimit === undefined ? {} : { limit: flags.syncRetryLimit }),
    ...(flags.syncRetryRefresh === undefined ? {} : { refresh: flags.syncRetryRefresh }),
    ...(Object.keys(backoff).length > 0 ? { backoff: { ...before?.backoff, ...backoff } } : {}),
  };
  return Object.keys(changes).length > 0 ? { retry: { ...before, ...changes } } : {};
}

function policyOf(spec: ApplicationSpec, flags: SpecFlags): Pick<ApplicationSpec, 'syncPolicy'> {
  const before = spec.syncPolicy ?? {};
  let { automated } = before;
  if (flags.syncPolicy === 'none' || flags.syncPolicy === 'manual') automated = undefined;
  else if (flags.syncPolicy) automated = automated ?? {};
  if (flags.autoPrune !== undefined) automated = { ...automated, prune: flags.autoPrune };
  if (flags.selfHeal !== undefined) automated = { ...automated, selfHeal: flags.selfHeal };
  if (flags.allowEmpty !== undefined) automated = { ...automated, allowEmpty: flags.allowEmpty };
  const removed = (flags.syncOption ?? []).filter((option) => option.startsWith('!')).map((option) => option.slice(1));
  const added = (flags.syncOption ?? []).filter((option) => !option.startsWith('!'));
  const named = (option: string) => option.split('=')[0];
  const options = [
    ...(before.syncOptions ?? []).filter(
      (option) => !removed.includes(named(option) as string) && !added.some((one) => named(one) === named(option)),
    ),
    ...added,
  ];
  const { automated: _, syncOptions: __, ...rest } = before;
  const syncPolicy = {
    ...rest,
    ...(automated ? { automated } : {}),
    ...(options.length > 0 ? { syncOptions: options } : {}),
    ...retryOf(before.retry, flags),
  };
  return Object.keys(syncPolicy).length > 0
    ? { syncPolicy: syncPolicy as never }
    : ({ syncPolicy: undefined } as never);
}

/** The Application that `argocd app create NAME` makes of the flags. */
export function applicationOf(
  name: string,
  flags: SpecFlags,
  { metadata, workdir }: { readonly metadata: object; readonly workdir: string },
): Application {
  const empty = { project: 'default', destination: {} } as unknown as ApplicationSpec;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, ...metadata },
    spec: withSpecFlags(empty, flags, workdir),
  };
}
