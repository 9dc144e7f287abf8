import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, readFileSync, rmSync, type WriteStream } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { containersEnded } from '../pod/containers.ts';
import { containerFolder, type Folders } from '../pod/folders.ts';
import { say } from '../pod/say.ts';
import { mainContainers, type Template } from '../pod/template.ts';
import { messageOf } from '../pod/termination-log.ts';
import { watchFile } from '../pod/watch-file.ts';

export interface LocalCommandOptions {
  readonly name: string;
  readonly folders: Folders;
  readonly env: NodeJS.ProcessEnv;
  /** Whether the output is kept in files too. */
  readonly keeps: boolean;
  readonly template: Template;
}

/** A user's command as a process group of its own; it gets the signals of its container and those that `wait` writes. */
export class LocalCommand {
  readonly #child: ChildProcess;
  readonly #options: LocalCommandOptions;
  readonly #files: WriteStream[] = [];
  /** True if somebody has asked it to end. */
  wasAsked = false;

  constructor([program, ...args]: readonly [string, ...string[]], options: LocalCommandOptions) {
    this.#options = options;
    const { keeps, env } = options;
    const output = keeps ? 'pipe' : 'inherit';
    this.#child = spawn(program, args, { env, detached: true, stdio: ['inherit', output, output] });
    if (keeps) this.#keepOutput();
  }

  /** Resolves to the exit code, as a shell has it; rejects if the command cannot be started. */
  async ended(signal: AbortSignal): Promise<number> {
    const over = new AbortController();
    const onAbort = () => this.#ask('SIGTERM');
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    this.#follow(over.signal);
    try {
      return await new Promise<number>((resolve, reject) => {
        this.#child.once('error', reject);
        this.#child.once('close', (code, name) => resolve(code ?? 128 + (name ? constants.signals[name] : 0)));
      });
    } finally {
      signal.removeEventListener('abort', onAbort);
      over.abort(new Error('the command has ended'));
      await Promise.all(this.#files.map((file) => new Promise<void>((resolve) => file.end(resolve))));
    }
  }

  #keepOutput(): void {
    const folder = containerFolder(this.#options.folders, this.#options.name);
    const open = (name: string) => {
      const file = createWriteStream(join(folder, name), { flags: 'a' });
      this.#files.push(file);
      return file;
    };
    const [stdout, combined] = [open('stdout'), open('combined')];
    this.#child.stdout?.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      stdout.write(chunk);
      combined.write(chunk);
    });
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk);
      combined.write(chunk);
    });
  }

  /** Signals of `wait`, and the end of the containers that a sidecar serves. */
  #follow(signal: AbortSignal): void {
    const { folders, name, template } = this.#options;
    const ignoreEnd = (error: unknown) => {
      if (!signal.aborted) say(messageOf(error), 'warning');
    };
    const file = join(containerFolder(folders, name), 'signal');
    const seen = () => {
      const number = Number(readFileSync(file, 'utf8'));
      rmSync(file, { force: true });
      if (number > 0) this.#ask(number);
      return false;
    };
    watchFile(file, seen, signal).catch(ignoreEnd);
    if (!template.sidecars?.some((sidecar) => sidecar.name === name)) return;
    containersEnded(folders, mainContainers(template), signal)
      .then(() => this.#ask('SIGTERM'))
      .catch(ignoreEnd);
  }

  #ask(signal: NodeJS.Signals | number): void {
    this.wasAsked = true;
    const { pid } = this.#child;
    if (!pid) return;
    try {
      process.kill(-pid, signal);
    } catch (error) {
      // it has ended just now
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}
