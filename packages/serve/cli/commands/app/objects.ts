import { type Command, Option } from 'commander';
import { ApplicationApi, parseApplicationName, type ResourceNode } from '../../client/application-api.ts';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collectList } from '../../terminal/flag-values.ts';
import { structured, table } from '../../terminal/output.ts';
import { outputFlag } from '../common/output-flag.ts';
import { applicationForms, isTree, printTree } from './get.ts';
import { type LiveFlags, printObjects, shownFields } from './live-objects.ts';

interface ObjectFlags {
  readonly kind?: string;
  readonly group?: string;
  readonly namespace?: string;
  readonly resourceName?: string;
  readonly all?: boolean;
}

interface Action {
  readonly name: string;
  readonly disabled?: boolean;
}

/** `tiphys app resources`, `actions`, `delete-resource`, `patch-resource`: the verbs of `argocd app` about its objects. */
export function addApplicationObjectCommands(app: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const verb = (parent: Command, name: string, description: string) =>
    parent
      .command(name)
      .description(description)
      .option('-N, --app-namespace <namespace>', 'Namespace of the Application');
  const withObject = (command: Command) =>
    command
      .option('--kind <kind>', 'Kind of the objects')
      .option('--group <group>', 'API group of the objects')
      .option('--namespace <namespace>', 'Namespace of the objects')
      .option('--resource-name <name>', 'Name of the object')
      .option('--all', 'All objects that match');
  const nameOf = (text: string, command: Command) =>
    parseApplicationName(text, command.opts<{ appNamespace?: string }>().appNamespace);
  const pathOf = (name: string, rest: string) => `/api/v1/applications/${encodeURIComponent(name)}${rest}`;

  verb(app, 'resources <name>', 'List the objects of an application, with those that belong to them')
    .option('--orphaned', 'Only objects of the namespace that belong to no application')
    .option('--project <name>', 'Project of the application')
    .addOption(outputFlag(applicationForms))
    .action(async (text: string, flags: { output: string; orphaned?: boolean }, command: Command) => {
      const tree = await new ApplicationApi(sessionOf(command, surroundings)).tree(nameOf(text, command));
      const own = flags.orphaned ? [] : (tree.nodes ?? []).map((node) => ({ node, orphaned: 'No' }));
      const orphans = (tree.orphanedNodes ?? []).map((node) => ({ node, orphaned: 'Yes' }));
      const shown = [...own, ...orphans];
      const nodes = shown.map(({ node }) => node);
      if (flags.output === 'json' || flags.output === 'yaml') output.out(structured(flags.output, nodes));
      else if (isTree(flags.output)) printTree(output, { nodes });
      else
        output.out(
          table([
            ['GROUP', 'KIND', 'NAMESPACE', 'NAME', 'ORPHANED'],
            ...shown.map(({ node: { group, kind, namespace, name }, orphaned }) => [
              group ?? '',
              kind,
              namespace ?? '',
              name,
              orphaned,
            ]),
          ]),
        );
    });

  verb(app, 'get-resource <name>', 'Show live objects of an application')
    .requiredOption('--kind <kind>', 'Kind of the objects')
    .option('--group <group>', 'API group of the objects')
    .option('--resource-name <name>', 'Name of the object; all of the kind if absent')
    .option('--project <name>', 'Project of the application')
    .option('--filter-fields <fields>', 'Only these fields (status.podIP), parted by commas', collectList)
    .option('--show-managed-fields', 'With metadata.managedFields')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (text: string, flags: ObjectFlags & LiveFlags, command: Command) => {
      const { name, appNamespace } = nameOf(text, command);
      const session = sessionOf(command, surroundings);
      const nodes = await chosen(new ApplicationApi(session), { name, appNamespace }, flags);
      const objects = await Promise.all(
        nodes.map(async (node) => {
          const query = { ...objectQuery(node), appNamespace, project: flags.project };
          const { manifest } = await session.request<{ manifest: string }>('GET', pathOf(name, '/resource'), { query });
          return shownFields(JSON.parse(manifest), flags);
        }),
      );
      output.out(printObjects(objects, flags));
    });

  const actions = app.command('actions').description('Actions of the objects of an application');
  withObject(verb(actions, 'list <name>', 'List what can be done with objects'))
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .addOption(new Option('--out <format>', 'The same, by its older name').choices(['json', 'yaml']).hideHelp())
    .action(async (text: string, flags: ObjectFlags & { output: string; out?: string }, command: Command) => {
      const { name, appNamespace } = nameOf(text, command);
      const session = sessionOf(command, surroundings);
      const form = flags.out ?? flags.output;
      const rows: { group: string; kind: string; name: string; action: string; disabled: boolean }[] = [];
      for (const node of await chosen(new ApplicationApi(session), { name, appNamespace }, flags)) {
        const answer = await session.request<{ actions?: Action[] | null }>('GET', pathOf(name, '/resource/actions'), {
          query: { ...objectQuery(node), appNamespace },
        });
        for (const action of answer.actions ?? [])
          rows.push({
            group: node.group ?? '',
            kind: node.kind,
            name: node.name,
            action: action.name,
            disabled: action.disabled ?? false,
          });
      }
      if (form === 'json' || form === 'yaml') output.out(structured(form, rows));
      else
        output.out(
          table([
            ['GROUP', 'KIND', 'NAME', 'ACTION', 'DISABLED'],
            ...rows.map((row) => [row.group, row.kind, row.name, row.action, String(row.disabled)]),
          ]),
        );
    });

  withObject(verb(actions, 'run <name> <action>', 'Do something with an object'))
    .option('--param <name=value>', 'Parameter of the action (repeatable)', (value: string, before: string[] = []) => [
      ...before,
      value,
    ])
    .action(async (text: string, action: string, flags: ObjectFlags & { param?: string[] }, command: Command) => {
      const { name, appNamespace } = nameOf(text, command);
      const session = sessionOf(command, surroundings);
      for (const node of one(
        await chosen(new ApplicationApi(session), { name, appNamespace }, flags),
        flags,
        output.error,
      ))
        await session.request('POST', pathOf(name, '/resource/actions/v2'), {
          body: {
            name,
            appNamespace,
            ...objectQuery(node),
            action,
            resourceActionParameters: (flags.param ?? []).map((item) => {
              const at = item.indexOf('=');
              return { name: item.slice(0, at), value: item.slice(at + 1) };
            }),
          },
        });
    });

  withObject(verb(app, 'delete-resource <name>', 'Delete an object of an application from the cluster'))
    .option('--force', 'Delete at once, without grace')
    .option('--orphan', 'Leave what belongs to it')
    .option('--project <name>', 'Project of the application')
    .action(async (text: string, flags: ObjectFlags & Deletion, command: Command) => {
      const { name, appNamespace } = nameOf(text, command);
      const session = sessionOf(command, surroundings);
      const nodes = one(await chosen(new ApplicationApi(session), { name, appNamespace }, flags), flags, output.error);
      for (const node of nodes) {
        await session.request('DELETE', pathOf(name, '/resource'), {
          query: {
            ...objectQuery(node),
            appNamespace,
            project: flags.project,
            force: flags.force ?? false,
            orphan: flags.orphan ?? false,
          },
        });
        output.out(`Resource '${node.name}' deleted`);
      }
    });

  withObject(verb(app, 'patch-resource <name>', 'Patch a live object of an application'))
    .requiredOption('--patch <text>', 'Body of the patch')
    .option('--patch-type <type>', 'MIME type of the patch', 'application/merge-patch+json')
    .option('--project <name>', 'Project of the application')
    .action(async (text: string, flags: ObjectFlags & Patching, command: Command) => {
      const { name, appNamespace } = nameOf(text, command);
      const session = sessionOf(command, surroundings);
      const nodes = one(await chosen(new ApplicationApi(session), { name, appNamespace }, flags), flags, output.error);
      for (const node of nodes) {
        await session.request('POST', pathOf(name, '/resource'), {
          query: { ...objectQuery(node), appNamespace, project: flags.project, patchType: flags.patchType },
          body: flags.patch,
        });
        output.out(`Resource '${node.name}' patched`);
      }
    });
}

interface Deletion {
  readonly force?: boolean;
  readonly orphan?: boolean;
  readonly project?: string;
}

interface Patching {
  readonly patch: string;
  readonly patchType: string;
  readonly project?: string;
}

/** The objects of the tree that the flags choose. */
async function chosen(
  api: ApplicationApi,
  name: { name: string; appNamespace?: string | undefined },
  flags: ObjectFlags,
): Promise<ResourceNode[]> {
  const fits = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === (found ?? '');
  return ((await api.tree(name)).nodes ?? []).filter(
    (node) =>
      fits(flags.kind, node.kind) &&
      fits(flags.group, node.group) &&
      fits(flags.namespace, node.namespace) &&
      fits(flags.resourceName, node.name),
  );
}

/** As upstream: several objects are touched only by `--all`, and none is an error. */
function one(nodes: ResourceNode[], flags: ObjectFlags, error: (text: string) => void): ResourceNode[] {
  if (nodes.length === 0) {
    error('No matching resource found');
    throw new Exit(exitCodes.usage);
  }
  if (nodes.length > 1 && !flags.all) {
    error('Multiple resources match; choose one with --kind, --group, --namespace and --resource-name, or take --all');
    throw new Exit(exitCodes.usage);
  }
  return nodes;
}

function objectQuery(node: ResourceNode): Record<string, string> {
  return {
    group: node.group ?? '',
    version: node.version ?? '',
    kind: node.kind,
    namespace: node.namespace ?? '',
    resourceName: node.name,
  };
}
