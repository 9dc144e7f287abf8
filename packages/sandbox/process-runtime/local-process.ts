import { PassThrough, type Writable } from 'node:stream';
import type { Clock } from '@tiphys/kubernetes';
import type { ContainerProcess, ExecSession, LogLine, ProcessExit, TerminalSize } from '@tiphys/nodes';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import type { MountPaths } from './mount-paths.ts';
import { ProcessLog } from './process-log.ts';
import type { ProcessWatchdog } from './process-watchdog.ts';
import { hasTerminals } from './terminal.ts';

/** What to run, and where. */
export interface Prepared {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly paths: MountPaths;
}

interface LocalProcessOptions {
  /** Rejects with what keeps the container from starting. */
  readonly prepared: Promise<Prepared>;
  readonly clock: Clock;
  readonly watchdog: ProcessWatchdog;
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  /** Gives it a terminal, where the machine can. */
  readonly tty: boolean;
  readonly changed: () => void;
}

/** A container's command as a process of this machine. */
export class LocalProcess implements ContainerProcess {
  exit: ProcessExit | undefined;
  readonly stdin: Writable | undefined;
  readonly stdinOnce: boolean;
  readonly ended: Promise<void>;
  readonly started: Promise<void>;
  readonly #options: LocalProcessOptions;
  readonly #log: ProcessLog;
  readonly #sessions = new Set<GuardedProcess>();
  #process: GuardedProcess | undefined;
  #prepared: Prepared | undefined;
  #killed = false;

  constructor(options: LocalProcessOptions) {
    this.#options = options;
    this.#log = new ProcessLog(() => options.clock.now());
    this.stdin = options.stdin ? new PassThrough() : undefined;
    this.stdinOnce = options.stdinOnce;
    const starting = Promise.withResolvers<void>();
    this.started = starting.promise;
    this.ended = this.#run(starting.resolve).then(
      (code) => this.#end({ code, at: options.clock.now() }, starting.resolve),
      (error: unknown) =>
        this.#end(
          { code: 128, at: options.clock.now(), reason: 'StartError', message: (error as Error).message },
          starting.resolve,
        ),
    );
  }

  get lines(): readonly LogLine[] {
    return this.#log.lines;
  }

  onOutput(listener: (stream: 'stdout' | 'stderr', chunk: Buffer) => void): () => void {
    return this.#log.onOutput(listener);
  }

  terminate(): void {
    this.#killed = true;
    this.#process?.terminate();
  }

  kill(): void {
    this.#killed = true;
    this.#process?.kill();
    for (const session of this.#sessions) session.kill();
  }

  resize(size: TerminalSize): void {
    this.#process?.terminal?.resize(size);
  }

  exec(command: readonly string[], { tty }: { tty: boolean }): ExecSession {
    const prepared = this.#prepared;
    if (!prepared) throw new Error('the container has not started');
    const words = execWords(command, prepared.paths);
    const session = startGuarded(words, {
      ...prepared,
      stdin: true,
      terminal: tty && hasTerminals(),
      watchdog: this.#options.watchdog,
    });
    this.#sessions.add(session);
    void session.exit.then(
      () => this.#sessions.delete(session),
      () => this.#sessions.delete(session),
    );
    const { stdin, stdout, stderr } = session.child;
    if (!stdin || !stdout || !stderr) throw new Error(`${command[0]} was started without its streams`);
    const resize = (size: TerminalSize) => session.terminal?.resize(size);
    return { stdin, stdout, stderr, exit: session.exit, resize, kill: () => session.kill() };
  }

  async #run(started: () => void): Promise<number> {
    const prepared = await this.#options.prepared;
    this.#prepared = prepared;
    // told to end before there was anything to end
    if (this.#killed) return 137;
    const running = startGuarded(prepared.command, {
      ...prepared,
      stdin: this.#options.stdin,
      terminal: this.#options.tty && hasTerminals(),
      watchdog: this.#options.watchdog,
    });
    this.#process = running;
    const { child } = running;
    child.stdout?.on('data', (chunk: Buffer) => this.#log.write('stdout', chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#log.write('stderr', chunk));
    child.stdin?.on('error', () => undefined);
    if (this.stdin && child.stdin) (this.stdin as PassThrough).pipe(child.stdin);
    started();
    return running.exit;
  }

  #end(exit: ProcessExit, started: () => void): void {
    this.exit = exit;
    started();
    for (const session of this.#sessions) session.kill();
    this.#log.end();
    this.#options.changed();
  }
}

/** Mounted paths are mapped; an archive (`kubectl cp` out of a pod) names its files as the container knows them. */
function execWords(command: readonly string[], paths: MountPaths): string[] {
  const [program, flags = '', output, path = ''] = command;
  if (program === 'tar' && flags.startsWith('c') && output === '-' && command.length === 4 && paths.isMounted(path))
    return ['tar', `${flags}h`.replace(/fh$/, 'hf'), '-', '-C', paths.root, path.replace(/^\/+/, '')];
  return command.map((word) => paths.map(word));
}
