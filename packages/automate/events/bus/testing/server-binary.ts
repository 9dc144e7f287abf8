import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverBinary } from './server-build.ts';

export { skipWithout } from './server-build.ts';

export interface ServerProcess {
  readonly folder: string;
  readonly pid: number;
  /** Kills it and starts it again with what it has on disk. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a program, which is built if it is not there, and waits until its output shows that it is ready. */
export async function startServer(
  name: string,
  args: (folder: string) => string[],
  ready: RegExp,
  env: (folder: string) => Readonly<Record<string, string>> = () => ({}),
): Promise<ServerProcess> {
  const file = await serverBinary(name);
  const folder = mkdtempSync(join(tmpdir(), `tiphys-${name}-`));
  const program = { file, folder, args: args(folder), ready, env: env(folder) };
  let child = await started(name, program);
  return {
    folder,
    get pid() {
      return child.pid;
    },
    async restart() {
      await child.kill();
      child = await started(name, program);
    },
    async stop() {
      await child.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Program {
  readonly file: string;
  readonly folder: string;
  readonly args: readonly string[];
  readonly ready: RegExp;
  readonly env: Readonly<Record<string, string>>;
}

async function started(
  name: string,
  { file, folder, args, ready, env }: Program,
): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const child: ChildProcess = spawn(file, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} is not ready after 120 s: ${output}`)), 120_000);
    const hear = (chunk: Buffer) => {
      output += chunk.toString();
      if (!ready.test(output)) return;
      clearTimeout(timer);
      resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    void exited.then(() => reject(new Error(`${name} ended: ${output}`)));
  });
  return {
    pid: child.pid as number,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
