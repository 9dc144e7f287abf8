import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { structured, table } from '../../terminal/output.ts';
import { outputFlag } from './output-flag.ts';

/** What `list` and `get` of a noun need to know of it. */
export interface Noun<T> {
  readonly command: Command;
  readonly surroundings: Surroundings;
  /** `/api/v1/projects` */
  readonly path: string;
  readonly columns: readonly string[];
  row(item: T): readonly (string | undefined)[];
  nameOf(item: T): string;
  /** Another word of `argocd` for `-o name`, such as `url`. */
  readonly nameForm?: string;
  /** Whether `list --refresh hard` asks the hosts anew. */
  readonly refreshes?: boolean;
}

/** `list` as `argocd` prints it: a table, names alone, JSON or YAML. */
export function addListVerb<T>(
  { command, surroundings, path, columns, row, nameOf, nameForm, refreshes }: Noun<T>,
  what: string,
): void {
  const verb = command
    .command('list')
    .description(`List ${what}`)
    .addOption(outputFlag(['wide', 'name', ...(nameForm ? [nameForm] : []), 'json', 'yaml']));
  if (refreshes) verb.option('--refresh <how>', 'hard: ask the hosts anew');
  verb.action(async (flags: { output: string; refresh?: string }, own: Command) => {
    const query = { forceRefresh: flags.refresh === 'hard' ? true : undefined };
    const found = await sessionOf(own, surroundings).request<{ items?: T[] | null }>('GET', path, { query });
    printRecords(surroundings, flags.output, { items: found.items ?? [], columns, row, nameOf });
  });
}

export function printRecords<T>(
  { output }: Surroundings,
  format: string,
  { items, columns, row, nameOf }: Pick<Noun<T>, 'columns' | 'row' | 'nameOf'> & { readonly items: readonly T[] },
): void {
  if (format === 'json' || format === 'yaml') output.out(structured(format, items));
  else if (format === 'name' || format === 'url' || format === 'server') output.out(items.map(nameOf).join('\n'));
  else output.out(table([columns, ...items.map((item) => row(item).map((cell) => cell ?? ''))]));
}
