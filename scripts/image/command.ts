import { spawnSync } from 'node:child_process';

/** Runs a program to its end and gives what it printed; throws with its last lines if it fails or is not there. */
export function command(
  program: string,
  args: readonly string[],
  { cwd, env }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 256 << 20,
    env: { ...process.env, ...env },
  });
  if (error) throw new Error(`${program} cannot be run: ${error.message}. Install it and try again`);
  if (status !== 0)
    throw new Error(`${program} ${args.slice(0, 3).join(' ')} … ended with ${status}:\n${stderr.trim().slice(-8000)}`);
  return stdout;
}
