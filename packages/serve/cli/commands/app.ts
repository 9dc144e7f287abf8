import { names } from '@tiphys/api';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { ApplicationApi, type ApplicationName, parseApplicationName } from '../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { structured } from '../terminal/output.ts';
import { printDifferences } from './app-diff.ts';
import { printApplication, printTree, resources } from './app-get.ts';
import { printHistory } from './app-history.ts';
import { printApplications } from './app-list.ts';
import { printManifests } from './app-manifests.ts';
import { printNotices } from './app-notices.ts';
import { addApplicationObjectCommands } from './app-objects.ts';
import { printPlan } from './app-plan.ts';
import { waitForApplication } from './app-wait.ts';
import { addApplicationWriteCommands } from './app-write.ts';

const format = (values: string[], fallback: string) =>
  new Option('-o, --output <format>', 'Output format').choices(values).default(fallback);
const collect = (value: string, before: string[] = []) => [...before, value];
const collectResource = (value: string, before: SyncResource[] = []) => [...before, parseResource(value)];
const seconds = (text: string) => Number.parseInt(text, 10);

/** `tiphys app …`: the verbs, flags and exit codes of `argocd app`. */
export function addApplicationCommands(program: Command, surroundings: Surroundings): void {
  const { output, signal } = surroundings;
  const app = program.command('app').description('Manage applications');
  const verb = (name: string, description: string) =>
    app
      .command(name)
      .description(description)
      .option('-N, --app-namespace <namespace>', 'Namespace of the Application');
  const begin = (command: Command, text = ''): { api: ApplicationApi; name: ApplicationName } => ({
    api: new ApplicationApi(sessionOf(command, surroundings)),
    name: parseApplicationName(text, command.opts<{ appNamespace?: string }>().appNamespace),
  });

  const syncAndWait = async (api: ApplicationApi, name: ApplicationName, request: object, options: SyncWait) => {
    const started = await api.sync(name, request);
    if (options.async) return;
    const ended =
      (await waitForApplication(api, name, { operation: true }, { timeout: options.timeout, output, signal })) ??
      started;
    output.out(options.output === 'wide' ? resources(output, ended) : structured(options.output, ended));
    const state = ended.status?.operationState;
    if (state?.phase === 'Succeeded') return;
    output.error(`Operation has completed with phase: ${state?.phase}: ${state?.message ?? ''}`);
    throw new Exit(exitCodes.usage);
  };

  addApplicationWriteCommands(app, surroundings);
  addApplicationObjectCommands(app, surroundings);

  verb('list', 'List applications')
    .addOption(format(['wide', 'name', 'json', 'yaml'], 'wide'))
    .option('-p, --project <name>', 'Only of this project (repeatable)', collect)
    .option('-l, --selector <labels>', 'Only with these labels')
    .option('-r, --repo <url>', 'Only of this repository')
    .action(async (options, command) => {
      printApplications(output, await begin(command).api.list(options), options.output);
    });

  verb('get <name>', 'Show an application, its objects and what is wrong with them')
    .addOption(format(['wide', 'tree', 'json', 'yaml'], 'wide'))
    .option('--refresh', 'Compare with the repository first')
    .option('--hard-refresh', 'Render anew first')
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const application = await api.get(name, options.hardRefresh ? 'hard' : options.refresh ? 'normal' : undefined);
      printApplication(output, application, options.output, sessionOf(command, surroundings).server);
      if (options.output === 'tree') printTree(output, await api.tree(name));
    });

  verb('diff <name>', 'Show what differs between live and desired')
    .option('--refresh', 'Compare with the repository first')
    .option('--hard-refresh', 'Render anew first')
    .option('--no-exit-code', 'Exit with 0 although there are differences')
    .option('--diff-exit-code <code>', 'Exit code for differences', seconds, exitCodes.differences)
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const refresh = options.hardRefresh ? 'hard' : options.refresh ? 'normal' : undefined;
      const application = await api.get(name, refresh);
      const differs = printDifferences(output, await api.managedResources(name));
      printNotices(output, application);
      if (differs && options.exitCode) throw new Exit(options.diffExitCode);
    });

  verb('sync <name>', 'Bring the cluster to the desired state')
    .option('--revision <revision>', 'Another revision than the target')
    .option('--prune', 'Delete objects that left the repository')
    .option('--dry-run', 'Preview without applying: print the plan and let the cluster try it')
    .option('--force', 'Delete and create what cannot be changed')
    .option('--async', 'Do not wait for the end')
    .option(
      '--resource <group:kind:name>',
      'Only this object, [GROUP]:KIND:[NAMESPACE/]NAME (repeatable)',
      collectResource,
    )
    .option('--sync-option <option>', 'Sync option, such as CreateNamespace=true (repeatable)', collect)
    .option('--timeout <seconds>', 'Give up waiting after this', seconds, 0)
    .addOption(format(['wide', 'json', 'yaml'], 'wide'))
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const request = syncRequest(options);
      if (options.dryRun) printPlan(output, await api.plan(name, request));
      await syncAndWait(api, name, request, options);
    });

  verb('rotate-generated <name>', 'Make generated values anew (passwords, keys, certificates), and sync them')
    .option(
      '--resource <kind:name>',
      'Only those that are in this object, [GROUP:]KIND:[NAMESPACE/]NAME (repeatable)',
      collect,
    )
    .option('--async', 'Do not wait for the end')
    .option('--timeout <seconds>', 'Give up waiting after this', seconds, 0)
    .addOption(format(['wide', 'json', 'yaml'], 'wide'))
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const chosen = (options.resource as string[] | undefined)?.join(',') ?? 'all';
      await syncAndWait(api, name, { infos: [{ name: names.infos.rotateGenerated, value: chosen }] }, options);
    });

  verb('wait <name...>', 'Wait until applications are synced, healthy and at rest')
    .option('--sync', 'Wait for Synced')
    .option('--health', 'Wait for Healthy')
    .option('--suspended', 'Wait for Suspended')
    .option('--degraded', 'Wait for Degraded')
    .option('--operation', 'Wait for the end of the operation')
    .option('--delete', 'Wait until it is gone')
    .option('--timeout <seconds>', 'Give up after this', seconds, 0)
    .action(async (texts: string[], options, command) => {
      const chosen =
        options.sync || options.health || options.suspended || options.degraded || options.operation || options.delete;
      const goals = chosen ? options : { sync: true, health: true, operation: true };
      for (const text of texts) {
        const { api, name } = begin(command, text);
        await waitForApplication(api, name, goals, { timeout: options.timeout, output, signal });
      }
    });

  verb('history <name>', 'List the revisions that were deployed')
    .addOption(format(['wide', 'id', 'json', 'yaml'], 'wide'))
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      printHistory(output, await api.get(name), options.output);
    });

  verb('rollback <name> [id]', 'Deploy an earlier revision of the history again; by default the one before the last')
    .option('--prune', 'Delete objects that the earlier revision does not have')
    .option('--timeout <seconds>', 'Give up waiting after this', seconds, 0)
    .action(async (text, id: string | undefined, options, command) => {
      const { api, name } = begin(command, text);
      const history = (await api.get(name)).status?.history ?? [];
      const target = id === undefined ? history.at(-2)?.id : Number(id);
      if (target === undefined) {
        output.error(`application '${text}' has no earlier deployment to roll back to`);
        throw new Exit(exitCodes.generic);
      }
      await api.rollback(name, target, options.prune ?? false);
      const ended = await waitForApplication(
        api,
        name,
        { operation: true },
        { timeout: options.timeout, output, signal },
      );
      if (ended?.status?.operationState?.phase !== 'Succeeded') throw new Exit(exitCodes.usage);
    });

  verb('delete <name...>', 'Delete applications')
    .option('--no-cascade', 'Leave their objects in the cluster')
    .option('-p, --propagation-policy <policy>', 'foreground or background', 'foreground')
    .option('-y, --yes', 'Do not ask')
    .option('--wait', 'Wait until they are gone')
    .action(async (texts: string[], options, command) => {
      for (const text of texts) {
        const { api, name } = begin(command, text);
        await api.delete(name, { cascade: options.cascade, propagationPolicy: options.propagationPolicy });
        output.out(`application '${text}' deleted`);
        if (options.wait)
          await waitForApplication(api, name, { delete: true }, { timeout: 0, output, signal, quiet: true });
      }
    });

  verb('manifests <name>', 'Print the manifests of an application')
    .option('--revision <revision>', 'Of another revision than the target')
    .option('--source <source>', '`git` for the desired, `live` for the live objects', 'git')
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      await printManifests(output, api, name, options);
    });

  verb('logs <name>', 'Print the logs of the pods of an application')
    .option('-f, --follow', 'Go on as lines come')
    .option('--tail <lines>', 'Only so many last lines', seconds, 0)
    .option('-c, --container <name>', 'Container')
    .option('--kind <kind>', 'Only pods of an object of this kind')
    .option('--group <group>', 'API group of that kind')
    .option('--name <name>', 'Name of that object')
    .option('-p, --previous', 'Of the previous container')
    .option('--since-seconds <seconds>', 'Only lines not older than this', seconds, 0)
    .option('--filter <text>', 'Only lines with this text')
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const query = {
        follow: options.follow,
        tailLines: options.tail || undefined,
        container: options.container,
        kind: options.kind,
        group: options.group,
        resourceName: options.name,
        previous: options.previous,
        sinceSeconds: options.sinceSeconds || undefined,
        filter: options.filter,
      };
      for await (const line of api.logs(name, query, signal)) if (!line.last) output.out(line.content ?? '');
    });
}

interface SyncWait {
  readonly async?: boolean;
  readonly timeout: number;
  readonly output: 'wide' | 'json' | 'yaml';
}

function syncRequest(options: {
  revision?: string;
  prune?: boolean;
  dryRun?: boolean;
  force?: boolean;
  resource?: SyncResource[];
  syncOption?: string[];
}): object {
  return {
    ...(options.revision ? { revision: options.revision } : {}),
    prune: options.prune ?? false,
    dryRun: options.dryRun ?? false,
    strategy: { hook: { force: options.force ?? false } },
    ...(options.resource ? { resources: options.resource } : {}),
    ...(options.syncOption ? { syncOptions: { items: options.syncOption } } : {}),
  };
}

interface SyncResource {
  group: string;
  kind: string;
  namespace?: string;
  name: string;
}

function parseResource(text: string): SyncResource {
  const [group, kind, rest] = text.split(':');
  if (group === undefined || !kind || !rest)
    throw new InvalidArgumentError(`Resource must have GROUP:KIND:[NAMESPACE/]NAME format, found ${text}`);
  const slash = rest.indexOf('/');
  return slash < 0
    ? { group, kind, name: rest }
    : { group, kind, namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
}
