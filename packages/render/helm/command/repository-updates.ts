import { createHash } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { hostOf, RegistryError } from '@tiphys/registry';
import { helmMessageOf } from '../problems/helm-error.ts';
import type { ChartDownloader } from './chart-downloader.ts';
import { FlagError } from './flags.ts';
import { accessOfEntry, cachedChartsPath, cachedIndexPath, type RepositoryEntry } from './repositories-file.ts';

const managerPrefix = 'helm-manager-';

/** The name under which the index of a repository that was not added is kept. */
export function unmanagedName(url: string): string {
  return `${managerPrefix}${createHash('sha256').update(url).digest('hex')}`;
}

/** An entry for a repository of which nothing but the URL is known. */
export function plainEntry(name: string, url: string): RepositoryEntry {
  const none = { username: '', password: '', certFile: '', keyFile: '', caFile: '' };
  return { name, url, ...none, insecureSkipTlsVerify: false, passCredentialsAll: false };
}

/** Fetches an index and puts it where the other commands find it. */
export async function downloadIndex(
  entry: RepositoryEntry,
  downloader: ChartDownloader,
  signal: AbortSignal | undefined,
): Promise<void> {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(entry.url)?.[1] ?? '';
  if (!/^https?$/i.test(scheme)) throw new FlagError(`could not find protocol handler for: ${scheme}`);
  if (!URL.canParse(entry.url) || hostOf(entry.url) === '')
    throw new FlagError(`invalid chart URL format: ${entry.url}`);
  const repository = { url: entry.url, access: accessOfEntry(entry) };
  const { index, raw } = await downloader.repositories.index(repository, { signal });
  if (!raw) return;
  const cache = downloader.paths.repositoryCache;
  writeWhole(cachedChartsPath(cache, entry.name), [...index.entries.keys()].map((name) => `${name}\n`).join(''));
  writeWhole(cachedIndexPath(cache, entry.name), raw);
}

function writeWhole(path: string, data: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  writeFileSync(draft, data);
  renameSync(draft, path);
}

/**
 * Updates indexes at once, and tells of each in the order given. Resolves to the URLs of those that failed; what can't be tried at
 * all is thrown.
 */
export async function updateIndexes(
  entries: readonly RepositoryEntry[],
  downloader: ChartDownloader,
  out: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const results = await Promise.allSettled(entries.map((entry) => downloadIndex(entry, downloader, signal)));
  const failed: string[] = [];
  for (const [index, result] of results.entries()) {
    const { name, url } = entries[index] as RepositoryEntry;
    const managed = !name.startsWith(managerPrefix);
    const shown = JSON.stringify(managed ? name : url);
    if (result.status === 'fulfilled') {
      out(`...Successfully got an update from the ${shown} chart repository\n`);
      continue;
    }
    if (!(result.reason instanceof RegistryError)) throw result.reason;
    failed.push(url);
    const where = managed ? ` (${url})` : '';
    out(`...Unable to get an update from the ${shown} chart repository${where}:\n\t${helmMessageOf(result.reason)}\n`);
  }
  return failed;
}

/** One of each URL: the last one that has it. */
export function withoutTwins(entries: readonly RepositoryEntry[]): RepositoryEntry[] {
  return [...new Map(entries.map((entry) => [entry.url.replace(/\/$/, ''), entry])).values()];
}
