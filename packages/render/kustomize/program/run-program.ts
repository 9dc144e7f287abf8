import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { failure } from '@tiphys/diagnosis';
import { programStopped } from '../failure/diagnoses.ts';
import { GoError } from '../failure/go-error.ts';

/** A program that a build runs: never through a shell, in a process group of its own. */
export interface Program {
  /** A name is looked for on PATH of `env`; a relative path counts from `folder`. */
  readonly path: string;
  readonly args: readonly string[];
  /** All that the program sees of the environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly input: string;
  readonly limits?: Partial<ProgramLimits>;
  readonly signal?: AbortSignal;
}

export interface ProgramLimits {
  /** Milliseconds; 90 s if not given. */
  readonly time: number;
  /** Bytes of standard output; 64 MiB if not given. */
  readonly output: number;
}

export interface ProgramResult {
  readonly output: string;
  /** The last 64 kB of standard error. */
  readonly error: string;
  /** As Go says it: `exit status 1`, `signal: killed`; undefined if all went well. */
  readonly failed?: string;
}

const defaultLimits: ProgramLimits = { time: 90_000, output: 64 * 1024 * 1024 };
const maxError = 64 * 1024;

/**
 * Runs a program to its end. Throws GoError with the words of Go's exec if it can not be started, a diagnosis if it was
 * stopped because it took too long or wrote too much: then its whole process group is killed.
 */
export async function runProgram(program: Program): Promise<ProgramResult> {
  const { args, env, folder, input, signal } = program;
  const limits = { ...defaultLimits, ...program.limits };
  signal?.throwIfAborted();
  const child = spawn(executable(program), args, {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // A program may end without reading all of its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let stopped: 'time' | 'output' | undefined;
  const stop = (why: 'time' | 'output'): void => {
    stopped ??= why;
    killGroup(child);
  };
  const timer = setTimeout(stop, limits.time, 'time');
  const abort = (): void => killGroup(child);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    const result = await ended(child, limits.output, () => stop('output'));
    signal?.throwIfAborted();
    if (stopped) throw wasStopped(program, stopped, limits, result.error);
    return result;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    // What it started goes with it.
    killGroup(child);
  }
}

function ended(child: ChildProcess, maxOutput: number, tooMuch: () => void): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let error = Buffer.alloc(0);
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxOutput) tooMuch();
      else chunks.push(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      error = Buffer.concat([error, chunk]).subarray(-maxError);
    });
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve({
        output: Buffer.concat(chunks).toString('utf8'),
        error: error.toString('utf8'),
        ...(code === 0 ? {} : { failed: signal ? `signal: ${signalWords[signal] ?? signal}` : `exit status ${code}` }),
      }),
    );
  });
}

const signalWords: Readonly<Record<string, string>> = {
  SIGKILL: 'killed',
  SIGTERM: 'terminated',
  SIGSEGV: 'segmentation fault',
  SIGABRT: 'aborted',
  SIGINT: 'interrupt',
};

/** The file to run. Throws as Go's exec does: a text without an interpreter is not handed to a shell. */
function executable({ path, env, folder }: Program): string {
  const file = path.includes('/') ? (isAbsolute(path) ? path : join(folder, path)) : onPath(path, env.PATH ?? '');
  if (file === undefined)
    throw new GoError(`exec: ${JSON.stringify(path)}: executable file not found in $PATH`, {
      remedies: [`Install ${path} where the build runs`],
    });
  const problem = problemOf(file);
  if (problem !== undefined)
    throw new GoError(`fork/exec ${path}: ${problem}`, {
      evidence: { file },
      remedies: ['Name a program that is there, can be executed, and begins with #! if it is a script'],
    });
  return file;
}

function onPath(name: string, path: string): string | undefined {
  return path
    .split(':')
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name))
    .find((file) => problemOf(file) === undefined);
}

function problemOf(file: string): string | undefined {
  try {
    if (statSync(file).isDirectory()) return 'permission denied';
    accessSync(file, constants.X_OK);
    return isProgram(file) ? undefined : 'exec format error';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') return 'permission denied';
    return code === 'ENOTDIR' ? 'not a directory' : 'no such file or directory';
  }
}

/** A script with an interpreter, or no text: the kernel says what it thinks of that. */
function isProgram(file: string): boolean {
  const start = Buffer.alloc(256);
  const handle = openSync(file, 'r');
  const length = readSync(handle, start, 0, start.length, 0);
  closeSync(handle);
  const text = start.subarray(0, length).toString('latin1');
  return text.startsWith('#!') || text.includes('\0');
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group is gone already: that is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function wasStopped(program: Program, why: 'time' | 'output', limits: ProgramLimits, stderr: string): Error {
  const what =
    why === 'time'
      ? `did not end within ${limits.time / 1000} s`
      : `wrote more than ${limits.output} bytes to standard output`;
  return failure(
    programStopped,
    {
      message: `The program ${program.path} ${what}, and was stopped`,
      evidence: { arguments: program.args.join(' '), 'standard error': stderr.slice(-1000) || undefined },
      remedies: ['Run it by hand with the same input, and look what it waits for'],
    },
    why === 'time' ? { handling: 'retryable' } : {},
  );
}
