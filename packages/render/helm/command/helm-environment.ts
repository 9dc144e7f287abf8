import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CommandSurroundings } from './command-surroundings.ts';
import type { ParsedFlags } from './flags.ts';

/** The files and folders that helm shares between its commands. */
export interface HelmPaths {
  /** repositories.yaml */
  readonly repositoryConfig: string;
  /** Folder of the indexes. */
  readonly repositoryCache: string;
  /** Folder of packages by their digest. */
  readonly contentCache: string;
  /** Files with the credentials of registries, the first one is helm's own. */
  readonly registryConfigs: readonly [string, string];
  /** The public keys that are believed where `--keyring` names none. */
  readonly keyring: string;
}

/** A flag wins over the `HELM_…` variable, that over `HELM_…_HOME`, that over the XDG folder, that over the one of the system. */
export function helmPaths(flags: ParsedFlags, { env, workdir }: CommandSurroundings): HelmPaths {
  const home = env['HOME'] ?? homedir();
  const mac = process.platform === 'darwin';
  const base = (kind: 'CACHE' | 'CONFIG', fallback: string): string =>
    env[`HELM_${kind}_HOME`] || join(env[`XDG_${kind}_HOME`] || join(home, fallback), 'helm');
  const cache = base('CACHE', mac ? 'Library/Caches' : '.cache');
  const config = base('CONFIG', mac ? 'Library/Preferences' : '.config');
  const path = (flag: string, variable: string, fallback: string): string =>
    resolve(workdir, flags.has(flag) ? flags.text(flag) : (env[variable] ?? fallback));
  return {
    repositoryConfig: path('repository-config', 'HELM_REPOSITORY_CONFIG', join(config, 'repositories.yaml')),
    repositoryCache: path('repository-cache', 'HELM_REPOSITORY_CACHE', join(cache, 'repository')),
    contentCache: path('content-cache', 'HELM_CONTENT_CACHE', join(cache, 'content')),
    registryConfigs: [
      path('registry-config', 'HELM_REGISTRY_CONFIG', join(config, 'registry/config.json')),
      join(env['DOCKER_CONFIG'] || join(home, '.docker'), 'config.json'),
    ],
    keyring: flags.has('keyring')
      ? resolve(workdir, flags.text('keyring'))
      : defaultKeyring(env['GNUPGHOME'] ?? join(home, '.gnupg')),
  };
}

/** GnuPG's older file if there is one, else the keybox if there is one. */
function defaultKeyring(folder: string): string {
  const legacy = join(folder, 'pubring.gpg');
  const keybox = join(folder, 'pubring.kbx');
  return !existsSync(legacy) && existsSync(keybox) ? keybox : legacy;
}
