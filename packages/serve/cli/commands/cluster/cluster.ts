import type { Command } from 'commander';
import { type Surroundings, sessionOf } from '../../terminal/command-context.ts';
import { asking } from '../../terminal/confirm.ts';
import { collect, pair } from '../../terminal/flag-values.ts';
import { outputFlag } from '../common/output-flag.ts';
import { addListVerb, printRecords } from '../common/records.ts';
import { addClusterAddCommand } from './add.ts';

interface Cluster {
  readonly server: string;
  readonly name?: string;
  readonly serverVersion?: string;
  readonly project?: string;
  readonly connectionState?: { readonly status?: string; readonly message?: string };
}

interface CountedCluster extends Cluster {
  readonly shard?: string | number;
  readonly namespaces?: readonly string[];
  readonly info?: {
    readonly connectionState?: { readonly status?: string };
    readonly applicationsCount?: string | number;
    readonly cacheInfo?: { readonly resourcesCount?: string | number };
  };
}

const statColumns = ['SERVER', 'SHARD', 'CONNECTION', 'NAMESPACES COUNT', 'APPS COUNT', 'RESOURCES COUNT'];
const statRow = ({ server, shard, namespaces = [], info, connectionState }: CountedCluster) => [
  server,
  String(shard ?? 0),
  info?.connectionState?.status ?? connectionState?.status,
  String(namespaces.length),
  String(info?.applicationsCount ?? 0),
  String(info?.cacheInfo?.resourcesCount ?? 0),
];

const columns = ['SERVER', 'NAME', 'VERSION', 'STATUS', 'MESSAGE', 'PROJECT'];
const row = (item: Cluster) => [
  item.server,
  item.name,
  item.serverVersion,
  item.connectionState?.status,
  item.connectionState?.message?.split('\n')[0],
  item.project,
];
const nameOf = ({ server }: Cluster) => server;

/** `tiphys cluster …`: the verbs of `argocd cluster` for clusters that are registered. */
export function addClusterCommands(program: Command, surroundings: Surroundings): void {
  const { output } = surroundings;
  const command = program.command('cluster').description('Manage clusters');
  addListVerb<Cluster>(
    { command, surroundings, path: '/api/v1/clusters', columns, row, nameOf, nameForm: 'server' },
    'clusters',
  );
  /** A cluster is named by its URL, or by its name. */
  const idOf = (text: string) => ({
    path: `/api/v1/clusters/${encodeURIComponent(text)}`,
    query: { 'id.type': text.includes('://') ? 'url' : 'name' },
  });

  command
    .command('get <server>')
    .description('Show a cluster, by its URL or its name')
    .addOption(outputFlag(['yaml', 'json', 'wide', 'server', 'name']))
    .action(async (text: string, flags: { output: string }, own: Command) => {
      const { path, query } = idOf(text);
      const found = await sessionOf(own, surroundings).request<Cluster>('GET', path, { query });
      printRecords(surroundings, flags.output, { items: [found], columns, row, nameOf });
    });

  command
    .command('stats')
    .description('Count what is watched of each cluster, as argocd admin cluster stats')
    .addOption(outputFlag(['wide', 'server', 'json', 'yaml']))
    .action(async (flags: { output: string }, own: Command) => {
      const { items = [] } = await sessionOf(own, surroundings).request<{ items?: CountedCluster[] }>(
        'GET',
        '/api/v1/clusters',
      );
      printRecords(surroundings, flags.output, { items, columns: statColumns, row: statRow, nameOf });
    });

  command
    .command('rm <server...>')
    .description('Remove clusters')
    .option('-y, --yes', 'Do not ask')
    .hook('preAction', asking(surroundings))
    .action(async (texts: string[], _flags: object, own: Command) => {
      for (const text of texts) {
        const { path, query } = idOf(text);
        await sessionOf(own, surroundings).request('DELETE', path, { query });
        output.out(`Cluster '${text}' removed`);
      }
    });

  addClusterAddCommand(command, surroundings);

  command
    .command('set <name>')
    .description('Change a cluster; what is not named stays')
    .option('--name <name>', 'New name')
    .option('--namespace <name>', 'Namespace that is managed (repeatable); * for all', collect)
    .option('--label <name=value>', 'Label (repeatable)', collect)
    .option('--annotation <name=value>', 'Annotation (repeatable)', collect)
    .action(async (text: string, flags: SetFlags, own: Command) => {
      const { path, query } = idOf(text);
      const changes = changesOf(flags);
      const updatedFields = Object.keys(changes);
      if (updatedFields.length === 0) return own.error('error: name what is to change');
      const session = sessionOf(own, surroundings);
      const before = await session.request<Cluster>('GET', path, { query });
      await session.request('PUT', path, {
        query: { ...query, updatedFields },
        body: { ...before, ...changes },
      });
      return output.out(`Cluster '${text}' updated.`);
    });

  command
    .command('rotate-auth <server>')
    .description('Give the cluster a new token of its ServiceAccount')
    .action(async (text: string, _flags: object, own: Command) => {
      const { path, query } = idOf(text);
      await sessionOf(own, surroundings).request('POST', `${path}/rotate-auth`, { query });
      output.out(`Cluster '${text}' rotated auth`);
    });
}

interface SetFlags {
  readonly name?: string;
  readonly namespace?: string[];
  readonly label?: string[];
  readonly annotation?: string[];
}

function changesOf({ name, namespace, label, annotation }: SetFlags): Record<string, unknown> {
  return {
    ...(name === undefined ? {} : { name }),
    ...(namespace ? { namespaces: namespace.includes('*') ? [] : namespace } : {}),
    ...(label ? { labels: Object.fromEntries(label.map(pair)) } : {}),
    ...(annotation ? { annotations: Object.fromEntries(annotation.map(pair)) } : {}),
  };
}
