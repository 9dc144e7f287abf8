import { logLine } from '../problems/log.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { pullFlags } from './flag-tables.ts';
import { parseFlags } from './flags.ts';
import { helmPaths } from './helm-environment.ts';

export interface PullRequest {
  /** Address of a repository (`https://…`), or of the folder of a registry (`oci://…`). */
  readonly repo: string;
  readonly name: string;
  /** May be a range; empty for the newest. */
  readonly version: string;
  /** Whether the newest may be a version before its release. */
  readonly devel: boolean;
}

/**
 * The archive that `helm pull NAME --repo REPO` or `helm pull oci://…/NAME` gets, with the caches and the credentials of
 * `helm registry login`. Throws FlagError, HelmError or RegistryError.
 */
export async function pullArchive(
  { repo, name, version, devel }: PullRequest,
  { error, workdir, env, signal }: Omit<CommandSurroundings, 'out'>,
): Promise<Uint8Array> {
  // The client of repositories is loaded by those who pull.
  const { ChartDownloader } = await import('./chart-downloader.ts');
  const downloader = new ChartDownloader({
    paths: helmPaths(parseFlags([], pullFlags), { env, workdir, error, out: () => undefined }),
    access: {},
    warn: (message, details) => error(logLine(message, details)),
    say: () => undefined,
    signal,
  });
  const wanted = version || (devel ? '>0.0.0-0' : '');
  const oci = repo.startsWith('oci://') ? `${repo.replace(/\/$/, '')}/${name}` : undefined;
  const located =
    oci === undefined ? await downloader.locateIn(repo, name, wanted) : await downloader.locate(oci, wanted);
  const { archive } = await downloader.fetch(located, 'never', oci ?? name);
  return archive;
}
