import { type Experiment, type Rollout, rolloutNames } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import { follow } from './follow.ts';
import type { VerbCall, VerbCommands } from './verb-command.ts';

const { apiVersion } = rolloutNames;

interface ListOptions {
  readonly allNamespaces?: boolean;
  readonly name?: string;
  readonly watch?: boolean;
  readonly timestamps?: boolean;
}

interface ListShape {
  readonly kind: string;
  readonly columns: readonly string[];
  readonly row: (object: KubeObject) => string[];
}

/** `list rollouts` and `list experiments`, once or as they change. */
export function addListVerbs(rollouts: Command, verbs: VerbCommands): void {
  const list = rollouts.command('list').description('List Rollouts or Experiments');
  verbs
    .add<ListOptions>(list, 'rollouts', async (call) => {
      const { rolloutColumns, rolloutRow } = await import('@tiphys/rollouts');
      const row = (object: KubeObject) => rolloutRow(object as Rollout);
      await printList(call, { kind: 'Rollout', columns: rolloutColumns, row });
    })
    .aliases(['ro', 'rollout'])
    .description('List Rollouts')
    .option('-A, --all-namespaces', 'Of all namespaces')
    .option('--name <name>', 'The one of this name')
    .option('-w, --watch', 'Go on with a line for each that changes')
    .option('--timestamps', 'When each line was printed');
  verbs
    .add<ListOptions>(list, 'experiments', async (call) => {
      const { experimentColumns, experimentRow } = await import('@tiphys/rollouts');
      const row = (object: KubeObject) => experimentRow(object as Experiment, Date.now());
      await printList(call, { kind: 'Experiment', columns: experimentColumns, row });
    })
    .aliases(['exp', 'experiment'])
    .description('List Experiments')
    .option('-A, --all-namespaces', 'Of all namespaces')
    .option('-w, --watch', 'Go on with a line for each that changes');
}

async function printList(call: VerbCall<ListOptions>, { kind, columns, row }: ListShape): Promise<void> {
  const { columnsText } = await import('@tiphys/rollouts');
  const { client, namespace, options, output, signal } = call;
  const { allNamespaces, timestamps, watch, name } = options;
  const place = { ...(allNamespaces ? {} : { namespace }) };
  const heads = [...(timestamps ? ['TIMESTAMP'] : []), ...(allNamespaces ? ['NAMESPACE'] : []), ...columns];
  const cells = (object: KubeObject) => [
    ...(timestamps ? [`${new Date().toISOString().slice(0, 19)}Z`] : []),
    ...(allNamespaces ? [object.metadata.namespace ?? ''] : []),
    ...row(object),
  ];
  const fieldSelector = name ? { fieldSelector: `metadata.name=${name}` } : {};
  const { items } = await client.list({ apiVersion, kind, ...place }, fieldSelector);
  const wanted = items.filter(({ metadata }) => !name || metadata.name === name);
  if (wanted.length === 0 && !watch) return output.error('No resources found.');
  output.out(columnsText(heads, wanted.map(cells)));
  if (!watch) return;
  const shown = new Map(wanted.map((object) => [identity(object), row(object).join(' ')]));
  await follow({
    client,
    refs: [{ apiVersion, kind, ...place, ...(name ? { name } : {}) }],
    signal,
    output,
    show: ([view]) => {
      for (const object of view?.list() ?? []) {
        const text = row(object).join(' ');
        if (shown.get(identity(object)) !== text) output.out(columnsText(heads, [cells(object)], false));
        shown.set(identity(object), text);
      }
      return false;
    },
  });
}

const identity = ({ metadata: { namespace, name } }: KubeObject): string => `${namespace ?? ''}/${name ?? ''}`;
