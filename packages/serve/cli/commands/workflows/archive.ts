import { type Command, Option } from 'commander';
import type { ApiSession } from '../../client/api-session.ts';
import type { Surroundings } from '../../terminal/command-context.ts';
import { structured } from '../../terminal/output.ts';
import type { ListedWorkflow } from './chosen.ts';
import { flowServer, pathOf } from './flow-server.ts';
import { addFollowed, type Followed, followAll, ofServer } from './follow.ts';
import { printWorkflows } from './list.ts';

interface Page {
  readonly items?: readonly ListedWorkflow[] | null;
  readonly metadata?: { readonly continue?: string };
}

interface List {
  readonly namespace?: string;
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly output?: 'wide' | 'name' | 'json' | 'yaml';
  readonly chunkSize: string;
  readonly limit?: string;
}

interface Again extends Followed {
  readonly namespace?: string;
  readonly parameter: string[];
  readonly memoized?: boolean;
  readonly restartSuccessful?: boolean;
  readonly nodeFieldSelector?: string;
}

const root = '/api/v1/archived-workflows';

/** By what an archived workflow is named. */
interface Named {
  readonly namespace?: string;
  readonly name?: boolean;
  readonly uid?: boolean;
}

function named(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'Namespace of what is named; the one in which they run for retry and resubmit')
    .option('--name', 'What is given is a name')
    .option('--uid', 'What is given is a UID');
}

const uidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The UID of the only archived workflow of a name; what has the form of a UID is one, unless flags say otherwise. */
async function uidOf(
  server: ApiSession,
  given: string,
  { namespace, name, uid, signal }: Named & { signal: AbortSignal },
): Promise<string> {
  if (uid || (!name && uidForm.test(given))) return given;
  const found: ListedWorkflow[] = [];
  const wanted = { ...(namespace ? { namespace } : {}), fieldSelector: `metadata.name=${given}`, chunkSize: '2' };
  for await (const workflow of listed(server, wanted, signal)) if (found.push(workflow) > 10) break;
  const [first, ...more] = found;
  if (!first) return await refuse(`The archive has no workflow ${given}`);
  if (more.length > 0)
    await refuse(
      `Several workflows of the archive are called ${given}, give the UID: ${found.map(({ metadata, status }) => `${metadata.uid} (finished ${status?.finishedAt})`).join(', ')}`,
    );
  return first.metadata.uid ?? '';
}

async function refuse(message: string): Promise<never> {
  const { VerbError } = await import('@tiphys/workflows');
  throw new VerbError(message);
}

/** Workflows of the archive, the newest first, page by page. */
async function* listed(server: ApiSession, options: List, signal: AbortSignal): AsyncGenerator<ListedWorkflow> {
  let left = options.limit === undefined ? Number.POSITIVE_INFINITY : Number(options.limit);
  for (let from = '', more = true; more && left > 0; more = from !== '') {
    const query = {
      namespace: options.namespace,
      'listOptions.labelSelector': options.selector,
      'listOptions.fieldSelector': options.fieldSelector,
      'listOptions.limit': String(Math.min(Number(options.chunkSize), left)),
      'listOptions.continue': from,
    };
    const page: Page = await server.request('GET', root, { query, signal });
    for (const item of page.items ?? []) {
      left -= 1;
      yield item;
    }
    from = page.metadata?.continue ?? '';
  }
}

/** `tiphys workflows archive …`: finished workflows of the archive, which the server alone reaches. */
export function addArchiveCommands(workflows: Command, surroundings: Surroundings): void {
  const { output, signal } = surroundings;
  const archive = workflows
    .command('archive')
    .description('Workflows of the archive, through the server (tiphys login)');
  const format = () => new Option('-o, --output <format>', 'What to print').choices(['wide', 'name', 'json', 'yaml']);
  const collect = (value: string, all: string[]) => [...all, value];

  archive
    .command('list')
    .description('List archived workflows, the newest first')
    .option('-n, --namespace <name>', 'Namespace; all if absent')
    .option('-l, --selector <selector>', 'Those with these labels')
    .option('--field-selector <selector>', 'Those with these fields, such as spec.startedAt>2026-01-01T00:00:00Z')
    .option('--chunk-size <number>', 'How many are asked for at once', '200')
    .option('--limit <number>', 'Stop after so many')
    .addOption(format())
    .action(async (options: List, command: Command) => {
      const found = await Array.fromAsync(listed(flowServer(command, surroundings), options, signal));
      printWorkflows(surroundings, found, { output: options.output });
    });
  named(archive.command('get <workflow>').description('Show an archived workflow, by its UID or its name'))
    .addOption(format())
    .action(async (given: string, options: Named & { output?: string }, command: Command) => {
      const server = flowServer(command, surroundings);
      const uid = await uidOf(server, given, { ...options, signal });
      const workflow = await server.request<ListedWorkflow>('GET', `${root}/${pathOf(uid)}`, { signal });
      if (options.output === 'name') output.out(workflow.metadata.name ?? '');
      else output.out(structured(options.output === 'json' ? 'json' : 'yaml', workflow));
    });
  named(
    archive.command('delete <workflows...>').description('Delete archived workflows, by their UIDs or names'),
  ).action(async (all: string[], options: Named, command: Command) => {
    const server = flowServer(command, surroundings);
    for (const given of all) {
      const uid = await uidOf(server, given, { ...options, signal });
      await server.request('DELETE', `${root}/${pathOf(uid)}`, { signal });
      output.out(`${uid} deleted`);
    }
  });
  for (const verb of ['resubmit', 'retry'] as const) {
    const again = addFollowed(named(archive.command(`${verb} [workflows...]`)))
      .description(
        verb === 'retry' ? 'Run again what failed in archived workflows' : 'Run workflows like archived ones',
      )
      .option('-l, --selector <selector>', 'Those with these labels')
      .option('--field-selector <selector>', 'Those with these fields, such as metadata.name=one')
      .option('-p, --parameter <name=value>', 'Argument instead of the one of before', collect, [])
      .addOption(format());
    if (verb === 'resubmit') again.option('--memoized', 'What ended well is not run again');
    else
      again
        .option('--restart-successful', 'Also what succeeded, of the selected nodes')
        .option('--node-field-selector <selector>', 'Nodes, such as displayName=build');
    again.action(async (all: string[], options: Again & Named & List, command: Command) => {
      const { parameter, namespace, memoized, restartSuccessful, nodeFieldSelector } = options;
      const server = flowServer(command, surroundings);
      const uids = await Promise.all(all.map((given) => uidOf(server, given, { ...options, signal })));
      if (options.selector || options.fieldSelector)
        for await (const { metadata } of listed(server, { ...options, chunkSize: '200' }, signal))
          uids.push(metadata.uid ?? '');
      if (uids.length === 0) await refuse('Name workflows of the archive, or choose them with --selector');
      const begun: ListedWorkflow[] = [];
      for (const uid of uids) {
        const body = { uid, namespace, parameters: parameter, memoized, restartSuccessful, nodeFieldSelector };
        const request = { body, signal };
        const workflow = await server.request<ListedWorkflow>('PUT', `${root}/${pathOf(uid)}/${verb}`, request);
        begun.push(workflow);
        if (!options.output) output.out(`${workflow.metadata.namespace}/${workflow.metadata.name}`);
      }
      if (options.output) printWorkflows(surroundings, begun, { output: options.output });
      await followAll(begun, options, { source: ofServer(server, surroundings), surroundings });
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
