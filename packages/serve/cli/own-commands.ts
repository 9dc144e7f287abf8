import { diagnosisOf, explainDiagnosis } from '@tiphys/diagnosis';
import { Command, CommanderError } from 'commander';
import { addCommands } from './command-groups.ts';
import { addCompletionCommand, addNamesCommand } from './commands/completion.ts';
import { Exit, type Surroundings } from './terminal/command-context.ts';
import { addConnectionFlags } from './terminal/connection-flags.ts';
import { exitCodes } from './terminal/exit-codes.ts';
import { fileRefusal } from './terminal/file-refusal.ts';
import { paint } from './terminal/output.ts';
import { version } from './terminal/version.ts';

/** Runs the commands that are not another tool's: everything but `helm` and `kustomize`. Resolves to the exit code. */
export async function runOwnCommands(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const program = new Command('tiphys')
    .description('GitOps continuous delivery for Kubernetes that explains itself')
    .version(version, '-v, --version')
    .exitOverride()
    .showSuggestionAfterError();
  addConnectionFlags(program);
  program
    .command('helm')
    .description('Charts: `tiphys helm template|dependency|repo|pull|registry …`, with the flags of helm');
  program
    .command('kustomize')
    .description('Kustomizations: `tiphys kustomize build|edit …`, with the flags of kustomize');
  program
    .command('core')
    .description('Run argocd, tiphys or a script of them with the rights of your kubeconfig, without login and server');
  // help needs none of them loaded, a completion script all
  await addCommands(program, surroundings, { words: argv, everything: argv.includes('completion') });
  addCompletionCommand(program, surroundings.output);
  addNamesCommand(program, surroundings);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    return exitCodeOf(error, surroundings);
  }
}

/** What a verb of another family refuses, in words for its caller. Told by its name: the family is loaded only for its own commands. */
const verbError = 'VerbError';

/** Why a start was refused: one line says all of it. */
const notStarted: ReadonlySet<string> = new Set(['PortTaken', 'DataFolderInUse']);

function exitCodeOf(error: unknown, { output, signal, workdir }: Surroundings): number {
  if (error instanceof Exit) return error.code;
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode;
  if (signal.aborted) return 130;
  const say = (message: string) => output.error(`${paint(output, 'red', 'error:')} ${message}`);
  if (error instanceof Error && error.name === verbError) {
    say(error.message);
    return exitCodes.usage;
  }
  const refusal = fileRefusal(error, workdir);
  if (refusal !== undefined) {
    say(refusal);
    return exitCodes.generic;
  }
  const diagnosis = diagnosisOf(error);
  if (notStarted.has(diagnosis.code)) {
    say(diagnosis.message);
    return exitCodes.usage;
  }
  say(explainDiagnosis(diagnosis));
  if (diagnosis.code === 'ServerUnreachable') return exitCodes.connectionFailure;
  return exitCodes.generic;
}
