import { type Client, systemClock } from '@tiphys/kubernetes';
import type { Surroundings } from '../../terminal/command-context.ts';
import type { Instance } from '../instance.ts';
import type { Progress } from '../progress.ts';
import { playRolloutsExample } from './rollouts-example.ts';
import { startSimulatedPrometheus } from './simulated-prometheus.ts';

const address = 'ARGO_ROLLOUTS_PROMETHEUS_ADDRESS';

/** What the example `rollouts` has beside its Application. */
export interface RolloutsPreparation {
  /** With the address of the Prometheus that is played, unless the user has one. */
  readonly surroundings: Surroundings;
  /** From now on the pods of this cluster are measured. */
  measure(client: Client): void;
  play(instance: Instance, progress: Progress): Promise<void>;
  close(): Promise<void>;
}

export async function prepareRollouts(surroundings: Surroundings): Promise<RolloutsPreparation> {
  let client: Client | undefined;
  const prometheus = await startSimulatedPrometheus({
    clock: systemClock,
    client: () => client,
    namespace: 'rollouts',
  });
  return {
    surroundings: { ...surroundings, env: { [address]: prometheus.address, ...surroundings.env } },
    measure: (given) => {
      client = given.as({ component: 'cli', purpose: 'example' });
    },
    play: ({ url = '', namespace, client: cluster }, progress) =>
      playRolloutsExample({
        client: cluster.as({ component: 'cli', purpose: 'example' }),
        controlPlane: namespace,
        url,
        note: (text) => progress.note(text),
        signal: surroundings.signal,
      }),
    close: () => prometheus.close(),
  };
}
