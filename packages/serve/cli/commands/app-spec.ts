import type { Application, ApplicationSource, ApplicationSpec } from '@tiphys/api';
import { type Command, Option } from 'commander';

/** The flags of `argocd app create` and `argocd app set` that say what is delivered, from where, to where. */
export interface SpecFlags {
  readonly repo?: string;
  readonly path?: string;
  readonly revision?: string;
  readonly helmChart?: string;
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
  readonly revisionHistoryLimit?: number;
  readonly values?: string[];
  readonly helmSet?: string[];
  readonly helmSetString?: string[];
  readonly releaseName?: string;
  readonly kustomizeImage?: string[];
  readonly nameprefix?: string;
  readonly namesuffix?: string;
  readonly directoryRecurse?: boolean;
  readonly plugin?: string;
}

const collect = (value: string, before: string[] = []) => [...before, value];
const number = (text: string) => Number.parseInt(text, 10);

export function addSpecFlags(command: Command): Command {
  return command
    .option('--repo <url>', 'Repository URL')
    .option('--path <dir>', 'Folder in the repository')
    .option('--revision <revision>', 'Branch, tag, commit or chart version')
    .option('--helm-chart <name>', 'Chart of a Helm repository')
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
    .option('--values <file>', 'Values file of the chart (repeatable)', collect)
    .option('-p, --helm-set <name=value>', 'Value of the chart (repeatable)', collect)
    .option('--helm-set-string <name=value>', 'Value of the chart that is a text (repeatable)', collect)
    .option('--release-name <name>', 'Name of the Helm release')
    .option('--kustomize-image <image>', 'Image that Kustomize sets (repeatable)', collect)
    .option('--nameprefix <text>', 'Prefix of names by Kustomize')
    .option('--namesuffix <text>', 'Suffix of names by Kustomize')
    .option('--directory-recurse', 'Read the folders below the path too')
    .option('--plugin <name>', 'Config-management plugin');
}

/** The spec with what the flags say; what they do not name stays. */
export function withSpecFlags(spec: ApplicationSpec, flags: SpecFlags): ApplicationSpec {
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
    ...(spec.sources?.length ? {} : { source: withSourceFlags(spec.source, flags) }),
    ...policyOf(spec, flags),
  };
}

function withSourceFlags(source: ApplicationSource | undefined, flags: SpecFlags): ApplicationSource {
  const helm = {
    ...source?.helm,
    ...(flags.values ? { valueFiles: flags.values } : {}),
    ...(flags.releaseName === undefined ? {} : { releaseName: flags.releaseName }),
    ...parametersOf(source, flags),
  };
  const kustomize = {
    ...source?.kustomize,
    ...(flags.nameprefix === undefined ? {} : { namePrefix: flags.nameprefix }),
    ...(flags.namesuffix === undefined ? {} : { nameSuffix: flags.namesuffix }),
    ...(flags.kustomizeImage ? { images: withImages(source?.kustomize?.images ?? [], flags.kustomizeImage) } : {}),
  };
  return {
    ...source,
    repoURL: flags.repo ?? source?.repoURL ?? '',
    ...(flags.path === undefined ? {} : { path: flags.path }),
    ...(flags.helmChart === undefined ? {} : { chart: flags.helmChart }),
    ...(flags.revision === undefined ? {} : { targetRevision: flags.revision }),
    ...(Object.keys(helm).length > 0 ? { helm } : {}),
    ...(Object.keys(kustomize).length > 0 ? { kustomize } : {}),
    ...(flags.directoryRecurse ? { directory: { ...source?.directory, recurse: true } } : {}),
    ...(flags.plugin === undefined ? {} : { plugin: { ...source?.plugin, name: flags.plugin } }),
  } as ApplicationSource;
}

function parametersOf(source: ApplicationSource | undefined, flags: SpecFlags): object {
  const given = [
    ...(flags.helmSet ?? []).map((text) => ({ ...parameter(text) })),
    ...(flags.helmSetString ?? []).map((text) => ({ ...parameter(text), forceString: true })),
  ];
  if (given.length === 0) return {};
  const kept = (source?.helm?.parameters ?? []).filter(({ name }) => !given.some((one) => one.name === name));
  return { parameters: [...kept, ...given] };
}

function parameter(text: string): { name: string; value: string } {
  const at = text.indexOf('=');
  return at < 0 ? { name: text, value: '' } : { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** `name`, `name=new:tag` and `name:tag` are about the image of that name. */
function withImages(before: readonly string[], given: readonly string[]): string[] {
  const nameOf = (image: string) => image.split('=')[0]?.replace(/[:@][^/]*$/, '');
  return [...before.filter((image) => !given.some((one) => nameOf(one) === nameOf(image))), ...given];
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
    ...(flags.syncRetryLimit === undefined ? {} : { retry: { ...before.retry, limit: flags.syncRetryLimit } }),
  };
  return Object.keys(syncPolicy).length > 0
    ? { syncPolicy: syncPolicy as never }
    : ({ syncPolicy: undefined } as never);
}

/** The Application that `argocd app create NAME` makes of the flags. */
export function applicationOf(name: string, flags: SpecFlags, metadata: object): Application {
  const empty = { project: 'default', destination: {} } as unknown as ApplicationSpec;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, ...metadata },
    spec: withSpecFlags(empty, flags),
  };
}
