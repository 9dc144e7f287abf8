import { DiagnosisError, diagnosisOf, explainDiagnosis } from '@tiphys/diagnosis';
import { Command, CommanderError } from 'commander';
import { Exit, type Surroundings } from './command-context.ts';
import { addAccountCommands } from './commands/account.ts';
import { addAdminCommands } from './commands/admin.ts';
import { addApplicationCommands } from './commands/app.ts';
import { addApplicationSetCommands } from './commands/appset.ts';
import { addClusterCommands } from './commands/cluster.ts';
import { addCompletionCommand } from './commands/completion.ts';
import { addEventsCommands } from './commands/events.ts';
import { addLoginCommand } from './commands/login.ts';
import { addNotificationCommands } from './commands/notifications.ts';
import { addPluginServerCommand } from './commands/plugin-server.ts';
import { addProjectCommands } from './commands/project.ts';
import { addRepositoryCommands } from './commands/repository.ts';
import { addRolloutsCommands } from './commands/rollouts.ts';
import { addSessionCommands } from './commands/session.ts';
import { addUpCommand } from './commands/up.ts';
import { addUpgradeCommands } from './commands/upgrade.ts';
import { addWorkflowCommands } from './commands/workflows.ts';
import { exitCodes } from './exit-codes.ts';
import { paint } from './output.ts';
import { version } from './version.ts';

/** Runs the commands that are not another tool's: everything but `helm` and `kustomize`. Resolves to the exit code. */
export async function runOwnCommands(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  const program = new Command('tiphys')
    .description('GitOps continuous delivery for Kubernetes that explains itself')
    .version(version, '-v, --version')
    .option('--server <address>', 'Server of the API (TIPHYS_SERVER)')
    .option('--auth-token <token>', 'Token for it (TIPHYS_AUTH_TOKEN)')
    .exitOverride()
    .showSuggestionAfterError();
  program
    .command('helm')
    .description('Charts: `tiphys helm template|dependency|repo|pull|registry …`, with the flags of helm');
  program
    .command('kustomize')
    .description('Kustomizations: `tiphys kustomize build|edit …`, with the flags of kustomize');
  addUpCommand(program, surroundings);
  addPluginServerCommand(program, surroundings);
  addLoginCommand(program, surroundings);
  addSessionCommands(program, surroundings);
  addApplicationCommands(program, surroundings);
  addWorkflowCommands(program, surroundings);
  addEventsCommands(program, surroundings);
  addApplicationSetCommands(program, surroundings);
  addProjectCommands(program, surroundings);
  addRepositoryCommands(program, surroundings);
  addClusterCommands(program, surroundings);
  addAccountCommands(program, surroundings);
  addRolloutsCommands(program, surroundings);
  addNotificationCommands(program, surroundings);
  addUpgradeCommands(program, surroundings);
  addAdminCommands(program, surroundings);
  addCompletionCommand(program, surroundings.output);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    return exitCodeOf(error, surroundings);
  }
}

/** Why a start was refused: one line says all of it. */
const notStarted: ReadonlySet<string> = new Set(['PortTaken', 'DataFolderInUse']);

function exitCodeOf(error: unknown, { output, signal }: Surroundings): number {
  if (error instanceof Exit) return error.code;
  // Commander has printed its message, or the help that was asked for.
  if (error instanceof CommanderError) return error.exitCode;
  if (signal.aborted) return 130;
  const diagnosis = diagnosisOf(error);
  if (notStarted.has(diagnosis.code)) {
    output.error(`${paint(output, 'red', 'error:')} ${diagnosis.message}`);
    return exitCodes.usage;
  }
  output.error(`${paint(output, 'red', 'error:')} ${explainDiagnosis(diagnosis)}`);
  if (diagnosis.code === 'ServerUnreachable') return exitCodes.connectionFailure;
  return error instanceof DiagnosisError ? exitCodes.generic : exitCodes.generic;
}
