import type { HistoryEntry, NetChange } from '@tiphys/history';
import type { Command } from 'commander';
import { Exit, type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { structured, table } from '../terminal/output.ts';
import { instantOf } from './common/instant.ts';
import { outputFlag } from './common/output-flag.ts';

interface Flags {
  readonly since?: string;
  readonly until?: string;
  readonly app?: string;
  readonly namespace?: string;
  readonly object?: string;
  readonly limit: string;
  readonly changes?: boolean;
  readonly output: string;
}

/** `tiphys history`: what was decided about applications, when, and who asked for it. */
export function addHistoryCommand(program: Command, surroundings: Surroundings): void {
  program
    .command('history')
    .description(
      'What was decided about applications, and who asked for it: syncs with their patches, drift, quarantine',
    )
    .option('--since <time>', 'From then on: 10:00 (today), 2026-01-31, RFC 3339, or 2h ago')
    .option('--until <time>', 'Before then')
    .option('--app <name>', 'Of one application: [NAMESPACE/]NAME')
    .option('--namespace <name>', 'Of objects in a namespace')
    .option('--object <object>', 'Of one object: [KIND/]NAME')
    .option('--limit <number>', 'At most so many, the newest', '100')
    .option('--changes', 'What syncs changed between the two times, field by field')
    .addOption(outputFlag(['wide', 'json', 'yaml']))
    .action(async (flags: Flags, own: Command) => {
      const session = sessionOf(own, surroundings);
      const query = {
        since: timeOf(surroundings, '--since', flags.since),
        until: timeOf(surroundings, '--until', flags.until),
        application: flags.app,
        namespace: flags.namespace,
        object: flags.object,
        ...(flags.changes ? {} : { limit: flags.limit }),
      };
      const path = `/api/tiphys/v1/history${flags.changes ? '/changes' : ''}`;
      const { items, next, partial } = await session.request<Answer>('GET', path, { query });
      const { output } = surroundings;
      if (flags.output === 'json' || flags.output === 'yaml') return output.out(structured(flags.output, items));
      output.out(flags.changes ? changesTable(items as NetChange[]) : entriesTable(items as HistoryEntry[]));
      if (next !== undefined) output.error('There are older entries: narrow the time, or raise --limit');
      if (partial) output.error('There were more syncs than are looked at: narrow the time or the application');
    });
}

interface Answer {
  readonly items: HistoryEntry[] | NetChange[];
  readonly next?: number;
  readonly partial?: boolean;
}

function timeOf({ output }: Surroundings, flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const instant = instantOf(text, Date.now());
  if (instant !== undefined) return new Date(instant).toISOString();
  output.error(`${flag} must be a time: 10:00, 2026-01-31, 2026-01-31T10:00:00Z, or how long ago, such as 2h or 30m`);
  throw new Exit(exitCodes.usage);
}

/** Oldest first, as a log is read. */
function entriesTable(items: readonly HistoryEntry[]): string {
  const rows = [...items]
    .reverse()
    .map(({ time, application, kind, actor, summary }) => [
      time.slice(0, 19),
      application,
      kind,
      actor,
      oneLine(summary),
    ]);
  return table([['TIME', 'APPLICATION', 'WHAT', 'WHO', 'SUMMARY'], ...rows]);
}

function changesTable(items: readonly NetChange[]): string {
  const rows = items.map((change) => [
    change.application,
    `${change.kind} ${change.namespace ? `${change.namespace}/` : ''}${change.name}`,
    change.path || change.action,
    `${shown(change.before)} → ${shown(change.after)}`,
    change.actors.join(', '),
    change.revision.slice(0, 7),
  ]);
  return table([['APPLICATION', 'OBJECT', 'FIELD', 'CHANGE', 'WHO', 'REVISION'], ...rows]);
}

function shown(value: unknown): string {
  if (value === undefined) return '(none)';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return oneLine(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function oneLine(text: string): string {
  return text.replaceAll('\n', ' ');
}
