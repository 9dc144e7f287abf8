import { type Command, Option } from 'commander';
import type { Surroundings } from '../../terminal/command-context.ts';
import { flowServer, pathOf } from './flow-server.ts';

interface Sync {
  readonly namespace: string;
  readonly type: 'configmap' | 'database';
  readonly cmName?: string;
  readonly limit?: string;
}

interface Limit {
  readonly namespace?: string;
  readonly key?: string;
  readonly limit?: number;
}

/** `tiphys workflows sync …`: limits of semaphores, in ConfigMaps or in the database. */
export function addSyncCommands(workflows: Command, surroundings: Surroundings): void {
  const { output, signal } = surroundings;
  const sync = workflows.command('sync').description('Limits of semaphores, through the server (tiphys login)');
  const verbs = [
    ['create', 'Set a limit that is not there', 'POST'],
    ['update', 'Set another limit', 'PUT'],
    ['get', 'Show a limit', 'GET'],
    ['delete', 'Remove a limit', 'DELETE'],
  ] as const;
  for (const [verb, description, method] of verbs) {
    const command = sync
      .command(`${verb} <key>`)
      .description(description)
      .option('-n, --namespace <name>', 'Namespace', 'default')
      .addOption(
        new Option('--type <type>', 'Where it is kept').choices(['configmap', 'database']).default('configmap'),
      )
      .option('--cm-name <name>', 'ConfigMap, with --type configmap');
    const writes = verb === 'create' || verb === 'update';
    if (writes) command.requiredOption('--limit <number>', 'How many may hold it at once');
    command.action(async (key: string, options: Sync, self: Command) => {
      const { namespace, cmName, limit } = options;
      if (options.type === 'configmap' && !cmName) {
        const { VerbError } = await import('@tiphys/workflows');
        throw new VerbError('--cm-name is needed with --type configmap');
      }
      const type = options.type === 'database' ? 1 : 0;
      const place = `/api/v1/sync/${pathOf(namespace)}${verb === 'create' ? '' : `/${pathOf(key)}`}`;
      const said = { cmName, type };
      const found = await flowServer(self, surroundings).request<Limit>(method, place, {
        signal,
        ...(writes ? { body: { namespace, key, ...said, limit: Number(limit) } } : { query: said }),
      });
      output.out(`${namespace}/${key}${verb === 'delete' ? ' deleted' : `: ${found.limit}`}`);
    });
  }
}
