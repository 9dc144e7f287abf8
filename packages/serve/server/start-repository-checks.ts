import { type Clock, systemClock } from '@tiphys/kubernetes';
import { Repositories } from './repositories/repositories.ts';
import { RepositoryChecks } from './repositories/repository-checks.ts';
import { ControlPlane } from './settings/control-plane.ts';
import type { ServerOptions } from './start-server.ts';

type Options = Pick<ServerOptions, 'client' | 'backend' | 'log' | 'replica' | 'repositoryCheckInterval'> & {
  readonly namespace: string;
  readonly clock?: Clock;
};

/**
 * Checks all declared repositories from a process that serves nothing, and tells what it found in the same place as servers do:
 * anyone who fetches must be seen to reach what it fetches from.
 */
export async function startRepositoryChecks(options: Options): Promise<{ close(): Promise<void> }> {
  const { client, namespace, backend, clock = systemClock, log = () => undefined, replica } = options;
  const stop = new AbortController();
  const plane = new ControlPlane(client, namespace, clock);
  await plane.start(stop.signal);
  const checks = new RepositoryChecks({
    plane,
    repositories: new Repositories(plane),
    backend,
    clock,
    log,
    ...(replica ?? { replica: 'controller', node: 'controller' }),
    interval: options.repositoryCheckInterval ?? 0,
  });
  const running = checks.run(stop.signal);
  return {
    async close() {
      stop.abort(new Error('stopped'));
      await running;
    },
  };
}
