import { execFile } from 'node:child_process';

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end; rejects only where it could not be started. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: Record<string, string>; timeout?: number } = {},
): Promise<Outcome> {
  const { cwd, env, timeout = 240_000 } = options;
  return new Promise((resolve, reject) => {
    execFile(
      program,
      args,
      { timeout, env: { ...process.env, ...env }, ...(cwd ? { cwd } : {}) },
      (error, stdout, stderr) => {
        const code = error ? error.code : 0;
        if (typeof code === 'number') resolve({ code, stdout, stderr });
        else reject(error);
      },
    );
  });
}
