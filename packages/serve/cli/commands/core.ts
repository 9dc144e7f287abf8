import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { defineDiagnosis, diagnosisOf, explainDiagnosis, failure } from '@tiphys/diagnosis';
import { Command, CommanderError } from 'commander';
import type { Surroundings } from '../terminal/command-context.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { collect } from '../terminal/flag-values.ts';
import { usualKubeconfig } from '../terminal/kubeconfig-file.ts';
import { paint } from '../terminal/output.ts';
import { Progress } from '../up/progress.ts';
import type { UpOptions } from '../up/up-options.ts';

const programNotStarted = defineDiagnosis('CoreProgramNotStarted', 'The program of `tiphys core` cannot be started');

interface CoreFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace?: string;
  readonly localRepositories?: readonly string[];
}

/** Runs a command of `tiphys` itself, with the environment that leads it to the server. */
export type RunOwn = (argv: readonly string[], surroundings: Surroundings) => Promise<number>;

/**
 * `tiphys core PROGRAM …`: runs `argocd`, `tiphys` or a script of them with the rights of a kubeconfig and without login, by an API
 * server that lives as long as the program does; the work of `argocd --core`. Resolves to the program's exit code.
 */
export async function coreCommand(
  argv: readonly string[],
  surroundings: Surroundings,
  runOwn: RunOwn,
): Promise<number> {
  let code: number = exitCodes.success;
  const command = new Command('tiphys core')
    .description(
      'Run argocd, tiphys or a script of them on a cluster with the rights of your kubeconfig, without login: an API server of its own serves it on this machine while it runs, as argocd --core has it',
    )
    .argument('<program>', 'argocd, tiphys, or any program that calls them')
    .argument('[arguments...]', 'Its arguments; the flag --core of argocd may stay')
    .option('--kubeconfig <file>', 'Kubeconfig of the cluster (KUBECONFIG)')
    .option('--context <name>', 'Context of the kubeconfig')
    .option('-n, --namespace <name>', 'Namespace of the control plane; that of the context, or argocd')
    .option(
      '--local-repositories <dir>',
      'Read repositories of this machine below this folder; may be repeated',
      collect,
    )
    .enablePositionalOptions()
    .passThroughOptions()
    .exitOverride()
    .action(async (program: string, args: string[], flags: CoreFlags) => {
      code = await served(flags, surroundings, (env) =>
        program === 'tiphys'
          ? runOwn(
              args.filter((word) => !isCoreFlag(word)),
              { ...surroundings, env },
            )
          : run(program, args, { ...surroundings, env }),
      );
    });
  try {
    await command.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // commander has printed its message, or the help that was asked for
    if (error instanceof CommanderError) return error.exitCode;
    surroundings.output.error(`${paint(surroundings.output, 'red', 'error:')} ${explainDiagnosis(diagnosisOf(error))}`);
    return exitCodes.generic;
  }
}

/** Says nothing of the start: what is printed is the program's alone. */
class Silence extends Progress {
  override step<T>(_title: string, start: () => Promise<T>): Promise<T> {
    return start();
  }

  override note(): void {}
}

async function served(
  flags: CoreFlags,
  surroundings: Surroundings,
  work: (env: NodeJS.ProcessEnv) => Promise<number>,
): Promise<number> {
  const { env, workdir, output } = surroundings;
  const { startInstance } = await import('../up/instance.ts');
  // of three parts, as tokens that come by REST have to be
  const token = `tiphys.core.${randomBytes(32).toString('hex')}`;
  const kubeconfig = resolve(workdir, flags.kubeconfig ?? usualKubeconfig(env));
  const options: UpOptions = {
    role: 'server',
    port: 0,
    host: '127.0.0.1',
    kubeconfig,
    ...(flags.context ? { context: flags.context } : {}),
    namespace: flags.namespace ?? (await namespaceOf({ ...flags, kubeconfig }, workdir)),
    localRepositories: flags.localRepositories ?? [],
    soleToken: token,
    runtime: 'simulated',
    shutdownDelay: 0,
    metrics: false,
    metricsApplicationLabels: [],
    metricsApplicationConditions: [],
    metricsClusterLabels: [],
  };
  const instance = await startInstance(options, surroundings, new Silence(output));
  // what the user's own configuration says of servers, and of the core, does not count
  const configuration = mkdtempSync(join(tmpdir(), 'tiphys-core-'));
  try {
    const url = instance.url as string;
    return await work({
      ...env,
      ARGOCD_SERVER: new URL(url).host,
      ARGOCD_AUTH_TOKEN: token,
      ARGOCD_OPTS: [...(env.ARGOCD_OPTS ?? '').split(' ').filter((flag) => !isCoreFlag(flag)), '--plaintext']
        .join(' ')
        .trim(),
      ARGOCD_CONFIG_DIR: configuration,
      TIPHYS_SERVER: url,
      TIPHYS_AUTH_TOKEN: token,
    });
  } finally {
    await instance.close();
    rmSync(configuration, { recursive: true, force: true });
  }
}

async function namespaceOf({ kubeconfig = '', context }: CoreFlags, workdir: string): Promise<string> {
  const { userCluster } = await import('../up/user-cluster.ts');
  const { namespace } = userCluster({ kubeconfig, ...(context ? { context } : {}) }, workdir);
  return namespace && namespace !== 'default' ? namespace : 'argocd';
}

function isCoreFlag(word: string): boolean {
  return word === '--core' || word === '--core=true';
}

/** Runs the user's program as it would run without us, and gives its exit code. */
async function run(program: string, args: readonly string[], { env, workdir, signal }: Surroundings): Promise<number> {
  const given = basename(program) === 'argocd' ? args.filter((word) => !isCoreFlag(word)) : args;
  const child = spawn(program, given, { stdio: 'inherit', env, cwd: workdir });
  const stop = () => child.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        reject(
          failure(programNotStarted, {
            message: `${program} cannot be started: ${error.code === 'ENOENT' ? 'there is no such program' : error.message}`,
            remedies: ['Name argocd, tiphys, or a program by its path'],
          }),
        ),
      );
      child.once('exit', (code, killed) => resolve(code ?? 128 + (constants.signals[killed as NodeJS.Signals] ?? 0)));
    });
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
