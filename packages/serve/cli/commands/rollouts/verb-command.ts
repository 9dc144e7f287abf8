import { DiagnosisError, explainDiagnosis } from '@tiphys/diagnosis';
import type { Command } from 'commander';
import { Exit, type Surroundings } from '../../terminal/command-context.ts';
import { paint } from '../../terminal/output.ts';
import type { Where } from '../common/kube-flags.ts';
import { type KubeCommand, onCluster } from '../common/on-cluster.ts';
import { withGoFlags } from './go-flags.ts';

/** What kubectl's plugin exits with, whatever went wrong. */
const failed = 1;

export interface VerbCall<O> extends KubeCommand, Pick<Surroundings, 'output' | 'signal' | 'workdir'> {
  readonly args: readonly string[];
  readonly options: O;
}

/** Opens the cluster that the flags name; tests give one in memory. */
export type OpenCluster = typeof onCluster;

/** Adds commands that work on a cluster, with the exit codes of the plugin. */
export class VerbCommands {
  readonly #surroundings: Surroundings;
  readonly #open: OpenCluster;

  constructor(surroundings: Surroundings, open: OpenCluster = onCluster) {
    this.#surroundings = surroundings;
    this.#open = open;
  }

  add<O>(parent: Command, usage: string, verb: (call: VerbCall<O>) => Promise<void>): Command {
    return withGoFlags(parent.command(usage))
      .configureHelp({ showGlobalOptions: true })
      .action(async (...given: unknown[]) => {
        const command = given.at(-1) as Command;
        await this.#run(command, verb);
      });
  }

  #run<O>(command: Command, verb: (call: VerbCall<O>) => Promise<void>): Promise<void> {
    const options = command.optsWithGlobals<O & Where>();
    return this.report(() =>
      this.#open(this.#surroundings, { ...options, purpose: 'rollouts' }, (cluster) =>
        verb({ ...cluster, ...this.#surroundings, args: command.args, options }),
      ),
    );
  }

  /** Runs work; what it throws is reported as a diagnosis, with the exit code of the plugin. */
  async report(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof DiagnosisError)) throw error;
      const { output } = this.#surroundings;
      output.error(`${paint(output, 'red', 'error:')} ${explainDiagnosis(error.diagnosis)}`);
      throw new Exit(failed);
    }
  }
}

/** Ends a command with the plugin's own sentence. */
export function fail({ output }: Pick<Surroundings, 'output'>, message: string): never {
  output.error(`Error: ${message}`);
  throw new Exit(failed);
}
