import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where servers of somebody else are kept that were built for tests. */
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiphys', 'servers');

/** Go modules that servers are built from, at the versions that Argo Events' own suite uses; folders beside this file hold the others. */
const modules = new Map([
  ['nats-server', 'github.com/nats-io/nats-server/v2@v2.10.29'],
  ['nats-streaming-server', 'github.com/nats-io/nats-streaming-server@v0.22.1'],
]);
/** Where Debian has servers beside PATH. Its `rabbitmq-server` on PATH changes to a user of its own, this one does not. */
const beforePath = ['/usr/lib/rabbitmq/bin'];
const afterPath = ['/usr/sbin', cache];
const folders = new Map([
  ['kfake-broker', { folder: 'kfake', target: '.' }],
  ['nsqd', { folder: 'nsq', target: 'github.com/nsqio/nsq/apps/nsqd' }],
  ['nsqlookupd', { folder: 'nsq', target: 'github.com/nsqio/nsq/apps/nsqlookupd' }],
]);
const buildTimeout = 900_000;

/** A server program of somebody else: on PATH, or in the cache; undefined if there is none. */
export function findBinary(name: string): string | undefined {
  return [...beforePath, ...(process.env.PATH ?? '').split(delimiter), ...afterPath]
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Why a test of a server is skipped; false if it need not be, because the program is there or can be built. */
export function skipWithout(name: string, how: string): string | false {
  if (findBinary(name)) return false;
  const isBuilt = modules.has(name) || folders.has(name);
  if (isBuilt && findBinary('go')) return false;
  return `there is no ${name} on PATH or in ${cache}${isBuilt ? ', and no go to build it with' : ''} (${how})`;
}

/** The program, built into the cache unless it is there. Rejects with what the compiler says. */
export async function serverBinary(name: string): Promise<string> {
  const found = findBinary(name);
  if (found) return found;
  await mkdir(cache, { recursive: true });
  const lock = join(cache, `.${name}.lock`);
  while (!(await isLocked(lock))) await sleep(500);
  try {
    if (!existsSync(join(cache, name))) await build(name);
  } finally {
    await rm(lock, { force: true });
  }
  return join(cache, name);
}

async function build(name: string): Promise<void> {
  const own = folders.get(name);
  const made = await mkdtemp(join(tmpdir(), 'tiphys-build-'));
  try {
    if (own)
      await go(['build', '-trimpath', '-o', join(made, name), own.target], {
        cwd: join(import.meta.dirname, own.folder),
      });
    else await go(['install', '-trimpath', modules.get(name) ?? name], { cwd: made, env: { GOBIN: made } });
    const aside = join(cache, `.${name}.${process.pid}`);
    await copyFile(join(made, name), aside);
    await rename(aside, join(cache, name));
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}

function go(args: readonly string[], { cwd, env = {} }: { cwd: string; env?: Record<string, string> }): Promise<void> {
  const options = {
    cwd,
    timeout: buildTimeout,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', ...env },
  };
  return new Promise((resolve, reject) => {
    execFile('go', args, options, (error, _output, told) => {
      if (error) reject(new Error(`go ${args.join(' ')}: ${told || error.message}`));
      else resolve();
    });
  });
}

/** Takes the lock; one whose process is gone is taken over. */
async function isLocked(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const owner = Number(await readFile(file, 'utf8').catch(() => ''));
  if (owner && !existsSync(`/proc/${owner}`)) await rm(file, { force: true });
  return false;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
