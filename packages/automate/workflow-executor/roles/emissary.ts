import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalCommand } from '../emissary/local-command.ts';
import { localScript } from '../emissary/local-script.ts';
import { saveLocalOutputs } from '../emissary/save-local-outputs.ts';
import { containersEnded } from '../pod/containers.ts';
import { containerFolder, type Folders, foldersBelow } from '../pod/folders.ts';
import { say } from '../pod/say.ts';
import { savesLogs, type Template } from '../pod/template.ts';
import { messageOf, writeTermination } from '../pod/termination-log.ts';
import { openFolder } from '../pod/watch-file.ts';

/** As of whatever keeps the command from being run. */
const codeInternal = 64;

/**
 * `emissary -- COMMAND` where pods are processes of this machine: what the static wrapper does in containers, without a container. Resolves
 * to the exit code of the command.
 */
export async function emissary(
  args: readonly string[],
  { env, signal }: { env: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<number> {
  const name = env.ARGO_CONTAINER_NAME ?? '';
  const [program, ...rest] = args.includes('--') ? args.slice(args.indexOf('--') + 1) : [];
  if (!program) throw new Error('usage: emissary [--loglevel LEVEL] -- COMMAND');
  const folders = foldersBelow(env.CONTAINER_ROOT ?? '');
  const folder = containerFolder(folders, name);
  openFolder(folder);
  let code = codeInternal;
  try {
    code = await runContainer({ name, folders, env, signal, command: [program, ...rest] });
  } catch (error) {
    say(messageOf(error), 'error');
    writeTermination(messageOf(error), env);
  }
  // as a whole: anyone who sees it can read it
  writeFileSync(join(folder, '.exitcode'), String(code));
  renameSync(join(folder, '.exitcode'), join(folder, 'exitcode'));
  return code;
}

interface Container {
  readonly name: string;
  readonly folders: Folders;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly command: readonly [string, ...string[]];
}

async function runContainer(container: Container): Promise<number> {
  const { name, folders, env, signal } = container;
  const template = JSON.parse(readFileSync(join(folders.run, 'template'), 'utf8')) as Template;
  for (const dependency of template.containerSet?.containers.find((each) => each.name === name)?.dependencies ?? []) {
    const code = await dependencyEnded(folders, dependency, signal);
    if (code > 128) return 143;
    if (code !== 0) throw new Error(`dependency "${dependency}" exited with non-zero code: ${code}`);
  }
  const command = [...container.command, ...offloaded(env)] as [string, ...string[]];
  const words = localScript(command, { template, folders });
  const keeps = env.ARGO_INCLUDE_SCRIPT_OUTPUT === 'true' || savesLogs(template);
  const { attempts, pause } = attemptsOf(template);
  let code = codeInternal;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const running = new LocalCommand(words, { name, folders, env, keeps, template });
    code = await running.ended(signal);
    if (code === 0 || running.wasAsked) break;
    if (attempt < attempts) await sleep(pause);
  }
  if (name === 'main') saveLocalOutputs(template, folders);
  return code;
}

async function dependencyEnded(folders: Folders, name: string, signal: AbortSignal): Promise<number> {
  await containersEnded(folders, [name], signal);
  return Number(readFileSync(join(containerFolder(folders, name), 'exitcode'), 'utf8'));
}

/** Arguments that were too large for the pod. */
function offloaded(env: NodeJS.ProcessEnv): string[] {
  const file = env.ARGO_CONTAINER_ARGS_FILE;
  return file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
}

function attemptsOf({ containerSet }: Template): { attempts: number; pause: number } {
  const { retries, duration = '' } = containerSet?.retryStrategy ?? {};
  const seconds = /^(\d+(?:\.\d+)?)(ms|s|m)$/.exec(duration);
  const unit = { ms: 1, s: 1000, m: 60_000 }[seconds?.[2] ?? 's'] ?? 1000;
  return { attempts: Math.max(1, Number(retries ?? 1)), pause: Number(seconds?.[1] ?? 0) * unit };
}
