import type { AppProject } from '@tiphys/api';
import { parseDocuments } from '@tiphys/yaml';
import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { editText } from '../../terminal/edit-text.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { structured, table } from '../../terminal/output.ts';
import { manifestsIn } from '../common/manifest-file.ts';
import { outputFlag } from '../common/output-flag.ts';
import { addListVerb } from '../common/records.ts';
import { changeProject, projectPath, readProject } from './change-project.ts';
import { addProjectIntegrityCommands } from './project-integrity.ts';
import { addProjectListCommands } from './project-lists.ts';
import { addProjectRoleCommands } from './project-roles.ts';
import { addProjectFlags, type ProjectFlags, specOfFlags } from './project-spec.ts';
import { addProjectWindowCommands } from './project-windows.ts';

/** `tiphys proj …`: the verbs of `argocd proj`. */
export function addProjectCommands(program: Command, surroundings: Surroundings): void {
  const { output, env } = surroundings;
  const command = program.command('proj').alias('project').description('Manage projects');

  addListVerb<AppProject>(
    {
      command,
      surroundings,
      path: '/api/v1/projects',
      columns: ['NAME', 'DESCRIPTION', 'DESTINATIONS', 'SOURCES'],
      row: ({ metadata, spec }) => [
        metadata.name,
        spec.description,
        count((spec.destinations ?? []).map(({ server, name, namespace }) => `${server || name},${namespace}`)),
        count(spec.sourceRepos ?? []),
      ],
      nameOf: ({ metadata }) => metadata.name ?? '',
    },
    'projects',
  );

  command
    .command('get <name>')
    .description('Show a project')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (name: string, flags: { output: string }, own: Command) => {
      const project = await readProject(own, surroundings, name);
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, project));
      return output.out(table(describe(project)));
    });

  addProjectFlags(command.command('create [name]').description('Create a project'))
    .option(
      '-f, --file <file>',
      'Project in a file of YAML or JSON, at an address, or in the standard input (-); flags come on top',
    )
    .option('--upsert', 'Change it if it is there already')
    .action(
      async (text: string | undefined, flags: ProjectFlags & { file?: string; upsert?: boolean }, own: Command) => {
        const read = flags.file ? await projectIn(flags.file, surroundings) : undefined;
        const name = text ?? read?.metadata?.name;
        if (!name) {
          output.error('Name the project, or give it with --file');
          throw new Exit(exitCodes.usage);
        }
        const spec = { destinations: [], sourceRepos: [], ...read?.spec, ...specOfFlags(flags, read?.spec) };
        await sessionOf(own, surroundings).request('POST', '/api/v1/projects', {
          body: { project: { ...read, metadata: { ...read?.metadata, name }, spec }, upsert: flags.upsert ?? false },
        });
      },
    );

  addProjectFlags(command.command('set <name>').description('Change a project; what is not named stays')).action(
    async (name: string, flags: ProjectFlags, own: Command) => {
      await changeProject(own, surroundings, {
        name,
        edit: (spec) => {
          const changes = specOfFlags(flags, spec);
          if (Object.keys(changes).length === 0) return { message: 'Please set at least one option', fails: true };
          Object.assign(spec, changes);
          return undefined;
        },
      });
    },
  );

  command
    .command('edit <name>')
    .description('Edit the spec of a project in the editor of $EDITOR')
    .action(async (name: string, _flags: object, own: Command) => {
      const { spec } = await readProject(own, surroundings, name);
      const before = structured('yaml', spec);
      const after = await editText(`${before}\n`, env);
      if (after.trim() === before.trim()) return output.out('Edit cancelled, no changes made');
      const edited = parseDocuments(after, { file: `project ${name}` }).documents[0]?.value as AppProject['spec'];
      // read again: an edit takes long, and the write must not undo what others changed meanwhile beside the spec
      const project = await readProject(own, surroundings, name);
      await sessionOf(own, surroundings).request('PUT', projectPath(name), {
        body: { project: { ...project, spec: edited } },
      });
    });

  command
    .command('delete <name...>')
    .description('Delete projects')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (names: string[], _flags: object, own: Command) => {
      for (const name of names) await sessionOf(own, surroundings).request('DELETE', projectPath(name));
    });

  addProjectListCommands(command, surroundings);
  addProjectRoleCommands(command, surroundings);
  addProjectWindowCommands(command, surroundings);
  addProjectIntegrityCommands(command, surroundings);
}

async function projectIn(file: string, surroundings: Surroundings): Promise<Partial<AppProject> | undefined> {
  const [project, ...others] = await manifestsIn<AppProject>(file, 'AppProject', surroundings);
  if (others.length === 0) return project;
  surroundings.output.error(`${file} has ${others.length + 1} AppProjects: give one at a time`);
  throw new Exit(exitCodes.usage);
}

function describe({ metadata, spec }: AppProject): [string, string][] {
  const several = (title: string, items: readonly string[]): [string, string][] =>
    items.length === 0
      ? [[title, '<none>']]
      : items.map((item, index): [string, string] => [index === 0 ? title : '', item]);
  const kinds = (items: readonly { group: string; kind: string; name?: string }[] = []) =>
    items.map(({ group, kind, name }) => [group, kind, ...(name ? [name] : [])].join('/'));
  return [
    ['Name:', metadata.name ?? ''],
    ['Description:', spec.description ?? ''],
    ...several(
      'Destinations:',
      (spec.destinations ?? []).map(({ server, name, namespace }) => `${server || name},${namespace}`),
    ),
    ...several('Repositories:', spec.sourceRepos ?? []),
    ...several('Source Namespaces:', spec.sourceNamespaces ?? []),
    ...several('Allowed Cluster Resources:', kinds(spec.clusterResourceWhitelist)),
    ...several('Denied Cluster Resources:', kinds(spec.clusterResourceBlacklist)),
    ...several('Allowed Namespaced Resources:', kinds(spec.namespaceResourceWhitelist)),
    ...several('Denied Namespaced Resources:', kinds(spec.namespaceResourceBlacklist)),
    ['Signature keys:', (spec.signatureKeys ?? []).map(({ keyID }) => keyID).join(', ') || '<none>'],
    ['Orphaned Resources:', orphaned(spec)],
  ];
}

function orphaned({ orphanedResources }: AppProject['spec']): string {
  if (!orphanedResources) return 'disabled';
  const ignored = orphanedResources.ignore?.length ?? 0;
  return `enabled (warn=${orphanedResources.warn ?? true}${ignored > 0 ? `, ignored ${ignored}` : ''})`;
}

function count(items: readonly string[]): string {
  return items.length === 1 ? (items[0] as string) : items.length === 0 ? '<none>' : String(items.length);
}
