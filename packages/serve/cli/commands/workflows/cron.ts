import { isAlreadyExists } from '@tiphys/kubernetes';
import { type Command, Option } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import type { Where } from '../common/kube-flags.ts';
import { onCluster } from '../common/on-cluster.ts';
import { addDefinitionCommands } from './templates.ts';

interface Backfill extends Where {
  readonly start: string;
  readonly end?: string;
  readonly parallel?: boolean;
  readonly argname: string;
  readonly maxWorkflowCount: string;
  /** The spelling of `argo`. */
  readonly maxworkflowcount?: string;
  readonly name?: string;
  readonly format?: string;
  readonly dryRun?: boolean;
}

/** `tiphys workflows cron …`: what is done with CronWorkflows. */
export function addCronCommands(workflows: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const cron = workflows.command('cron').description('CronWorkflows');
  addDefinitionCommands(cron, { kind: 'CronWorkflow', noun: 'CronWorkflow' }, surroundings);
  cron
    .command('backfill <name>')
    .description('Run what a CronWorkflow would have run in a span of time')
    .option('--name <name>', 'Of the backfill: its workflows are called by it, so that what has run once runs again')
    .requiredOption('--start <time>', 'Times after this one, such as 2026-01-31T00:00:00Z')
    .option('--end <time>', 'Up to this one; now if absent')
    .option('--format <layout>', 'How --start and --end are written, as a layout of Go such as 02.01.2006 15:04')
    .option('--parallel', 'All at once; else one after the other, the earliest first')
    .option('--argname <name>', 'Argument that gets the scheduled time', 'cronScheduleTime')
    .option('--max-workflow-count <number>', 'Refuse to create more', '1000')
    .addOption(new Option('--maxworkflowcount <number>').hideHelp())
    .option('--dry-run', 'Only say which')
    .option('-n, --namespace <name>', "Namespace; the context's if absent")
    .option('--kubeconfig <file>', 'Kubeconfig (KUBECONFIG)')
    .option('--context <name>', 'Context of the kubeconfig')
    .action((name: string, options: Backfill) =>
      onCluster(surroundings, { ...options, purpose: 'workflows' }, async ({ client, namespace }) => {
        const { backfilled, timeAs } = await import('@tiphys/workflows');
        const cron = await client.get({ apiVersion: 'argoproj.io/v1alpha1', kind: 'CronWorkflow', namespace, name });
        const wanted = backfilled(cron as never, {
          ...(options.name === undefined ? {} : { name: options.name }),
          start: timeAs(options.start, options.format),
          end: options.end === undefined ? Date.now() : timeAs(options.end, options.format),
          parallel: options.parallel === true,
          argument: options.argname,
          most: Number(options.maxworkflowcount ?? options.maxWorkflowCount),
        });
        if (wanted.length === 0) output.out(`${namespace}/${name} has no scheduled time in this span`);
        for (const workflow of wanted) {
          const place = `${namespace}/${workflow.metadata.name}`;
          if (options.dryRun) output.out(`${place} (dry run)`);
          else
            await client.create(workflow as never).then(
              () => output.out(`${place} created`),
              (error: unknown) => {
                if (!isAlreadyExists(error)) throw error;
                output.out(`${place} is there already`);
              },
            );
        }
      }),
    );
}
