import type { Application } from '@tiphys/api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ApplicationApi, type ApplicationName, parseApplicationName } from '../../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collect, collectList, pair } from '../../terminal/flag-values.ts';
import { structured } from '../../terminal/output.ts';
import { outputFlag } from '../common/output-flag.ts';
import { type Comparing, comparedWith, localManifests } from './compare.ts';
import { printDifferences } from './diff.ts';
import { applicationForms, isTree, printTree, resources } from './get.ts';
import { printPlan } from './plan.ts';
import { chosenObjects, type ObjectPattern, parsePattern } from './sync-objects.ts';
import { waitForApplication } from './wait.ts';

/** How long a command waits for its operation, and what it prints then. */
export interface SyncWait {
  readonly async?: boolean;
  readonly timeout: number;
  readonly output: (typeof applicationForms)[number];
}

interface SyncFlags extends SyncWait {
  readonly revision?: string;
  readonly revisions?: string[];
  readonly sourcePositions?: number[];
  readonly sourceNames?: string[];
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  readonly force?: boolean;
  readonly replace?: boolean;
  readonly serverSide?: boolean;
  readonly applyOutOfSyncOnly?: boolean;
  readonly strategy?: 'apply' | 'hook';
  readonly resource?: ObjectPattern[];
  readonly label?: string[];
  readonly syncOption?: string[];
  readonly info?: string[];
  readonly retryLimit?: number;
  readonly retryRefresh?: boolean;
  readonly retryBackoffDuration?: string;
  readonly retryBackoffMaxDuration?: string;
  readonly retryBackoffFactor?: number;
  readonly selector?: string;
  readonly project?: string[];
  readonly appNamespace?: string;
  readonly local?: string;
  readonly localRepoRoot?: string;
  readonly previewChanges?: boolean;
  readonly assumeYes?: boolean;
}

const number = (text: string) => Number.parseInt(text, 10);
const numbers = (text: string, before: readonly number[] = []) => [...before, ...text.split(',').map(number)];
/** Reads `--resource`. */
export const patterns = (text: string, before: readonly ObjectPattern[] = []) => {
  const parsed = parsePattern(text);
  if (!parsed) throw new InvalidArgumentError(`Resource must have GROUP:KIND:[NAMESPACE/]NAME format, found ${text}`);
  return [...before, parsed];
};

/** `tiphys app sync`: as `argocd app sync`, of one application, of several, or of those that a selector or project names. */
export function addApplicationSyncCommand(app: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  app
    .command('sync [name...]')
    .description('Bring the cluster to the desired state')
    .option('-N, --app-namespace <namespace>', 'Namespace of the Application')
    .option('-l, --selector <labels>', 'All applications with these labels')
    .option('--project <name>', 'All applications of this project (repeatable)', collect)
    .option('--revision <revision>', 'Another revision than the target')
    .option(
      '--revisions <revision>',
      'Revision of the source at the same place of --source-positions (repeatable)',
      collect,
    )
    .option('--source-positions <numbers>', 'Sources that --revisions are of, counted from 1', numbers)
    .option('--source-names <name>', 'The same, by name (repeatable)', collect)
    .option('--prune', 'Delete objects that left the repository')
    .option('--dry-run', 'Preview without applying: print the plan and let the cluster try it')
    .option('--force', 'Delete and create what cannot be changed')
    .option('--replace', 'Replace objects instead of patching them')
    .option('--server-side', 'Apply on the server')
    .option('--apply-out-of-sync-only', 'Leave objects alone that are synced')
    .addOption(new Option('--strategy <strategy>', 'apply leaves hooks out').choices(['apply', 'hook']))
    .option(
      '--resource <group:kind:name>',
      'Only this object, [!][GROUP]:KIND:[NAMESPACE/]NAME; * for any, ! for all others (repeatable)',
      patterns,
    )
    .option('--label <name=value>', 'Only objects with this label (repeatable)', collect)
    .option('--sync-option <option>', 'Sync option, such as CreateNamespace=true (repeatable)', collect)
    .option('--info <name=value>', 'Note that the operation carries (repeatable)', collect)
    .option('--retry-limit <count>', 'How often a failed sync is tried again', number)
    .option('--retry-refresh', 'A retry takes the newest revision')
    .option('--retry-backoff-duration <duration>', 'Wait before the first retry (5s)')
    .option('--retry-backoff-max-duration <duration>', 'Longest wait before a retry (3m)')
    .option('--retry-backoff-factor <factor>', 'What the wait is multiplied by after each retry', number)
    .option('--local <dir>', 'Sync the manifests of a local folder; automated sync must be off')
    .option('--local-repo-root <dir>', 'The root of the repository that the folder belongs to')
    .option('--preview-changes', 'Show what differs, and ask before anything is changed')
    .option('--assumeYes', 'Do not ask')
    .option('--async', 'Do not wait for the end')
    .option('--timeout <seconds>', 'Give up waiting after this', number, 0)
    .addOption(outputFlag(applicationForms))
    .action(async (texts: string[], flags: SyncFlags, command: Command) => {
      const api = new ApplicationApi(sessionOf(command, surroundings));
      const chosen = await applications(api, texts, flags);
      if (chosen.length === 0) {
        output.error('No matching apps found: name them, or choose them by --selector or --project');
        throw new Exit(exitCodes.usage);
      }
      for (const name of chosen) {
        const { workdir, signal } = surroundings;
        const compares = flags.local !== undefined || flags.previewChanges;
        const comparing = compares && { api, name, application: await api.get(name), workdir, signal };
        const manifests = comparing && flags.local !== undefined ? await localManifests(comparing, flags) : undefined;
        const request = { ...(await requestOf(api, name, flags)), ...(manifests ? { manifests } : {}) };
        if (comparing && flags.previewChanges && !(await agreed(comparing, flags, surroundings))) continue;
        if (flags.dryRun) printPlan(output, await api.plan(name, request));
        await syncAndWait(api, { name, request, wait: flags }, surroundings);
      }
    });
}

/** Shows what differs and asks; false where nothing differs. Ends the command if the answer is no, or if there is nobody to ask. */
async function agreed(comparing: Comparing, flags: SyncFlags, { output, ask }: Surroundings): Promise<boolean> {
  const { api, name } = comparing;
  const chosen = await revisionsOf(api, name, flags);
  const isOther = flags.local !== undefined || flags.revision !== undefined || chosen.revisions !== undefined;
  const resources = isOther
    ? await comparedWith(comparing, {
        ...(flags.local === undefined ? {} : { local: flags.local }),
        ...(flags.localRepoRoot === undefined ? {} : { localRepoRoot: flags.localRepoRoot }),
        ...(flags.revision === undefined ? {} : { revision: flags.revision }),
        ...chosen,
      })
    : await api.managedResources(name);
  if (!printDifferences(output, resources)) {
    output.out('====== No Differences found ======');
    return false;
  }
  if (flags.assumeYes) return true;
  const question =
    'Please review changes to application shown above. Do you want to continue the sync process? (y/n): ';
  if (ask && /^y(es)?$/i.test((await ask(question)).trim())) return true;
  output.error(
    ask ? 'Nothing was changed' : 'Nothing was changed: there is no terminal to ask at, --assumeYes goes on',
  );
  throw new Exit(exitCodes.usage);
}

/** Starts a sync, waits for its end and prints it. Ends the command with exit code 1 if the operation did not succeed. */
export async function syncAndWait(
  api: ApplicationApi,
  { name, request, wait }: { readonly name: ApplicationName; readonly request: object; readonly wait: SyncWait },
  { output, signal }: Surroundings,
): Promise<void> {
  const started = await api.sync(name, request);
  if (wait.async) return;
  const ended =
    (await waitForApplication(api, name, { operation: true }, { timeout: wait.timeout, output, signal })) ?? started;
  output.out(
    wait.output === 'json' || wait.output === 'yaml' ? structured(wait.output, ended) : resources(output, ended),
  );
  if (isTree(wait.output)) printTree(output, await api.tree(name));
  const state = ended.status?.operationState;
  if (state?.phase === 'Succeeded') return;
  output.error(`Operation has completed with phase: ${state?.phase}: ${state?.message ?? ''}`);
  throw new Exit(exitCodes.usage);
}

async function applications(
  api: ApplicationApi,
  texts: readonly string[],
  { selector, project, appNamespace }: SyncFlags,
): Promise<ApplicationName[]> {
  const named = texts.map((text) => parseApplicationName(text, appNamespace));
  if (selector === undefined && !project) return named;
  const found: Application[] = await api.list({ selector, appNamespace, ...(project ? { project } : {}) });
  return [...named, ...found.map(({ metadata }) => ({ name: metadata.name ?? '', appNamespace: metadata.namespace }))];
}

async function requestOf(api: ApplicationApi, name: ApplicationName, flags: SyncFlags): Promise<object> {
  const strategy = flags.strategy ?? 'hook';
  const options = [
    ...(flags.syncOption ?? []),
    ...(flags.replace ? ['Replace=true'] : []),
    ...(flags.serverSide ? ['ServerSideApply=true'] : []),
    ...(flags.applyOutOfSyncOnly ? ['ApplyOutOfSyncOnly=true'] : []),
  ];
  const objects = await chosenObjects(api, name, { patterns: flags.resource, labels: flags.label });
  const retryStrategy = retryOf(flags);
  return {
    ...(flags.revision ? { revision: flags.revision } : {}),
    ...(flags.revisions ? await revisionsOf(api, name, flags) : {}),
    prune: flags.prune ?? false,
    dryRun: flags.dryRun ?? false,
    strategy: { [strategy]: { force: flags.force ?? false } },
    ...(objects ? { resources: objects } : {}),
    ...(options.length > 0 ? { syncOptions: { items: options } } : {}),
    ...(flags.info ? { infos: flags.info.map(pair).map(([key, value]) => ({ name: key, value })) } : {}),
    ...(retryStrategy ? { retryStrategy } : {}),
  };
}

/** Revisions with the positions of their sources; names are looked up. */
export async function revisionsOf(
  api: ApplicationApi,
  name: ApplicationName,
  { revisions, sourcePositions, sourceNames }: Pick<SyncFlags, 'revisions' | 'sourcePositions' | 'sourceNames'>,
): Promise<{ revisions?: string[]; sourcePositions?: number[] }> {
  if (!revisions) return {};
  if (!sourceNames) return { revisions, sourcePositions: sourcePositions ?? revisions.map((_, index) => index + 1) };
  const { sources = [] } = (await api.get(name)).spec;
  const positions = sourceNames.map((wanted) => sources.findIndex((source) => source.name === wanted) + 1);
  const unknown = sourceNames.find((_, index) => positions[index] === 0);
  if (unknown !== undefined) throw new InvalidArgumentError(`Unknown source name '${unknown}'`);
  return { revisions, sourcePositions: positions };
}

function retryOf(flags: SyncFlags): object | undefined {
  const { retryLimit, retryRefresh, retryBackoffDuration, retryBackoffMaxDuration, retryBackoffFactor } = flags;
  if (retryLimit === undefined) return undefined;
  const backoff = {
    duration: retryBackoffDuration ?? '5s',
    maxDuration: retryBackoffMaxDuration ?? '3m0s',
    factor: retryBackoffFactor ?? 2,
  };
  return { limit: retryLimit, backoff, ...(retryRefresh ? { refresh: true } : {}) };
}

/** Flags for commands that name revisions of single sources. */
export function addRevisionFlags(command: Command): Command {
  return command
    .option(
      '--revisions <revision>',
      'Revision of the source at the same place of --source-positions (repeatable)',
      collect,
    )
    .option('--source-positions <numbers>', 'Sources that --revisions are of, counted from 1', numbers)
    .option('--source-names <names>', 'The same, by name', collectList);
}
