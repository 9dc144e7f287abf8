import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

/** The version of kustomize that the product is compared with. */
const version = 'v5.8.1';

const run = promisify(execFile);

/**
 * Path of the real kustomize: `TIPHYS_KUSTOMIZE`, the cache, or built by `go install` into the cache; one on PATH only if
 * it is of the version. Undefined if there is none and no Go to build it.
 */
export async function findKustomize(env: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  const given = env['TIPHYS_KUSTOMIZE'];
  if (given) return given;
  const folder = join(env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'tiphys', 'bin');
  const cached = join(folder, `kustomize-${version}`);
  if (existsSync(cached)) return cached;
  const onPath = findOnPath('kustomize', env);
  if (onPath && (await run(onPath, ['version'])).stdout.trim() === version) return onPath;
  if (!findOnPath('go', env)) return undefined;
  await mkdir(folder, { recursive: true });
  console.log(`building kustomize ${version} (once) …`);
  await run('go', ['install', `sigs.k8s.io/kustomize/kustomize/v5@${version}`], { env: { ...env, GOBIN: folder } });
  await rename(join(folder, 'kustomize'), cached);
  return cached;
}

function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  return (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
}
