import { execFile } from 'node:child_process';

/** Runs git in a folder and gives what it printed; rejects with what it said of its failure. */
export async function git(folder: string, args: readonly string[], signal?: AbortSignal): Promise<string> {
  return (await gitAnswer(folder, args, signal)).stdout;
}

/** As `git`, with what is said beside the output too: a remote's words are there. */
export function gitAnswer(
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 256 << 20, ...(signal ? { signal } : {}) };
    execFile('git', ['-C', folder, '-c', 'core.quotepath=off', ...args], options, (error, stdout, stderr) =>
      error ? reject(error) : resolve({ stdout, stderr }),
    );
  });
}
