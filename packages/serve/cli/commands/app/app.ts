import { names } from '@tiphys/api';
import type { Command } from 'commander';
import { ApplicationApi, type ApplicationName, parseApplicationName } from '../../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collect } from '../../terminal/flag-values.ts';
import { outputFlag } from '../common/output-flag.ts';
import { comparedWith, localManifests } from './compare.ts';
import { printDifferences } from './diff.ts';
import { applicationForms, isTree, printApplication, printTree } from './get.ts';
import { printOperation, printParameters } from './get-more.ts';
import { printHistory } from './history.ts';
import { printApplications } from './list.ts';
import { printManifests, printStates } from './manifests.ts';
import { printNotices } from './notices.ts';
import { addApplicationObjectCommands } from './objects.ts';
import { addApplicationSourceCommands } from './sources.ts';
import { addApplicationSyncCommand, addRevisionFlags, patterns, revisionsOf, syncAndWait } from './sync.ts';
import { waitForApplication, within } from './wait.ts';
import { addApplicationWriteCommands } from './write.ts';

const seconds = (text: string) => Number.parseInt(text, 10);

/** Flags for commands that take a folder in place of a revision. */
function addLocalFlags(command: Command): Command {
  return command
    .option('--local <dir>', "The application's folder, or the root of its repository, in place of a revision")
    .option('--local-repo-root <dir>', 'The root of the repository that the folder belongs to');
}

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

  /** The applications that are named and those that the selector chooses. */
  const several = async (command: Command, texts: readonly string[], { selector }: { selector?: string }) => {
    const { api } = begin(command);
    const appNamespace = command.opts<{ appNamespace?: string }>().appNamespace;
    const found = selector === undefined ? [] : await api.list({ selector, appNamespace });
    const all = [...texts, ...found.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)];
    if (all.length > 0) return all.map((text) => ({ ...begin(command, text), text }));
    output.error('No matching apps found: name them, or choose them by --selector');
    throw new Exit(exitCodes.usage);
  };

  addApplicationWriteCommands(app, surroundings);
  addApplicationObjectCommands(app, surroundings);
  addApplicationSourceCommands(app, surroundings);
  addApplicationSyncCommand(app, surroundings);

  verb('list', 'List applications')
    .addOption(outputFlag(['wide', 'name', 'json', 'yaml']))
    .option('-p, --project <name>', 'Only of this project (repeatable)', collect)
    .option('-l, --selector <labels>', 'Only with these labels')
    .option('-r, --repo <url>', 'Only of this repository')
    .option('-c, --cluster <server>', 'Only on this cluster, by its URL or its name')
    .option('-P, --path <dir>', 'Only of this folder')
    .action(async ({ cluster, path, ...options }, command) => {
      const all = await begin(command).api.list(options);
      const shown = all.filter(
        ({ spec: { destination, source, sources } }) =>
          (cluster === undefined || destination.server === cluster || destination.name === cluster) &&
          (path === undefined || (sources ?? [source]).some((one) => one?.path === path)),
      );
      printApplications(output, shown, options.output);
    });

  verb('get <name>', 'Show an application, its objects and what is wrong with them')
    .addOption(outputFlag(applicationForms))
    .option('--refresh', 'Compare with the repository first')
    .option('--hard-refresh', 'Render anew first')
    .option('--show-params', 'With the parameters of its sources')
    .option('--show-operation', 'With the operation that runs, or ran last')
    .option('--source-position <number>', 'Parameters of this source alone, counted from 1', seconds)
    .option('--source-name <name>', 'The same, by its name')
    .option('--timeout <seconds>', 'Give up after this', seconds, 0)
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const asked = api.get(name, options.hardRefresh ? 'hard' : options.refresh ? 'normal' : undefined);
      const application = await within(asked, options.timeout, name.name);
      printApplication(output, application, options.output, sessionOf(command, surroundings).server);
      if (options.output === 'wide' && options.showOperation) printOperation(output, application);
      if (options.output === 'wide' && options.showParams) printParameters(output, application, options);
      if (isTree(options.output)) printTree(output, await api.tree(name));
    });

  addLocalFlags(addRevisionFlags(verb('diff <name>', 'Show what differs between live and desired')))
    .option('--revision <revision>', 'Desired is another revision than the target')
    .option('--server-side-generate', 'Local files are rendered by the server, as they always are')
    .option(
      '--server-side-diff',
      'Compare by dry runs of the API server, as other revisions and local files always are',
    )
    .option('--local-include <pattern>', 'Only files of these names are sent (repeatable)', collect)
    .option('--refresh', 'Compare with the repository first')
    .option('--hard-refresh', 'Render anew first')
    .option('--no-exit-code', 'Exit with 0 although there are differences')
    .option('--diff-exit-code <code>', 'Exit code for differences', seconds, exitCodes.differences)
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const refresh = options.hardRefresh ? 'hard' : options.refresh ? 'normal' : undefined;
      const application = await api.get(name, refresh);
      const chosen = await revisionsOf(api, name, options);
      const comparing = { api, name, application, workdir: surroundings.workdir, signal };
      const isOther = options.local !== undefined || options.revision !== undefined || chosen.revisions !== undefined;
      const resources =
        isOther || options.serverSideDiff
          ? await comparedWith(comparing, { ...options, ...chosen })
          : await api.managedResources(name);
      const differs = printDifferences(output, resources);
      printNotices(output, application);
      if (differs && options.exitCode) throw new Exit(options.diffExitCode);
    });

  verb('rotate-generated <name>', 'Make generated values anew (passwords, keys, certificates), and sync them')
    .option(
      '--resource <kind:name>',
      'Only those that are in this object, [GROUP:]KIND:[NAMESPACE/]NAME (repeatable)',
      collect,
    )
    .option('--async', 'Do not wait for the end')
    .option('--timeout <seconds>', 'Give up waiting after this', seconds, 0)
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      const chosen = (options.resource as string[] | undefined)?.join(',') ?? 'all';
      const request = { infos: [{ name: names.infos.rotateGenerated, value: chosen }] };
      await syncAndWait(api, { name, request, wait: options }, surroundings);
    });

  verb('wait [name...]', 'Wait until applications are synced, healthy and at rest')
    .option('-l, --selector <labels>', 'All applications with these labels')
    .option('--sync', 'Wait for Synced')
    .option('--health', 'Wait for Healthy')
    .option('--suspended', 'Wait for Suspended')
    .option('--degraded', 'Wait for Degraded')
    .option('--operation', 'Wait for the end of the operation')
    .option('--delete', 'Wait until it is gone')
    .option('--hydrated', 'Wait until its dry source is hydrated')
    .option(
      '--resource <group:kind:name>',
      'Wait for these objects alone, [!][GROUP]:KIND:[NAMESPACE/]NAME; * for any, ! for all others (repeatable)',
      patterns,
    )
    .option('--timeout <seconds>', 'Give up after this', seconds, 0)
    .addOption(outputFlag(applicationForms))
    .action(async (texts: string[], options, command) => {
      const chosen =
        options.sync ||
        options.health ||
        options.suspended ||
        options.degraded ||
        options.operation ||
        options.delete ||
        options.hydrated;
      const goals = {
        ...(chosen ? options : { sync: true, health: true, operation: true }),
        ...(options.resource ? { resources: options.resource } : {}),
      };
      for (const { api, name } of await several(command, texts, options)) {
        const ended = await waitForApplication(api, name, goals, { timeout: options.timeout, output, signal });
        if (ended) printApplication(output, ended, options.output, sessionOf(command, surroundings).server);
        if (ended && isTree(options.output)) printTree(output, await api.tree(name));
      }
    });

  verb('history <name>', 'List the revisions that were deployed')
    .addOption(outputFlag(['wide', 'id', 'json', 'yaml']))
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      printHistory(output, await api.get(name), options.output);
    });

  verb('rollback <name> [id]', 'Deploy an earlier revision of the history again; by default the one before the last')
    .option('--prune', 'Delete objects that the earlier revision does not have')
    .option('--timeout <seconds>', 'Give up waiting after this', seconds, 0)
    .addOption(outputFlag(applicationForms))
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
      if (ended) printApplication(output, ended, options.output, sessionOf(command, surroundings).server);
      if (ended && isTree(options.output)) printTree(output, await api.tree(name));
      if (ended?.status?.operationState?.phase !== 'Succeeded') throw new Exit(exitCodes.usage);
    });

  verb('delete [name...]', 'Delete applications')
    .option('-l, --selector <labels>', 'All applications with these labels')
    .option('--no-cascade', 'Leave their objects in the cluster')
    .option('-p, --propagation-policy <policy>', 'foreground or background', 'foreground')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .option('--wait', 'Wait until they are gone')
    .action(async (texts: string[], options, command) => {
      for (const { api, name, text } of await several(command, texts, options)) {
        await api.delete(name, { cascade: options.cascade, propagationPolicy: options.propagationPolicy });
        output.out(`application '${text}' deleted`);
        if (options.wait)
          await waitForApplication(api, name, { delete: true }, { timeout: 0, output, signal, quiet: true });
      }
    });

  addLocalFlags(addRevisionFlags(verb('manifests <name>', 'Print the manifests of an application')))
    .option('--revision <revision>', 'Of another revision than the target')
    .option('--source <source>', '`git` for the desired, `live` for the live objects', 'git')
    .action(async (text, options, command) => {
      const { api, name } = begin(command, text);
      if (options.local !== undefined && options.source === 'git') {
        const comparing = { api, name, application: await api.get(name), workdir: surroundings.workdir, signal };
        printStates(output, await localManifests(comparing, options));
        return;
      }
      await printManifests(output, api, name, { ...options, ...(await revisionsOf(api, name, options)) });
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
    .option('--filter <text>', 'Only lines with this text; ! in front: only lines without it')
    .option('--regex', 'The filter is a regular expression (RE2)')
    .option('-m, --match-case', 'Cases of the filter matter')
    .option('--namespace <namespace>', 'Namespace of that object')
    .option('--until-time <time>', 'Only lines before this (RFC 3339)')
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
        matchCase: options.matchCase,
        regex: options.regex,
        namespace: options.namespace,
        untilTime: options.untilTime,
      };
      for await (const line of api.logs(name, query, signal)) if (!line.last) output.out(line.content ?? '');
    });
}
