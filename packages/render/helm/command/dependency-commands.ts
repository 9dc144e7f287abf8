import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { readRange, readVersion } from '@tiphys/template';
import type { Chart, ChartDependency } from '../chart/chart.ts';
import { loadArchive, loadChart } from '../chart/load-chart.ts';
import { HelmError } from '../problems/helm-error.ts';
import { logLine, type Warn } from '../problems/log.ts';
import { accessOfFlags } from './access-of-flags.ts';
import { ChartDownloader, type Verifying } from './chart-downloader.ts';
import { readArguments } from './command-arguments.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { DependencyManager } from './dependency-manager.ts';
import { dependencyFlags, dependencyListFlags } from './flag-tables.ts';
import type { ParsedFlags } from './flags.ts';
import { FlagError } from './flags.ts';
import { helmPaths } from './helm-environment.ts';
import { localFiles } from './local-files.ts';
import { printTable } from './print-table.ts';

/** `helm dependency build CHART` */
export async function dependencyBuild(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm dependency build', usage: 'CHART [flags]', flags: dependencyFlags, least: 0, most: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (flags) await managerOf(flags, surroundings, 'possible').build();
  return 0;
}

/** `helm dependency update CHART` */
export async function dependencyUpdate(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm dependency update', usage: 'CHART [flags]', flags: dependencyFlags, least: 0, most: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (flags) await managerOf(flags, surroundings, 'always').update();
  return 0;
}

function managerOf(flags: ParsedFlags, surroundings: CommandSurroundings, verifying: Verifying): DependencyManager {
  const { out, error, workdir, signal } = surroundings;
  const warn: Warn = (message, details) => error(logLine(message, details));
  const downloader = new ChartDownloader({
    paths: helmPaths(flags, surroundings),
    access: accessOfFlags(flags, workdir),
    warn,
    say: out,
    signal,
  });
  return new DependencyManager({
    downloader,
    chartPath: normalize(flags.args[0] ?? '.').replace(/(.)\/$/, '$1'),
    workdir,
    out,
    warn,
    verifying: flags.flag('verify') ? verifying : 'never',
    skipRefresh: flags.flag('skip-refresh'),
    debug: flags.flag('debug'),
    now: () => new Date(),
    signal,
  });
}

/** `helm dependency list CHART` */
export async function dependencyList(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm dependency list', usage: 'CHART [flags]', flags: dependencyListFlags, least: 0, most: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const { out, workdir } = surroundings;
  const width = flags.text('max-col-width') === '' ? 80 : Number(flags.text('max-col-width'));
  if (!Number.isSafeInteger(width) || width < 0) {
    const value = JSON.stringify(flags.text('max-col-width'));
    throw new FlagError(
      `invalid argument ${value} for "--max-col-width" flag: strconv.ParseUint: parsing ${value}: invalid syntax`,
    );
  }
  const shown = normalize(flags.args[0] ?? '.').replace(/(.)\/$/, '$1');
  const path = resolve(workdir, shown);
  const chart = loadAny(path, shown);
  const { dependencies } = chart.metadata;
  if (!dependencies) {
    out(`WARNING: no dependencies at ${join(shown, 'charts')}\n`);
    return 0;
  }
  const rows = dependencies.map((dependency) => [
    dependency.name,
    dependency.version,
    dependency.repository,
    statusOf(dependency, path, chart),
  ]);
  out(`${printTable([['NAME', 'VERSION', 'REPOSITORY', 'STATUS'], ...rows], width)}\n\n`);
  for (const line of unlisted(path, shown, dependencies)) out(line);
  return 0;
}

function loadAny(path: string, shown: string): Chart {
  if (!existsSync(path)) throw new FlagError(`stat ${shown}: no such file or directory`);
  if (!statSync(path).isDirectory()) return loadArchive(readFileSync(path));
  return loadChart(localFiles(path));
}

function statusOf(dependency: ChartDependency, path: string, parent: Chart): string {
  const charts = join(path, 'charts');
  const archives =
    existsSync(charts) && statSync(charts).isDirectory()
      ? readdirSync(charts).filter((file) => file.startsWith(`${dependency.name}-`) && file.endsWith('.tgz'))
      : [];
  const versioned = archives.filter((file) => {
    const version = file.slice(dependency.name.length + 1, -'.tgz'.length);
    return /^\d+\.\d+\.\d+/.test(version) && typeof readVersion(version) === 'object';
  });
  if (archives.length > 1 && versioned.length > 1) return 'too many matches';
  const [archive] = archives.length === 1 ? archives : versioned;
  if (archive !== undefined) return archiveStatus(join(charts, archive), dependency);
  const subchart = parent.dependencies.findLast(({ name }) => name === dependency.name);
  if (!subchart) return 'missing';
  return versionFault(subchart, dependency) ?? 'unpacked';
}

function archiveStatus(path: string, dependency: ChartDependency): string {
  let chart: Chart;
  try {
    chart = loadArchive(readFileSync(path));
  } catch (error) {
    if (error instanceof HelmError) return 'corrupt';
    throw error;
  }
  if (chart.name !== dependency.name) return 'misnamed';
  return versionFault(chart, dependency) ?? 'ok';
}

function versionFault({ metadata }: Chart, { version }: ChartDependency): string | undefined {
  if (metadata.version === version) return undefined;
  const test = readRange(version);
  const found = readVersion(metadata.version);
  if (typeof test === 'string' || typeof found === 'string') return 'invalid version';
  return test(found) ? undefined : 'wrong version';
}

/** Warnings of charts that are in charts/ and not in Chart.yaml. */
function unlisted(path: string, shown: string, dependencies: readonly ChartDependency[]): string[] {
  const charts = join(path, 'charts');
  if (!existsSync(charts)) return [];
  const lines: string[] = [];
  for (const entry of readdirSync(charts, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!entry.isDirectory() && !entry.name.endsWith('.tgz')) continue;
    const name = JSON.stringify(join(shown, 'charts', entry.name));
    try {
      const chart = loadAny(join(charts, entry.name), entry.name);
      if (!dependencies.some((dependency) => dependency.name === chart.name))
        lines.push(`WARNING: ${name} is not in Chart.yaml.\n`);
    } catch (error) {
      if (!(error instanceof HelmError)) throw error;
      lines.push(`WARNING: ${name} is not a chart.\n`);
    }
  }
  return lines;
}
