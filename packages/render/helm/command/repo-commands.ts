import { readFileSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { goDuration } from '@tiphys/go';
import { RegistryError } from '@tiphys/registry';
import { printYaml } from '@tiphys/yaml';
import { helmMessageOf } from '../problems/helm-error.ts';
import { logLine } from '../problems/log.ts';
import { ChartDownloader } from './chart-downloader.ts';
import { readArguments } from './command-arguments.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { plainFlags, repoAddFlags, repoIndexFlags, repoListFlags, repoUpdateFlags } from './flag-tables.ts';
import { FlagError, type ParsedFlags } from './flags.ts';
import { helmPaths } from './helm-environment.ts';
import { indexFolder } from './index-folder.ts';
import { printTable } from './print-table.ts';
import { cachedChartsPath, cachedIndexPath, RepositoriesFile, type RepositoryEntry } from './repositories-file.ts';
import { downloadIndex, updateIndexes } from './repository-updates.ts';

/** Repositories that were closed for good, and where their charts went. */
const closed: readonly (readonly [string, string])[] = [
  ['//kubernetes-charts.storage.googleapis.com', 'https://charts.helm.sh/stable'],
  ['//kubernetes-charts-incubator.storage.googleapis.com', 'https://charts.helm.sh/incubator'],
];

function downloaderOf(flags: ParsedFlags, surroundings: CommandSurroundings): ChartDownloader {
  const timeout = flags.text('timeout');
  return new ChartDownloader({
    paths: helmPaths(flags, surroundings),
    access: {},
    warn: (message, details) => surroundings.error(logLine(message, details)),
    say: surroundings.out,
    signal: surroundings.signal,
    ...(timeout === '' ? {} : { timeout: goDuration(timeout) ?? 120_000 }),
  });
}

/** `helm repo add NAME URL` */
export async function repoAdd(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm repo add', usage: '[NAME] [URL] [flags]', flags: repoAddFlags, least: 2, most: 2 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const { out, signal } = surroundings;
  const entry = entryOf(flags);
  const { name, url } = entry;
  const moved = flags.flag('allow-deprecated-repos') ? undefined : closed.find(([old]) => url.includes(old));
  if (moved)
    throw new FlagError(`repo ${JSON.stringify(url)} is no longer available; try ${JSON.stringify(moved[1])} instead`);
  const downloader = downloaderOf(flags, surroundings);
  const { file } = downloader;
  if (name.includes('/'))
    throw new FlagError(`repository name (${name}) contains '/', please specify a different name without '/'`);
  const existing = file.get(name);
  if (existing && !flags.flag('force-update')) {
    if (JSON.stringify(existing) !== JSON.stringify(entry))
      throw new FlagError(`repository name (${name}) already exists, please specify a different name`);
    out(`${JSON.stringify(name)} already exists with the same configuration, skipping\n`);
    return 0;
  }
  try {
    await downloadIndex(entry, downloader, signal);
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw error.wrapped(
      (words) => `looks like ${JSON.stringify(url)} is not a valid chart repository or cannot be reached: ${words}`,
    );
  }
  file.update(entry);
  file.write();
  out(`${JSON.stringify(name)} has been added to your repositories\n`);
  return 0;
}

function entryOf(flags: ParsedFlags): RepositoryEntry {
  const [name = '', url = ''] = flags.args;
  const username = flags.text('username');
  let password = flags.text('password');
  if (username !== '' && password === '') {
    if (!flags.flag('password-stdin'))
      throw new FlagError('password required', 'Give it with --password-stdin: this command does not ask');
    password = readFileSync(0, 'utf8').replace(/\n$/, '').replace(/\r$/, '');
  }
  return {
    name,
    url,
    username,
    password,
    certFile: flags.text('cert-file'),
    keyFile: flags.text('key-file'),
    caFile: flags.text('ca-file'),
    insecureSkipTlsVerify: flags.flag('insecure-skip-tls-verify'),
    passCredentialsAll: flags.flag('pass-credentials'),
  };
}

/** `helm repo list` */
export async function repoList(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm repo list', usage: '[flags]', flags: repoListFlags, least: 0, most: 0 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const { out, error } = surroundings;
  const format = flags.text('output') || 'table';
  if (!['table', 'json', 'yaml'].includes(format))
    throw new FlagError(`invalid argument ${JSON.stringify(format)} for "-o, --output" flag: invalid format type`);
  const list = new RepositoriesFile(helmPaths(flags, surroundings).repositoryConfig).entries.map(({ name, url }) => ({
    name,
    url,
  }));
  if (list.length === 0 && format === 'table') {
    error('no repositories to show\n');
    return 0;
  }
  if (format === 'json')
    out(`${JSON.stringify(list).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026')}\n`);
  else if (format === 'yaml') out(printYaml(list));
  else {
    const rows = list.map(({ name, url }) => [name, url]);
    out(`${printTable(flags.flag('no-headers') ? rows : [['NAME', 'URL'], ...rows])}\n`);
  }
  return 0;
}

/** `helm repo update [NAME…]` */
export async function repoUpdate(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm repo update', usage: '[REPO1 [REPO2 ...]] [flags]', flags: repoUpdateFlags, least: 0 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const { out, signal } = surroundings;
  const downloader = downloaderOf(flags, surroundings);
  const { entries } = downloader.file;
  if (entries.length === 0) throw new FlagError('no repositories found. You must add one before updating');
  const names = flags.args;
  const unknown = names.find((name) => !entries.some((entry) => entry.name === name));
  if (unknown !== undefined)
    throw new FlagError(`no repositories found matching '${unknown}'.  Nothing will be updated`);
  const wanted = names.length === 0 ? entries : entries.filter(({ name }) => names.includes(name));
  out('Hang tight while we grab the latest from your chart repositories...\n');
  const failed = await updateIndexes(wanted, downloader, out, signal);
  if (failed.length > 0) throw new FlagError(`failed to update the following repositories: [${failed.join(' ')}]`);
  out('Update Complete. ⎈Happy Helming!⎈\n');
  return 0;
}

/** `helm repo remove NAME…` */
export async function repoRemove(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm repo remove', usage: '[REPO1 [REPO2 ...]] [flags]', flags: plainFlags, least: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const paths = helmPaths(flags, surroundings);
  const file = new RepositoriesFile(paths.repositoryConfig);
  if (file.entries.length === 0) throw new FlagError('no repositories configured');
  for (const name of flags.args) {
    if (!file.get(name)) throw new FlagError(`no repo named ${JSON.stringify(name)} found`);
    file.entries = file.entries.filter((entry) => entry.name !== name);
    file.write();
    if (!/[/\\]/.test(name)) {
      rmSync(cachedChartsPath(paths.repositoryCache, name), { force: true });
      rmSync(cachedIndexPath(paths.repositoryCache, name), { force: true });
    }
    surroundings.out(`${JSON.stringify(name)} has been removed from your repositories\n`);
  }
  return 0;
}

/** `helm repo index DIR` */
export async function repoIndex(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm repo index', usage: '[DIR] [flags]', flags: repoIndexFlags, least: 1, most: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const { workdir } = surroundings;
  const merge = flags.text('merge');
  try {
    indexFolder(resolve(workdir, flags.args[0] ?? '.'), {
      url: flags.text('url'),
      merge: merge === '' ? undefined : { path: resolve(workdir, merge), shown: merge },
      json: flags.flag('json'),
      now: new Date(),
    });
  } catch (error) {
    if (error instanceof RegistryError) throw new FlagError(helmMessageOf(error));
    throw error;
  }
  return 0;
}
