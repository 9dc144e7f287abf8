import { type ChildProcess, spawn } from 'node:child_process';
import { failure, redact } from '@tiphys/diagnosis';
import type { Clock } from '@tiphys/kubernetes';
import { gitMissing, gitTimeout, gitTooMuch } from '../repository/diagnoses.ts';
import { type Exceeded, exceeded, type ProcessBounds } from './process-bounds.ts';

export interface GitRun {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly input?: string;
  readonly clock: Clock;
  /** Milliseconds; the whole process group is killed then. */
  readonly timeout: number;
  readonly signal?: AbortSignal;
  /** Bytes of standard output that are kept; more is an error. 64 MiB if absent. */
  readonly maxOutput?: number;
  /** What it may take of the machine; the whole process group is killed when it takes more. */
  readonly bounds?: ProcessBounds;
}

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  /** Without credentials, at most 8 kB. */
  readonly stderr: string;
}

/**
 * Runs git with an argument vector (never a shell) in a process group of its own, which is killed on timeout and
 * cancellation. Resolves with the exit code, whatever it is; rejects with a diagnosis if git could not run to its end.
 */
export function runGit(run: GitRun): Promise<GitResult> {
  return runProgram({ ...run, program: 'git' });
}

/** The same for another program. */
export async function runProgram(run: GitRun & { readonly program: string }): Promise<GitResult> {
  run.signal?.throwIfAborted();
  const child = spawn(run.program, run.args as string[], {
    env: { ...run.environment },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(run.cwd ? { cwd: run.cwd } : {}),
  });
  const finished = new AbortController();
  const limits = run.signal ? AbortSignal.any([run.signal, finished.signal]) : finished.signal;
  const ended = collect(child, run.maxOutput ?? 64 * 1024 * 1024);
  child.stdin.on('error', () => killGroup(child));
  child.stdin.end(run.input ?? '');
  const onAbort = () => killGroup(child);
  run.signal?.addEventListener('abort', onAbort, { once: true });
  let timedOut = false;
  const timer = run.clock.sleep(run.timeout, limits).then(
    () => {
      timedOut = true;
      killGroup(child);
    },
    // The wait ends early when git does; cancellation is seen below.
    () => undefined,
  );
  let excess: Exceeded | undefined;
  const watched =
    run.bounds && child.pid !== undefined
      ? exceeded(child.pid, run.bounds, { clock: run.clock, signal: finished.signal }).then((found) => {
          excess = found;
          if (found) killGroup(child);
        })
      : undefined;
  try {
    const result = await ended;
    run.signal?.throwIfAborted();
    if (excess) throw tooMuch(run, excess);
    if (timedOut) {
      throw failure(
        gitTimeout,
        {
          message: `git ${run.args[0]} did not finish within ${run.timeout / 1000} s`,
          evidence: { stderr: result.stderr || undefined },
        },
        { handling: 'retryable' },
      );
    }
    return result;
  } finally {
    run.signal?.removeEventListener('abort', onAbort);
    finished.abort();
    await timer;
    await watched;
  }
}

const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`;

function tooMuch(run: GitRun, { what, bytes, limit }: Exceeded) {
  return failure(gitTooMuch, {
    message: `What the host sends is too much: git ${run.args.find((argument) => /^[a-z]/.test(argument))} took ${inMebibytes(bytes)} of ${what}; the limit is ${inMebibytes(limit)}`,
    evidence: { taken: inMebibytes(bytes), limit: inMebibytes(limit) },
    remedies:
      what === 'disk'
        ? [
            'Set `depth` of the repository to 1, so that its history is not fetched',
            'Raise TIPHYS_GIT_MAX_FETCH, in MiB, if the repository is that large',
          ]
        : ['Delete refs of the repository that nobody needs; a repository with so many refs is not one to deploy from'],
  });
}

function collect(child: ChildProcess, maxOutput: number): Promise<GitResult> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let stderr = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxOutput) chunks.push(chunk);
      else killGroup(child);
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr = (stderr + chunk.toString('utf8')).slice(-8192);
    });
    child.once('error', (error: NodeJS.ErrnoException) => reject(cannotRun(error)));
    child.once('close', (code, signal) => {
      const text = redact(stderr).trim() + (size > maxOutput ? '\noutput exceeds the limit' : '');
      resolve({
        code: size > maxOutput ? 255 : (code ?? (signal ? 255 : 0)),
        stdout: Buffer.concat(chunks),
        stderr: text,
      });
    });
  });
}

function cannotRun(error: NodeJS.ErrnoException) {
  return failure(
    gitMissing,
    {
      message:
        error.code === 'ENOENT' ? 'The program git is not on PATH' : `The program git cannot be run: ${error.message}`,
      evidence: { PATH: process.env.PATH ?? '' },
      remedies: ['Install git 2.36 or newer on the machine or in the image that runs Tiphys'],
    },
    { cause: error },
  );
}

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    // The group is gone already: that is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
