import { systemClock } from '@tiphys/kubernetes';
import { type Command, Option } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { structured, table } from '../../terminal/output.ts';
import type { Where } from '../common/kube-flags.ts';
import { onCluster } from '../common/on-cluster.ts';
import { addChoice, type Choice, chosenWorkflows, type ListedWorkflow } from './chosen.ts';

interface List extends Where, Choice {
  readonly output?: 'wide' | 'name' | 'json' | 'yaml';
  /** False with `--no-headers`. */
  readonly headers: boolean;
}

/** `tiphys workflows list`. */
export function addList(add: (name: string, description: string) => Command, surroundings: Surroundings): void {
  addChoice(add('list', 'List workflows, the newest first'))
    .option('-A, --all-namespaces', 'Of all namespaces')
    .option('--running', 'Those that have not ended')
    .option('--since <duration>', 'Those that were created since then, such as 3h or 7d')
    .option('--chunk-size <number>', 'Has no effect: lists are read in chunks anyway')
    .option('--no-headers', 'Without the line of titles')
    .addOption(new Option('-o, --output <format>', 'What to print').choices(['wide', 'name', 'json', 'yaml']))
    .action((options: List) =>
      onCluster(surroundings, { ...options, purpose: 'workflows' }, async ({ client, namespace }) => {
        printWorkflows(surroundings, await chosenWorkflows(client, namespace, options), options);
      }),
    );
}

/** Prints workflows as a table, or as `-o` says. */
export function printWorkflows(
  { output }: Surroundings,
  workflows: readonly ListedWorkflow[],
  { output: format, headers = true }: { output?: List['output'] | undefined; headers?: boolean },
): void {
  if (format === 'json' || format === 'yaml') output.out(structured(format, workflows));
  else if (format === 'name') for (const { metadata } of workflows) output.out(metadata.name ?? '');
  else printTable(output, workflows, { wide: format === 'wide', headers });
}

function printTable(
  output: Surroundings['output'],
  workflows: readonly ListedWorkflow[],
  { wide, headers }: { wide: boolean; headers: boolean },
): void {
  const title = ['NAME', 'STATUS', 'AGE', 'DURATION', 'PROGRESS', ...(wide ? ['PARAMETERS'] : []), 'MESSAGE'];
  const rows = workflows.map((workflow) => row(workflow, wide));
  if (rows.length > 0 || headers) output.out(table([...(headers ? [title] : []), ...rows]));
}

function row(workflow: ListedWorkflow, wide: boolean): string[] {
  const { metadata, status = {} } = workflow;
  const { phase = 'Pending', progress = '', message = '', startedAt, finishedAt } = status;
  const now = systemClock.now();
  const created = metadata.creationTimestamp ? span(now - Date.parse(metadata.creationTimestamp)) : '';
  const lasted = startedAt ? span((finishedAt ? Date.parse(finishedAt) : now) - Date.parse(startedAt)) : '';
  const { parameters = [] } =
    (workflow as { spec?: { arguments?: { parameters?: Parameter[] } } }).spec?.arguments ?? {};
  const given = parameters.map(({ name, value = '' }) => `${name}=${value}`).join(',');
  return [
    `${metadata.namespace}/${metadata.name}`,
    phase,
    created,
    lasted,
    progress,
    ...(wide ? [given] : []),
    message.split('\n')[0] ?? '',
  ];
}

interface Parameter {
  readonly name: string;
  readonly value?: unknown;
}

/** A length of time by its largest unit, as kubectl says ages. */
function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
