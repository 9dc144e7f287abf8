import { connect, inClusterConfig, systemClock } from '@tiphys/kubernetes';
import type { Command } from 'commander';
import type { Surroundings } from '../command-context.ts';
import { needsCluster } from '../up/role.ts';

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
}
