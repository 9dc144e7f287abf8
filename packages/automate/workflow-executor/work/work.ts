import type { Clock } from '@tiphys/kubernetes';
import type { Cluster } from '../cluster/open-cluster.ts';
import type { TaskReport } from '../cluster/task-report.ts';
import type { PodContext } from '../pod/pod-context.ts';
import { say } from '../pod/say.ts';
import { messageOf } from '../pod/termination-log.ts';

/** What every role has. */
export interface RoleOptions {
  /** What stands after the role. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Aborts when the container is asked to end. */
  readonly signal: AbortSignal;
}

/** A role that reports what its node gives. */
export interface Work extends RoleOptions {
  readonly context: PodContext;
  readonly cluster: Cluster;
  readonly report: TaskReport;
}

/** Collects what goes wrong while the rest goes on: the first error is what the node shows. */
export class Problems {
  readonly #all: unknown[] = [];

  add(error: unknown): void {
    say(messageOf(error), 'error');
    this.#all.push(error);
  }

  async try(attempt: () => Promise<void>): Promise<void> {
    try {
      await attempt();
    } catch (error) {
      this.add(error);
    }
  }

  throwFirst(): void {
    if (this.#all.length > 0) throw this.#all[0];
  }
}
