import { type Diagnosis, defineDiagnosis, failure } from '@tiphys/diagnosis';
import { connect, inClusterConfig, systemClock } from '@tiphys/kubernetes';
import { type Command, InvalidArgumentError } from 'commander';
import { type Surroundings, sessionOf } from '../terminal/command-context.ts';
import { needsCluster } from '../up/role.ts';
import { printFamilyDiagnoses } from './common/family-diagnoses.ts';

const kindUnknown = defineDiagnosis('EventsCommandWrong', 'A command about events names what is not there, or no JSON');

/** `tiphys events …`: what becomes of events, and `run-source|run-sensor`, which the pods run that the controller of events makes. */
export function addEventsCommands(program: Command, surroundings: Surroundings): void {
  const { env, signal, output } = surroundings;
  const events = program.command('events').description('Argo Events: what becomes of events, and why');
  for (const [name, kind] of [
    ['run-source', 'EventSource'],
    ['run-sensor', 'Sensor'],
  ] as const)
    events
      .command(name)
      .description(`Runs one ${kind} in a pod, as its environment says`)
      .action(async () => {
        const config = inClusterConfig(env);
        if (!config) throw needsCluster(`events ${name}`);
        const client = connect(config, { caller: { component: 'events', purpose: name }, clock: systemClock });
        const { runEventsPod } = await import('@tiphys/events');
        try {
          await runEventsPod({ kind, client, env, clock: systemClock, signal, write: (line) => output.out(line) });
        } finally {
          await client.close();
        }
      });
  events
    .command('webhook')
    .description('Serve and register the webhook that refuses wrong EventBuses, EventSources and Sensors')
    .option('-n, --namespace <name>', 'Its namespace (NAMESPACE)')
    .action(async (options: { namespace?: string }) => {
      const config = inClusterConfig(env);
      if (!config) throw needsCluster('events webhook');
      const client = connect(config, { caller: { component: 'events', purpose: 'webhook' }, clock: systemClock });
      const { runEventsWebhook } = await import('@tiphys/events');
      const namespace = options.namespace ?? env.NAMESPACE ?? 'argo-events';
      const write = (line: string) => output.out(line);
      try {
        await runEventsWebhook({ client, env, namespace, clock: systemClock, signal, write });
      } finally {
        await client.close();
      }
    });
  addReading(events, surroundings);
}

interface Way {
  readonly id: string;
  readonly namespace: string;
  readonly eventSource: string;
  readonly event: string;
  readonly steps: readonly {
    readonly at: number;
    readonly kind: string;
    readonly sensor?: string;
    readonly dependency?: string;
    readonly trigger?: string;
    readonly text: string;
  }[];
}

interface Ways {
  readonly items: readonly Way[];
  readonly note?: string;
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

interface Shown {
  readonly namespace: string;
  readonly name: string;
  readonly bus: string;
  readonly phase: string;
  readonly message: string;
  readonly conditions: readonly Condition[];
  readonly diagnoses: readonly Diagnosis[];
  readonly events?: readonly { readonly type: string; readonly name: string }[];
  readonly dependencies?: readonly { readonly name: string; readonly source: string; readonly event: string }[];
  readonly triggers?: readonly {
    readonly name: string;
    readonly type: string;
    readonly conditions: string;
    readonly guarantee: { readonly delivery: string; readonly because: string };
  }[];
}

const root = '/api/tiphys/v1/events';

/** `tiphys events list|trace|describe|send|replay`: by the API of the server. */
function addReading(events: Command, surroundings: Surroundings): void {
  const { output, signal } = surroundings;
  const request = <T>(
    command: Command,
    method: string,
    path: string,
    options: { query?: Record<string, string | undefined>; body?: unknown } = {},
  ) => sessionOf(command, surroundings).request<T>(method, `${root}${path}`, { ...options, signal });
  const add = (name: string, description: string) =>
    events
      .command(name)
      .description(description)
      .option('-n, --namespace <name>', 'Namespace', name === 'list' ? undefined : 'default');
  const printLast = ({ items, note }: Ways) => {
    if (note) output.error(note);
    for (const { id, namespace, eventSource, event, steps } of items)
      output.out(
        `${id.slice(0, 12)}  ${namespace}/${eventSource}/${event}  ${steps.at(-1)?.kind ?? ''}: ${steps.at(-1)?.text ?? ''}`,
      );
  };

  add('list', 'The last events, and how far each came')
    .option('--source <name>', 'Of this EventSource alone')
    .option('--sensor <name>', 'That came to this Sensor alone')
    .option('--limit <number>', 'So many at most', countOf, 20)
    .action(async (options: Record<string, string> & { limit: number }, command: Command) => {
      const { namespace, source, sensor } = options;
      const limit = String(options.limit);
      printLast(await request<Ways>(command, 'GET', '/ways', { query: { namespace, source, sensor, limit } }));
    });
  add(
    'trace <id>',
    'The way of an event, step by step, with the reason at each; a beginning of the id is enough',
  ).action(async (id: string, { namespace = '' }: Record<string, string>, command: Command) => {
    const path = `/ways/${encodeURIComponent(namespace)}/${encodeURIComponent(id)}`;
    const way = await request<Way>(command, 'GET', path);
    output.out(`${way.id}  ${way.namespace}/${way.eventSource}/${way.event}`);
    for (const { at, kind, sensor, trigger, text } of way.steps)
      output.out(
        `  ${new Date(at).toISOString()}  ${[sensor, trigger].filter(Boolean).join('/')}${sensor ? '  ' : ''}${kind}: ${text}`,
      );
  });
  add(
    'describe <kind> <name>',
    'A bus, a source or a sensor: its conditions, what is wrong with it, what it hears of or does, its last events',
  ).action(async (kind: string, name: string, { namespace }: Record<string, string>, command: Command) => {
    const described = describable.find(({ words }) => words.includes(kind.toLowerCase()));
    if (!described)
      throw failure(kindUnknown, {
        message: `${kind} cannot be described`,
        place: { field: 'kind' },
        remedies: ['Say bus, source or sensor: tiphys events describe sensor NAME'],
      });
    const all = await request<{ items: Shown[]; note?: string }>(command, 'GET', described.path);
    const found = all.items.find((item) => item.namespace === namespace && item.name === name);
    if (!found)
      throw failure(kindUnknown, {
        message: `There is no ${described.kind} ${name} in namespace ${namespace}`,
        remedies: [
          'Name its namespace: -n NAMESPACE',
          ...(described.kind === 'EventBus'
            ? [
                'Look at conditions of its sources and sensors: on the sandbox a namespace without an EventBus has an embedded one, which is no object',
              ]
            : []),
        ],
      });
    describe(output, found);
    if (!described.query) return;
    output.out('Last events');
    const query = { namespace, [described.query]: name, limit: '10' };
    printLast(await request<Ways>(command, 'GET', '/ways', { query }));
  });
  add('send <source> <event>', 'Put an event on the bus, as if the source had heard it')
    .option('--data <json>', 'Its data, as the source makes it: {"body": …} for a webhook', '{}')
    .action(async (source: string, event: string, options: Record<string, string>, command: Command) => {
      const body = { namespace: options.namespace, source, event, data: jsonOf(options.data ?? '{}') };
      const { id } = await request<{ id: string }>(command, 'POST', '/send', { body });
      output.out(`${id}\ntiphys events trace ${id.slice(0, 12)} -n ${options.namespace}`);
    });
  add('replay <source> <event>', 'Have the last events of a source come again, as new ones')
    .option('--last <number>', 'How many', countOf, 1)
    .action(async (source: string, event: string, options: { namespace: string; last: number }, command: Command) => {
      const { namespace, last } = options;
      const body = { namespace, source, event, last };
      const { ids } = await request<{ ids: string[] }>(command, 'POST', '/replay', { body });
      for (const id of ids) output.out(id);
      if (ids.length === 0) output.error('The bus has no event of this name any more.');
    });
}

const describable: readonly {
  readonly words: readonly string[];
  readonly kind: string;
  readonly path: string;
  readonly query?: string;
}[] = [
  { words: ['bus', 'eventbus', 'eb'], kind: 'EventBus', path: '/buses' },
  { words: ['source', 'eventsource', 'es'], kind: 'EventSource', path: '/sources', query: 'source' },
  { words: ['sensor', 'sn'], kind: 'Sensor', path: '/sensors', query: 'sensor' },
];

function describe(output: Surroundings['output'], shown: Shown): void {
  output.out(`${shown.namespace}/${shown.name}  ${shown.phase}  bus ${shown.bus}`);
  if (shown.phase === 'Deleting') output.out(`  ${shown.message}`);
  for (const { type, status, reason, message } of shown.conditions)
    output.out(`  ${type}: ${status}${reason || message ? `  ${[reason, message].filter(Boolean).join(': ')}` : ''}`);
  for (const { type, name } of shown.events ?? []) output.out(`  event ${name}: ${type}`);
  for (const { name, source, event } of shown.dependencies ?? [])
    output.out(`  dependency ${name}: ${source}/${event}`);
  for (const { name, type, conditions, guarantee } of shown.triggers ?? []) {
    output.out(`  trigger ${name}: ${type}${conditions ? `  when ${conditions}` : ''}`);
    output.out(`    ${guarantee.delivery}: ${guarantee.because}`);
  }
  printFamilyDiagnoses(output, shown.diagnoses);
}

function countOf(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= 1000) return count;
  throw new InvalidArgumentError('Wanted a whole number from 1 to 1000.');
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failure(kindUnknown, {
      message: `--data is no JSON: ${(error as Error).message}`,
      place: { field: '--data' },
      remedies: ['Quote it for the shell: --data \'{"body": {"by": "me"}}\''],
    });
  }
}
