import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The versions of helm that the product is compared with. */
export const helmVersions = { 4: 'v4.3.1', 3: 'v3.22.0' } as const;

export type HelmMajor = keyof typeof helmVersions;

const run = promisify(execFile);

/**
 * Path of a real helm: `TIPHYS_HELM` (or `TIPHYS_HELM3`), `helm4`/`helm3` on PATH, the cache, or built by `go install`
 * into the cache. Undefined if there is none and no Go to build it.
 */
export async function findHelm(major: HelmMajor, env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const given = env[major === 4 ? 'TIPHYS_HELM' : 'TIPHYS_HELM3'];
  if (given) return given;
  const onPath = findOnPath(`helm${major}`, env);
  if (onPath) return onPath;
  const folder = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tiphys', 'bin');
  const cached = join(folder, `helm-${helmVersions[major]}`);
  if (existsSync(cached)) return cached;
  return findOnPath('go', env) ? build(major, folder, cached, env) : undefined;
}

function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
}

async function build(major: HelmMajor, folder: string, target: string, env: NodeJS.ProcessEnv): Promise<string> {
  await mkdir(folder, { recursive: true });
  console.log(`building helm ${helmVersions[major]} (once) …`);
  await run('go', ['install', `helm.sh/helm/v${major}/cmd/helm@${helmVersions[major]}`], {
    env: { ...env, GOBIN: folder },
  });
  await rename(join(folder, 'helm'), target);
  return target;
}
