import { type Command, Option } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { structured } from '../../terminal/output.ts';
import type { ListedWorkflow } from './chosen.ts';
import { flowServer, pathOf } from './flow-server.ts';
import { printWorkflows } from './list.ts';

interface Page {
  readonly items?: readonly ListedWorkflow[] | null;
  readonly metadata?: { readonly continue?: string };
}

interface List {
  readonly namespace?: string;
  readonly selector?: string;
  readonly output?: 'wide' | 'name' | 'json' | 'yaml';
  readonly chunkSize: string;
  readonly limit?: string;
}

interface Again {
  readonly namespace?: string;
  readonly parameter: string[];
  readonly memoized?: boolean;
  readonly restartSuccessful?: boolean;
  readonly nodeFieldSelector?: string;
}

/** `tiphys workflows archive …`: finished workflows of the archive, which the server alone reaches. */
export function addArchiveCommands(workflows: Command, surroundings: Surroundings): void {
  const { output, signal } = surroundings;
  const archive = workflows
    .command('archive')
    .description('Workflows of the archive, through the server (tiphys login)');
  const format = () => new Option('-o, --output <format>', 'What to print').choices(['wide', 'name', 'json', 'yaml']);
  const collect = (value: string, all: string[]) => [...all, value];
  const root = '/api/v1/archived-workflows';

  archive
    .command('list')
    .description('List archived workflows, the newest first')
    .option('-n, --namespace <name>', 'Namespace; all if absent')
    .option('-l, --selector <selector>', 'Those with these labels')
    .option('--chunk-size <number>', 'How many are asked for at once', '200')
    .option('--limit <number>', 'Stop after so many')
    .addOption(format())
    .action(async (options: List, command: Command) => {
      const server = flowServer(command, surroundings);
      const most = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit);
      const found: ListedWorkflow[] = [];
      for (let from = '', more = true; more && found.length < most; more = from !== '') {
        const query = {
          namespace: options.namespace,
          'listOptions.labelSelector': options.selector,
          'listOptions.limit': String(Math.min(Number(options.chunkSize), most - found.length)),
          'listOptions.continue': from,
        };
        const page: Page = await server.request('GET', root, { query, signal });
        found.push(...(page.items ?? []));
        from = page.metadata?.continue ?? '';
      }
      printWorkflows(surroundings, found, { output: options.output });
    });
  archive
    .command('get <uid>')
    .description('Show an archived workflow')
    .addOption(format())
    .action(async (uid: string, options: { output?: string }, command: Command) => {
      const workflow = await flowServer(command, surroundings).request<ListedWorkflow>(
        'GET',
        `${root}/${pathOf(uid)}`,
        {
          signal,
        },
      );
      if (options.output === 'name') output.out(workflow.metadata.name ?? '');
      else output.out(structured(options.output === 'json' ? 'json' : 'yaml', workflow));
    });
  archive
    .command('delete <uids...>')
    .description('Delete archived workflows')
    .action(async (uids: string[], _options: object, command: Command) => {
      const server = flowServer(command, surroundings);
      for (const uid of uids) {
        await server.request('DELETE', `${root}/${pathOf(uid)}`, { signal });
        output.out(`${uid} deleted`);
      }
    });
  for (const verb of ['resubmit', 'retry'] as const) {
    const again = archive
      .command(`${verb} <uids...>`)
      .description(
        verb === 'retry' ? 'Run again what failed in archived workflows' : 'Run workflows like archived ones',
      )
      .option('-n, --namespace <name>', 'Namespace in which they run; the one of before if absent')
      .option('-p, --parameter <name=value>', 'Argument instead of the one of before', collect, []);
    if (verb === 'resubmit') again.option('--memoized', 'What ended well is not run again');
    else
      again
        .option('--restart-successful', 'Also what succeeded, of the selected nodes')
        .option('--node-field-selector <selector>', 'Nodes, such as displayName=build');
    again.action(async (uids: string[], { parameter, namespace, ...rest }: Again, command: Command) => {
      const server = flowServer(command, surroundings);
      for (const uid of uids) {
        const body = { uid, namespace, parameters: parameter, ...rest };
        const { metadata } = await server.request<ListedWorkflow>('PUT', `${root}/${pathOf(uid)}/${verb}`, {
          body,
          signal,
        });
        output.out(`${metadata.namespace}/${metadata.name}`);
      }
    });
  }
  archive
    .command('list-label-keys')
    .description('List the labels that archived workflows have')
    .action(async (_options: object, command: Command) => {
      const { items } = await flowServer(command, surroundings).request<Words>(
        'GET',
        '/api/v1/archived-workflows-label-keys',
        { signal },
      );
      for (const key of items ?? []) output.out(key);
    });
  archive
    .command('list-label-values')
    .description('List the values of a label')
    .requiredOption('-l, --selector <label>', 'The label')
    .action(async ({ selector }: { selector: string }, command: Command) => {
      const { items } = await flowServer(command, surroundings).request<Words>(
        'GET',
        '/api/v1/archived-workflows-label-values',
        { query: { 'listOptions.labelSelector': selector }, signal },
      );
      for (const value of items ?? []) output.out(value);
    });
}

interface Words {
  readonly items?: readonly string[] | null;
}
