import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import type { ProcessWatchdog } from './process-watchdog.ts';
import { inTerminal, Terminal } from './terminal.ts';

/** Waits until the watchdog knows the process, then becomes the command, with the same process id. */
const gate = 'read -r _ <&3 || exit 126; exec 3<&-; exec "$@"';

export interface GuardedProcess {
  readonly child: ChildProcess;
  /** Exit code; 128 and the signal's number where a signal ended it. */
  readonly exit: Promise<number>;
  readonly terminal: Terminal | undefined;
  terminate(): void;
  /** Ends the process and whatever is left of its group. */
  kill(): void;
}

export interface GuardedOptions {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly stdin: boolean;
  /** Runs it in a terminal of its own; the machine has to have those. */
  readonly terminal: boolean;
  readonly watchdog: ProcessWatchdog;
}

/** Starts a command as the leader of a process group that does not outlive this process. The group ends with its leader. */
export function startGuarded(command: readonly string[], options: GuardedOptions): GuardedProcess {
  const { cwd, stdin, watchdog } = options;
  const words = options.terminal ? inTerminal(command) : command;
  const child = spawn('/bin/sh', ['-c', gate, 'sh', ...words], {
    cwd,
    env: options.terminal ? { TERM: 'xterm', ...options.env } : options.env,
    detached: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe', 'pipe', ...(options.terminal ? (['pipe'] as const) : [])],
  });
  const { pid } = child;
  const exit = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => pid && signal(-pid, 'SIGKILL'));
    child.once('close', (code, name) => {
      if (pid) watchdog.release(pid);
      resolve(code ?? 128 + (constants.signals[name ?? 'SIGKILL'] ?? 9));
    });
  });
  exit.catch(() => undefined);
  const opener = child.stdio[3] as import('node:stream').Writable | undefined;
  opener?.on('error', () => undefined);
  if (pid)
    void watchdog.guard(pid).then(
      () => opener?.end('\n'),
      () => signal(-pid, 'SIGKILL'),
    );
  return {
    child,
    exit,
    terminal: options.terminal ? new Terminal(child.stdio[4] as import('node:stream').Readable) : undefined,
    terminate: () => pid && signal(pid, 'SIGTERM'),
    kill: () => pid && signal(-pid, 'SIGKILL'),
  };
}

/** One that has ended already needs no signal. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
