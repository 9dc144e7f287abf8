import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** A server program of somebody else: on PATH, or where `npm run` keeps what it builds; undefined if there is none. */
export function findBinary(name: string): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(delimiter), join(homedir(), '.cache/tiphys/servers')];
  return folders
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Why a test of a server is skipped; false if it need not be. */
export function skipWithout(name: string, how: string): string | false {
  return findBinary(name) ? false : `there is no ${name} on PATH or in ~/.cache/tiphys/servers (${how})`;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

export interface ServerProcess {
  readonly folder: string;
  stop(): Promise<void>;
}

/** Starts a program and waits until its output shows that it is ready. */
export async function startServer(
  name: string,
  args: (folder: string) => string[],
  ready: RegExp,
): Promise<ServerProcess> {
  const folder = mkdtempSync(join(tmpdir(), `tiphys-${name}-`));
  const child: ChildProcess = spawn(findBinary(name) ?? name, args(folder), {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
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
    folder,
    async stop() {
      child.kill('SIGKILL');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
