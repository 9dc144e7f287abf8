import { existsSync, lstatSync, mkdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseOciReference, RegistryError, resolveReference } from '@tiphys/registry';
import { readRange, readVersion, satisfies } from '@tiphys/template';
import { YamlError } from '@tiphys/yaml';
import type { Chart, ChartDependency } from '../chart/chart.ts';
import { loadChart } from '../chart/load-chart.ts';
import { MetadataError } from '../chart/metadata.ts';
import {
  type ChartLock,
  type LockedDependency,
  lockDigest,
  lockDigestOfHelm2,
  printLock,
  readLock,
} from '../dependency/chart-lock.ts';
import { checkDependencyNames } from '../dependency/dependency-names.ts';
import { packChart } from '../dependency/pack-chart.ts';
import { isSameUrl } from '../dependency/same-url.ts';
import { chartDependencyMissing } from '../problems/diagnoses.ts';
import { HelmError, helmMessageOf } from '../problems/helm-error.ts';
import type { Warn } from '../problems/log.ts';
import type { ChartDownloader, Located, Verifying } from './chart-downloader.ts';
import { keyOf, repositoryNames, requireRepositories } from './dependency-repositories.ts';
import { FlagError } from './flags.ts';
import { localFiles } from './local-files.ts';
import { replaceCharts } from './replace-charts.ts';
import { accessOfEntry, type RepositoryEntry } from './repositories-file.ts';
import { plainEntry, unmanagedName, updateIndexes, withoutTwins } from './repository-updates.ts';

export interface DependencyManagerOptions {
  readonly downloader: ChartDownloader;
  /** As it was given. */
  readonly chartPath: string;
  readonly workdir: string;
  readonly out: (text: string) => void;
  readonly warn: Warn;
  readonly verifying: Verifying;
  readonly skipRefresh: boolean;
  readonly debug: boolean;
  readonly now: () => Date;
  readonly signal?: AbortSignal | undefined;
}

/** Puts the dependencies of a chart's folder into its charts/, as `helm dependency build` and `update` do. */
export class DependencyManager {
  readonly #options: DependencyManagerOptions;
  readonly #folder: string;

  constructor(options: DependencyManagerOptions) {
    this.#options = options;
    this.#folder = resolve(options.workdir, options.chartPath);
  }

  /** What the lock file names; without one, as `update`. */
  async build(): Promise<void> {
    const chart = this.#load();
    const lock = this.#readLock(chart);
    if (!lock) return this.update();
    const wanted = (chart.metadata.dependencies ?? []).map((dependency) => ({ ...dependency }));
    const old = chart.metadata.apiVersion === 'v1';
    const digestOfHelm2 = lockDigestOfHelm2(wanted);
    this.#names(wanted);
    if (lockDigest(wanted, lock.dependencies) !== lock.digest) {
      if (!old) {
        throw outOfSync(
          "the lock file (Chart.lock) is out of sync with the dependencies file (Chart.yaml). Please update the dependencies with 'helm dependency update'",
          'Chart.lock',
        );
      }
      this.#options.warn('warning: a valid Helm v3 hash was not found. Checking against Helm v2 hash...', {
        level: 'INFO',
      });
      if (digestOfHelm2 !== lock.digest)
        throw outOfSync(
          'the lock file (requirements.lock) is out of sync with the dependencies file (requirements.yaml). Please update the dependencies',
          'requirements.lock',
        );
    }
    requireRepositories(lock.dependencies, this.#options.downloader.file);
    if (!this.#options.skipRefresh) await this.#updateRepositories();
    await this.#downloadAll(lock.dependencies.map((dependency) => ({ ...dependency })));
  }

  /** The newest versions in the wanted ranges; writes the lock file. */
  async update(): Promise<void> {
    const chart = this.#load();
    const { dependencies } = chart.metadata;
    if (!dependencies) return;
    const wanted = dependencies.map((dependency) => ({ ...dependency }));
    const names = this.#names(wanted);
    await this.#addMissing(names, wanted);
    if (!this.#options.skipRefresh) await this.#updateRepositories();
    const locked = await this.#resolve(wanted, names);
    await this.#downloadAll(locked);
    const digest = lockDigest(wanted, locked);
    if (this.#readLock(chart)?.digest === digest) return;
    this.#writeLock(chart, { dependencies: locked, digest, generated: this.#options.now().toISOString() });
  }

  #load(): Chart {
    const { chartPath, warn } = this.#options;
    if (!existsSync(this.#folder))
      throw new FlagError(`could not find ${chartPath}: stat ${chartPath}: no such file or directory`);
    if (!statSync(this.#folder).isDirectory()) throw new FlagError('only unpacked charts can be updated');
    const chart = loadChart(localFiles(this.#folder), { warn });
    checkDependencyNames(chart.metadata);
    return chart;
  }

  #lockName(chart: Chart): string {
    return chart.metadata.apiVersion === 'v1' ? 'requirements.lock' : 'Chart.lock';
  }

  #readLock(chart: Chart): ChartLock | undefined {
    const name = [this.#lockName(chart), 'Chart.lock'].find((file) => existsSync(join(this.#folder, file)));
    if (name === undefined) return undefined;
    try {
      return readLock(readFileSync(join(this.#folder, name), 'utf8'));
    } catch (error) {
      if (error instanceof YamlError) throw new FlagError(`cannot load ${name}: ${error.goMessage}`);
      if (error instanceof MetadataError) throw new FlagError(`cannot load ${name}: ${error.message}`);
      throw error;
    }
  }

  /** CVE-2025-53547: a link would let the lock be written over any file. */
  #writeLock(chart: Chart, lock: ChartLock): void {
    const name = this.#lockName(chart);
    const path = join(this.#folder, name);
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink())
      throw new FlagError(`the ${name} file is a symlink to ${JSON.stringify(readlinkSync(path))}`);
    writeFileSync(path, printLock(lock));
  }

  #names(dependencies: { name: string; repository: string }[]): Map<string, string> {
    const { downloader, debug, out } = this.#options;
    return repositoryNames(dependencies, downloader.file, (repository) => {
      this.#localPath(repository);
      if (debug) out(`Repository from local path: ${repository}\n`);
    });
  }

  #localPath(repository: string): string {
    const path = repository.replace(/^file:\/\//, '');
    const shown = path.startsWith('/') ? path : join(this.#options.chartPath, path);
    if (existsSync(resolve(this.#options.workdir, shown))) return resolve(this.#options.workdir, shown);
    throw new HelmError(chartDependencyMissing, `directory ${shown} not found`, {
      place: { file: join(this.#options.chartPath, 'Chart.yaml') },
      evidence: { repository },
      remedies: ['Correct the path: it counts from the folder of the chart'],
    });
  }

  async #addMissing(names: Map<string, string>, dependencies: readonly ChartDependency[]): Promise<void> {
    const entries: RepositoryEntry[] = [];
    for (const dependency of dependencies) {
      const { repository } = dependency;
      if (repository === '' || names.has(keyOf(dependency))) continue;
      if (/^(?:file|oci):\/\//.test(repository)) {
        names.set(keyOf(dependency), repository);
        continue;
      }
      names.set(keyOf(dependency), unmanagedName(repository));
      entries.push(plainEntry(unmanagedName(repository), repository));
    }
    if (this.#options.skipRefresh || entries.length === 0) return;
    const { downloader, out, signal } = this.#options;
    out('Getting updates for unmanaged Helm repositories...\n');
    await updateIndexes(withoutTwins(entries), downloader, out, signal);
  }

  async #updateRepositories(): Promise<void> {
    const { downloader, out, signal } = this.#options;
    if (downloader.file.entries.length === 0) return;
    out('Hang tight while we grab the latest from your chart repositories...\n');
    await updateIndexes(withoutTwins(downloader.file.entries), downloader, out, signal);
    out('Update Complete. ⎈Happy Helming!⎈\n');
  }

  async #resolve(
    dependencies: readonly ChartDependency[],
    names: ReadonlyMap<string, string>,
  ): Promise<{ name: string; version: string; repository: string }[]> {
    const locked: { name: string; version: string; repository: string }[] = [];
    const missing: string[] = [];
    for (const { name, version, repository } of dependencies) {
      const test = readRange(version);
      if (typeof test === 'string')
        throw new FlagError(`dependency ${JSON.stringify(name)} has an invalid version/constraint format: ${test}`);
      const fits = (text: string): boolean => {
        const parsed = readVersion(text);
        return typeof parsed === 'object' && test(parsed);
      };
      const found = await this.#versionsOf({ name, version, repository }, names.get(keyOf({ name, repository })) ?? '');
      const chosen = found.kind === 'taken' ? found.version : found.versions.find(fits);
      if (chosen !== undefined) locked.push({ name, version: chosen, repository });
      // Helm finds out only when it fetches what a registry does not have.
      else if (repository.startsWith('oci://')) locked.push({ name, version, repository });
      else
        missing.push(
          `${JSON.stringify(name)} (repository ${JSON.stringify(repository)}, version ${JSON.stringify(version)})`,
        );
    }
    if (missing.length === 0) return locked;
    throw new HelmError(
      chartDependencyMissing,
      `can't get a valid version for ${missing.length} subchart(s): ${missing.join(', ')}. Make sure a matching chart version exists in the repo, or change the version constraint in Chart.yaml`,
      {
        place: { file: join(this.#options.chartPath, 'Chart.yaml') },
        remedies: ['Change the version in Chart.yaml, or publish one that fits'],
      },
    );
  }

  async #versionsOf(
    { name, version, repository }: LockedDependency,
    repositoryName: string,
  ): Promise<{ kind: 'taken'; version: string } | { kind: 'of'; versions: readonly string[] }> {
    const { downloader, signal } = this.#options;
    if (repository === '') {
      this.#localPath(`charts/${name}`);
      return { kind: 'taken', version };
    }
    if (repository.startsWith('file://')) {
      const chart = loadChart(localFiles(this.#localPath(repository)), { warn: this.#options.warn });
      return { kind: 'of', versions: [chart.metadata.version] };
    }
    if (repository.startsWith('oci://')) {
      if (typeof readVersion(version) === 'object') return { kind: 'taken', version };
      return { kind: 'of', versions: await this.#ociVersions(name, repository) };
    }
    signal?.throwIfAborted();
    const index = downloader.cachedIndex(
      repositoryName,
      (reason) => `no cached repository for ${repositoryName} found. (try 'helm repo update'): ${reason}`,
    );
    const versions = index.entries.get(name);
    if (!versions) throw new FlagError(`${name} chart not found in repo ${repository}`);
    return { kind: 'of', versions: versions.filter(({ urls }) => urls.length > 0).map((entry) => entry.version) };
  }

  async #ociVersions(name: string, repository: string): Promise<string[]> {
    const { downloader, signal } = this.#options;
    const reference = parseOciReference(`${repository}/${name}`);
    try {
      const access = await downloader.ociAccess(reference.registry);
      return await downloader.charts.versions(reference, access, { signal });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      throw error.wrapped((words) => `could not retrieve list of tags for repository ${repository}: ${words}`);
    }
  }

  async #downloadAll(dependencies: { name: string; version: string; repository: string }[]): Promise<void> {
    const { out } = this.#options;
    const charts = join(this.#folder, 'charts');
    if (existsSync(charts) && !statSync(charts).isDirectory())
      throw new FlagError(`${JSON.stringify(join(this.#options.chartPath, 'charts'))} is not a directory`);
    mkdirSync(charts, { recursive: true });
    out(`Saving ${dependencies.length} charts\n`);
    const fetched = new Map<string, Buffer>();
    const seen = new Set<string>();
    try {
      for (const dependency of dependencies) await this.#download(dependency, fetched, seen);
    } catch (error) {
      out(`Save error occurred:  ${helmMessageOf(error)}\n`);
      throw error;
    }
    replaceCharts(dependencies, fetched, { charts, out, chartPath: this.#options.chartPath });
  }

  async #download(
    dependency: { name: string; version: string; repository: string },
    fetched: Map<string, Buffer>,
    seen: Set<string>,
  ): Promise<void> {
    const { out, downloader, debug } = this.#options;
    const { name, version, repository } = dependency;
    if (repository === '') {
      out(`Dependency ${name} did not declare a repository. Assuming it exists in the charts directory\n`);
      this.#checkVendored(name, version);
      return;
    }
    if (repository.startsWith('file://')) {
      if (debug) out(`Archiving ${name} from repo ${repository}\n`);
      const { chart, archive } = packChart(localFiles(this.#localPath(repository)), '');
      const { metadata } = chart;
      const test = readRange(version);
      if (typeof test === 'string')
        throw new FlagError(`dependency ${name} has an invalid version/constraint format: ${test}`);
      if (!satisfies(metadata.version, version))
        throw new FlagError(`can't get a valid version for dependency ${name}`);
      fetched.set(`${metadata.name}-${metadata.version}.tgz`, archive);
      dependency.version = metadata.version;
      return;
    }
    const registry = repository.startsWith('oci://');
    const located = registry ? undefined : await this.#find(name, version, repository);
    const key = located?.kind === 'http' ? located.url : `${repository}/${name}:${version}`;
    if (seen.has(key) && !registry) {
      out(`Already downloaded ${name} from repo ${repository}\n`);
      return;
    }
    out(`Downloading ${name} from repo ${repository}\n`);
    const shown = located?.kind === 'http' ? located.url : `${repository}/${name}`;
    try {
      const found = located ?? (await downloader.locate(shown, version));
      const { archive, fileName } = await downloader.fetch(found, this.#options.verifying, shown);
      fetched.set(fileName, archive);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      throw error.wrapped((words) => `could not download ${shown}: ${words}`);
    }
    seen.add(key);
  }

  #checkVendored(name: string, version: string): void {
    const shown = join(this.#options.chartPath, 'charts', name);
    let chart: Chart;
    try {
      chart = loadChart(localFiles(resolve(this.#options.workdir, shown)), {});
    } catch (error) {
      throw new FlagError(`unable to load chart '${shown}': ${helmMessageOf(error)}`);
    }
    const test = readRange(version);
    if (typeof test === 'string')
      throw new FlagError(`dependency ${name} has an invalid version/constraint format: ${test}`);
    if (!satisfies(chart.metadata.version, version)) {
      throw new FlagError(
        `dependency ${name} at version ${chart.metadata.version} does not satisfy the constraint ${version}`,
      );
    }
  }

  /** Where a version of a dependency is: by the index of the added repository of that URL, or by the repository's own. */
  async #find(name: string, version: string, repository: string): Promise<Located> {
    const { downloader } = this.#options;
    const failed = (words: string): string => `could not find : ${words}`;
    const entry = downloader.file.entries.find(({ url }) => isSameUrl(url, repository));
    if (!entry) {
      try {
        return await downloader.locateIn(repository, name, version, {});
      } catch (error) {
        if (!(error instanceof RegistryError)) throw error;
        throw error.wrapped((words) => failed(`chart ${name} not found in ${repository}: ${words}`));
      }
    }
    const index = downloader.cachedIndex(entry.name, (reason) => reason);
    const versions = index.entries.get(name);
    if (!versions) throw new FlagError(failed('entry not found'));
    const found = versions.find(
      (known) => known.urls.length > 0 && (version === '' || isSameVersion(version, known.version)),
    );
    if (!found) throw new FlagError(failed('no matching version'));
    const url = resolveReference(repository, found.urls[0] ?? '');
    if (url.startsWith('oci://')) return downloader.locate(url, '');
    return { kind: 'http', url, digest: found.digest, repository: { url: entry.url, access: accessOfEntry(entry) } };
  }
}

function isSameVersion(a: string, b: string): boolean {
  const [x, y] = [readVersion(a), readVersion(b)];
  if (typeof x === 'string') return a === b;
  return typeof y === 'object' && satisfiesExactly(x, y);
}

function satisfiesExactly(
  a: Exclude<ReturnType<typeof readVersion>, string>,
  b: Exclude<ReturnType<typeof readVersion>, string>,
): boolean {
  return a.major === b.major && a.minor === b.minor && a.patch === b.patch && a.pre === b.pre;
}

function outOfSync(words: string, file: string): HelmError {
  return new HelmError(chartDependencyMissing, words, {
    message: `${file} was made for other dependencies than the chart has now`,
    place: { file },
    remedies: [{ text: 'Lock the dependencies again and commit the file', paste: 'helm dependency update' }],
  });
}
