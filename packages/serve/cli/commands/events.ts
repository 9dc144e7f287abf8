import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { connect, inClusterConfig, systemClock } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import type { Surroundings } from '../command-context.ts';
import { needsCluster } from '../up/role.ts';

const notReachable = defineDiagnosis('EventsNotReadable', 'The ways of events could not be read');

/** `tiphys events run-source|run-sensor`: what the pods run that the controller of events makes. */
export function addEventsCommands(program: Command, { env, signal, output }: Surroundings): void {
  const events = program.command('events').description('Argo Events');
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
        const client = connect(config, { asker: { component: 'events', purpose: name }, clock: systemClock });
        const { runEventsPod } = await import('@tiphys/events');
        try {
          await runEventsPod({ kind, client, env, clock: systemClock, signal, write: (line) => output.out(line) });
        } finally {
          await client.close();
        }
      });
  addReading(events, { output, signal });
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
    readonly trigger?: string;
    readonly text: string;
  }[];
}

/** `tiphys events list|trace`: the ways of events of the `tiphys up` of this machine. */
function addReading(events: Command, { output, signal }: Pick<Surroundings, 'output' | 'signal'>): void {
  const ask = async <T>(address: string, path: string): Promise<T> => {
    const response = await fetch(`${address}${path}`, { signal }).catch((cause: unknown) => {
      throw failure(
        notReachable,
        {
          message: `Nothing answers at ${address}`,
          remedies: ['Start Tiphys on this machine: npm start', 'Name its address: --address'],
        },
        { cause },
      );
    });
    const body = (await response.json()) as T & { error?: string };
    if (!response.ok) throw failure(notReachable, { message: body.error ?? `It answered ${response.status}` });
    return body;
  };
  const address = ['--address <url>', 'Where the ways of events are served', 'http://127.0.0.1:7776'] as const;
  events
    .command('list')
    .description('The last events, and how far each came')
    .option('-n, --namespace <name>', 'Of this namespace alone')
    .option('--source <name>', 'Of this EventSource alone')
    .option('--sensor <name>', 'That came to this Sensor alone')
    .option('--limit <number>', 'So many at most', '20')
    .option(...address)
    .action(async (options: Record<string, string>) => {
      const query = new URLSearchParams({ limit: options.limit ?? '20' });
      for (const [flag, name] of [
        ['namespace', 'namespace'],
        ['source', 'eventSource'],
        ['sensor', 'sensor'],
      ] as const)
        if (options[flag]) query.set(name, options[flag]);
      for (const { id, namespace, eventSource, event, steps } of await ask<Way[]>(
        options.address ?? '',
        `/events?${query}`,
      ))
        output.out(
          `${id.slice(0, 12)}  ${namespace}/${eventSource}/${event}  ${steps.at(-1)?.kind ?? ''}: ${steps.at(-1)?.text ?? ''}`,
        );
    });
  events
    .command('trace <id>')
    .description('The way of an event, step by step, with the reason at each; a beginning of the id is enough')
    .option('-n, --namespace <name>', 'Its namespace', 'default')
    .option(...address)
    .action(async (id: string, options: Record<string, string>) => {
      const way = await ask<Way>(
        options.address ?? '',
        `/events/${encodeURIComponent(options.namespace ?? '')}/${encodeURIComponent(id)}`,
      );
      output.out(`${way.id}  ${way.namespace}/${way.eventSource}/${way.event}`);
      for (const { at, kind, sensor, trigger, text } of way.steps)
        output.out(
          `  ${new Date(at).toISOString()}  ${[sensor, trigger].filter(Boolean).join('/')}${sensor ? '  ' : ''}${kind}: ${text}`,
        );
    });
}
