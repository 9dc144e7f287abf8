import type { AppProject } from '@tiphys/api';
import { isActive } from '@tiphys/applications';
import type { Command } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { exitCodes } from '../../terminal/exit-codes.ts';
import { collectList } from '../../terminal/flag-values.ts';
import { structured, table } from '../../terminal/output.ts';
import { outputFlag } from '../common/output-flag.ts';
import { changeProject, readProject } from './change-project.ts';

type Window = NonNullable<AppProject['spec']['syncWindows']>[number];

interface WindowFlags {
  readonly kind?: string;
  readonly schedule?: string;
  readonly duration?: string;
  readonly applications?: string[];
  readonly namespaces?: string[];
  readonly clusters?: string[];
  readonly manualSync?: boolean;
  readonly syncOverrun?: boolean;
  readonly timeZone?: string;
  readonly useAndOperator?: boolean;
  readonly description?: string;
}

const toggles = [
  ['enable-manual-sync', 'Permit syncs by hand', { manualSync: true }],
  ['disable-manual-sync', 'Permit syncs by hand no longer', { manualSync: false }],
  ['enable-sync-overrun', 'Let syncs that run already go on', { syncOverrun: true }],
  ['disable-sync-overrun', 'Let syncs that run already go on no longer', { syncOverrun: false }],
] as const;

/** `tiphys proj windows …`: the verbs of `argocd proj windows`. A window is named by its number in `list`. */
export function addProjectWindowCommands(parent: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const command = parent.command('windows').description("Manage a project's sync windows");
  const edit = (
    own: Command,
    [project, id]: readonly [string, string],
    change: (windows: Window[], at: number) => void,
  ) =>
    changeProject(own, surroundings, {
      name: project,
      edit: (spec) => {
        const at = /^\d+$/.test(id) ? Number(id) : -1;
        if (!spec.syncWindows?.[at]) {
          output.error(`window with id '${id}' not found: see tiphys proj windows list ${project}`);
          throw new Exit(exitCodes.generic);
        }
        change(spec.syncWindows, at);
        return undefined;
      },
    });

  command
    .command('list <project>')
    .description('List the sync windows of a project')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (project: string, flags: { output: string }, own: Command) => {
      const windows = (await readProject(own, surroundings, project)).spec.syncWindows ?? [];
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, windows));
      return output.out(table([columns, ...windows.map(row)]));
    });

  withTimes(command.command('add <project>').description('Add a sync window'))
    .requiredOption('-k, --kind <kind>', 'allow or deny')
    .option('--manual-sync', 'Permit syncs by hand')
    .option('--sync-overrun', 'Let syncs that run already go on')
    .option(
      '--use-and-operator',
      'Applications, namespaces and clusters must all match, where one of them is enough else',
    )
    .action(async (project: string, flags: WindowFlags, own: Command) => {
      await changeProject(own, surroundings, {
        name: project,
        edit: (spec) => {
          spec.syncWindows = [...(spec.syncWindows ?? []), added(flags)];
          return undefined;
        },
      });
    });

  withTimes(
    command.command('update <project> <id>').description('Change a sync window; what is not named stays'),
  ).action(async (project: string, id: string, flags: WindowFlags, own: Command) => {
    const changes = timesOf(flags);
    if (Object.keys(changes).length === 0) return own.error('error: name what is to change');
    return void (await edit(own, [project, id], (windows, at) => {
      windows[at] = { ...windows[at], ...changes };
    }));
  });

  command
    .command('delete <project> <id>')
    .description('Delete a sync window')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (project: string, id: string, _flags: object, own: Command) => {
      await edit(own, [project, id], (windows, at) => void windows.splice(at, 1));
    });

  for (const [name, description, change] of toggles) {
    command
      .command(`${name} <project> <id>`)
      .description(description)
      .action(async (project: string, id: string, _flags: object, own: Command) => {
        await edit(own, [project, id], (windows, at) => {
          windows[at] = { ...windows[at], ...change };
        });
      });
  }
}

function withTimes(command: Command): Command {
  return command
    .option('--schedule <cron>', 'When it begins, as cron says it (0 22 * * *)')
    .option('--duration <duration>', 'How long it lasts (1h)')
    .option('--applications <names>', 'Applications, with wildcards; parted by commas', collectList)
    .option('--namespaces <names>', 'Destination namespaces, with wildcards; parted by commas', collectList)
    .option('--clusters <names>', 'Destination clusters, with wildcards; parted by commas', collectList)
    .option('--time-zone <zone>', 'Time zone of the schedule; UTC if absent')
    .option('--description <text>', 'What it is for');
}

function timesOf(flags: WindowFlags): Window {
  const { schedule, duration, applications, namespaces, clusters, timeZone, description } = flags;
  const all = { schedule, duration, applications, namespaces, clusters, timeZone, description };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Window;
}

function added(flags: WindowFlags): Window {
  return {
    kind: flags.kind as string,
    timeZone: 'UTC',
    ...timesOf(flags),
    ...(flags.manualSync ? { manualSync: true } : {}),
    ...(flags.syncOverrun ? { syncOverrun: true } : {}),
    ...(flags.useAndOperator ? { andOperator: true } : {}),
  };
}

const columns = [
  ...['ID', 'STATUS', 'KIND', 'SCHEDULE', 'DURATION', 'APPLICATIONS', 'NAMESPACES', 'CLUSTERS'],
  ...['MANUALSYNC', 'SYNCOVERRUN', 'TIMEZONE', 'USEANDOPERATOR'],
];

function row(window: Window, index: number): string[] {
  const list = (items: readonly string[] = []) => items.join(',') || '-';
  const enabled = (value: boolean | undefined) => (value ? 'Enabled' : 'Disabled');
  return [
    String(index),
    isActive(window, Date.now()) ? 'Active' : 'Inactive',
    window.kind ?? '',
    window.schedule ?? '',
    window.duration ?? '',
    list(window.applications),
    list(window.namespaces),
    list(window.clusters),
    enabled(window.manualSync),
    enabled(window.syncOverrun),
    window.timeZone ?? '',
    enabled(window.andOperator),
  ];
}
