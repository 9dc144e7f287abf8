import { spawn } from 'node:child_process';
import { failure } from '@tiphys/diagnosis';
import { pluginFailed, pluginTimeout } from './diagnoses.ts';
import type { PluginCommand } from './plugin-config.ts';

export interface CommandOptions {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Ends the command and all that it started: first politely, five seconds later by force. */
  readonly signal: AbortSignal;
  /** Bytes of its output; more is a failure. */
  readonly maxBytes: number;
  /** Told what it wrote to its error output. */
  readonly log?: (line: string) => void;
}

const grace = 5_000;
const keptErrors = 64 * 1024;

/** The output of a plugin's command without its last line break. Throws a diagnosis with the end of its error output. */
export async function runCommand(command: PluginCommand, options: CommandOptions): Promise<string> {
  const words = [...command.command, ...command.args];
  const [program = '', ...args] = words;
  const shown = `\`${words.join(' ')}\``;
  const { signal, maxBytes } = options;
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd: options.folder,
    env: options.environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  let length = 0;
  let errors = '';
  let tooLong = false;
  const stop = () => {
    kill(child.pid, 'SIGTERM');
    setTimeout(() => kill(child.pid, 'SIGKILL'), grace).unref();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= maxBytes) output.push(chunk);
    else if (!tooLong) {
      tooLong = true;
      stop();
    }
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString('utf8')).slice(-keptErrors);
  });
  signal.addEventListener('abort', stop, { once: true });
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  child.on('error', reject);
  child.on('close', (code, killedBy) =>
    resolve(killedBy ? `signal: ${killedBy}` : code === 0 ? undefined : `exit status ${code}`),
  );
  // What it left running in the background would keep its output open for ever.
  child.on('exit', () => signal.aborted && child.stdout.destroy() && child.stderr.destroy());
  try {
    const failed = await promise;
    const text = errors.trim();
    if (signal.aborted) throw stopped(shown, text);
    if (tooLong) throw broken(shown, `it printed more than ${maxBytes} bytes`, text);
    if (failed !== undefined) throw broken(shown, failed, text);
    if (text !== '') options.log?.(`${shown}: ${text}`);
    return Buffer.concat(output).toString('utf8').replace(/\n$/, '');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw broken(shown, `exec: "${program}": executable file not found in $PATH`, '', error);
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function kill(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function broken(shown: string, reason: string, errors: string, cause?: unknown) {
  return failure(
    pluginFailed,
    {
      message: `${shown} failed ${reason}${errors === '' ? '' : `: ${errors.slice(-4_000)}`}`,
      remedies: ['Correct what the command complains of, or the command in plugin.yaml'],
    },
    cause === undefined ? {} : { cause },
  );
}

function stopped(shown: string, errors: string) {
  return failure(
    pluginTimeout,
    {
      message: `${shown} was stopped: its time was over, or nobody waits for it any more`,
      evidence: { 'error output': errors.slice(-1_000) || 'empty' },
      remedies: [
        'Make the command faster',
        {
          text: 'Or raise the limit in the ConfigMap argocd-cmd-params-cm',
          paste: 'controller.repo.server.timeout.seconds: "120"',
        },
      ],
    },
    { handling: 'retryable' },
  );
}
