import type { AppProject } from '@tiphys/api';
import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { structured, table } from '../terminal/output.ts';
import { addListVerb } from './records.ts';

const collect = (value: string, before: string[] = []) => [...before, value];
const pathOf = (name: string) => `/api/v1/projects/${encodeURIComponent(name)}`;

/** `tiphys proj …`: the verbs of `argocd proj` for projects, their sources and their destinations. */
export function addProjectCommands(program: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const command = program.command('proj').description('Manage projects');
  const change = async (own: Command, name: string, edit: (spec: AppProject['spec']) => void): Promise<void> => {
    const session = sessionOf(own, surroundings);
    const project = await session.request<AppProject>('GET', pathOf(name));
    edit(project.spec);
    await session.request('PUT', pathOf(name), { body: { project } });
  };

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
    .option('-o, --output <format>', 'wide, json or yaml', 'wide')
    .action(async (name: string, flags: { output: string }, own: Command) => {
      const project = await sessionOf(own, surroundings).request<AppProject>('GET', pathOf(name));
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, project));
      const { spec } = project;
      const lines: [string, string][] = [
        ['Name:', name],
        ['Description:', spec.description ?? ''],
        ...(spec.destinations ?? []).map(({ server, name: cluster, namespace }): [string, string] => [
          'Destination:',
          `${server || cluster},${namespace}`,
        ]),
        ...(spec.sourceRepos ?? []).map((repo): [string, string] => ['Repository:', repo]),
      ];
      return output.out(table(lines));
    });

  command
    .command('create <name>')
    .description('Create a project')
    .option('--description <text>', 'What it is for')
    .option('-d, --dest <server,namespace>', 'Permitted destination (repeatable)', collect)
    .option('-s, --src <url>', 'Permitted repository (repeatable)', collect)
    .option('--upsert', 'Change it if it is there already')
    .action(
      async (
        name: string,
        flags: { description?: string; dest?: string[]; src?: string[]; upsert?: boolean },
        own: Command,
      ) => {
        const spec = {
          ...(flags.description === undefined ? {} : { description: flags.description }),
          destinations: (flags.dest ?? []).map(destination),
          sourceRepos: flags.src ?? [],
        };
        await sessionOf(own, surroundings).request('POST', '/api/v1/projects', {
          body: { project: { metadata: { name }, spec }, upsert: flags.upsert ?? false },
        });
      },
    );

  command
    .command('delete <name...>')
    .description('Delete projects')
    .action(async (names: string[], _flags: object, own: Command) => {
      for (const name of names) await sessionOf(own, surroundings).request('DELETE', pathOf(name));
    });

  command
    .command('add-source <name> <url>')
    .description('Permit a repository')
    .action((name: string, url: string, _flags: object, own: Command) =>
      change(own, name, (spec) => {
        spec.sourceRepos = [...new Set([...(spec.sourceRepos ?? []), url])];
      }),
    );
  command
    .command('remove-source <name> <url>')
    .description('Permit a repository no longer')
    .action((name: string, url: string, _flags: object, own: Command) =>
      change(own, name, (spec) => {
        spec.sourceRepos = (spec.sourceRepos ?? []).filter((item) => item !== url);
      }),
    );
  command
    .command('add-destination <name> <server> <namespace>')
    .description('Permit a destination')
    .option('--name', 'The cluster is given by its name')
    .action((name: string, server: string, namespace: string, flags: { name?: boolean }, own: Command) =>
      change(own, name, (spec) => {
        const added = flags.name ? { name: server, namespace } : { server, namespace };
        spec.destinations = [...(spec.destinations ?? []), added as never];
      }),
    );
  command
    .command('remove-destination <name> <server> <namespace>')
    .description('Permit a destination no longer')
    .action((name: string, server: string, namespace: string, _flags: object, own: Command) =>
      change(own, name, (spec) => {
        spec.destinations = (spec.destinations ?? []).filter(
          (item) => !((item.server === server || item.name === server) && item.namespace === namespace),
        );
      }),
    );
}

function count(items: readonly string[]): string {
  return items.length === 1 ? (items[0] as string) : items.length === 0 ? '<none>' : String(items.length);
}

function destination(text: string): { server: string; namespace: string } {
  const at = text.indexOf(',');
  return at < 0 ? { server: text, namespace: '*' } : { server: text.slice(0, at), namespace: text.slice(at + 1) };
}
