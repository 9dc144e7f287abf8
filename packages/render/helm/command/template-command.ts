import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Chart } from '../chart/chart.ts';
import { loadArchive, loadChart } from '../chart/load-chart.ts';
import { chartDependencyMissing, chartInvalid, optionRefused } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import { logLine, type Warn } from '../problems/log.ts';
import { KubeVersionError, parseKubeVersion } from '../render/capabilities.ts';
import { releaseNameOf, releaseNameProblem } from '../render/release-name.ts';
import { type RenderedChart, type RenderRequest, renderChart } from '../render/render-chart.ts';
import { withRemoteSchemas } from '../schema/remote-schemas.ts';
import { assembleValues } from '../values/assemble-values.ts';
import { valueOrigins } from '../values/value-origins.ts';
import { accessOfFlags } from './access-of-flags.ts';
import type { ChartDownloader } from './chart-downloader.ts';
import { readArguments } from './command-arguments.ts';
import type { CommandSurroundings } from './command-surroundings.ts';
import { type ExplainOptions, explainLeaves } from './explain.ts';
import { templateFlags } from './flag-tables.ts';
import { FlagError, type ParsedFlags } from './flags.ts';
import { helmPaths } from './helm-environment.ts';
import { localFiles } from './local-files.ts';
import { NotShownError, printRelease, sourced } from './print-release.ts';

/** `helm template [NAME] CHART` */
export async function template(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const shape = { name: 'helm template', usage: '[NAME] [CHART] [flags]', flags: templateFlags, least: 1 };
  const flags = readArguments(argv, shape, surroundings);
  if (!flags) return 0;
  const warn: Warn = (message, details) => surroundings.error(logLine(message, details));
  checkDryRun(flags, warn);
  const cluster = clusterOf(flags);
  const { name, chart: reference } = nameAndChart(flags);
  // The client of repositories is loaded for charts that are not here.
  const downloader = () => downloaderOf(flags, surroundings, warn);
  const location = await locate(reference, flags, surroundings, downloader);
  const remote = await remoteTexts([...flags.list('values'), ...setFilePaths(flags)], downloader);
  const assembled = assembleValues({
    files: flags.list('values').map((file) => ({ name: file, text: remote.get(file) ?? readText(file, surroundings) })),
    setJson: flags.list('set-json'),
    set: flags.list('set'),
    setString: flags.list('set-string'),
    setFile: flags.list('set-file'),
    setLiteral: flags.list('set-literal'),
    readFile: (path) => remote.get(path) ?? readText(path, surroundings),
  });
  const loaded = load(location, warn);
  checkType(loaded);
  if (loaded.metadata.deprecated) warn('this chart is deprecated');
  const missing = missingDependencies(loaded);
  if (missing.length > 0) await updateDependencies(missing, location, flags, { downloader, surroundings, warn });
  const chart = missing.length > 0 ? load(location, warn) : loaded;
  checkReleaseName(name, surroundings);
  const explain = explanationOf(flags);
  const rendered = await renderWithSchemas(
    {
      chart,
      values: assembled.values,
      origins: () => valueOrigins(chart, assembled),
      release: {
        name,
        namespace: flags.text('namespace') || surroundings.env['HELM_NAMESPACE'] || 'default',
        isUpgrade: flags.flag('is-upgrade'),
      },
      cluster,
      skipSchemaValidation: flags.flag('skip-schema-validation'),
      warn,
      trace: explain !== undefined,
      suggest: (path) => `Set ${path.join('.')} in a values file (-f) or with --set ${path.join('.')}.KEY=VALUE`,
      ...(surroundings.signal ? { signal: surroundings.signal } : {}),
    },
    downloader,
  );
  if (explain) surroundings.out(explainLeaves(rendered, chart, assembled, explain));
  else print(rendered, name, flags, surroundings);
  return 0;
}

/** Schemas that lead out of the chart are fetched, as helm does. What is logged is said once. */
async function renderWithSchemas(
  request: RenderRequest,
  downloader: () => Promise<ChartDownloader>,
): Promise<RenderedChart> {
  let logged: Parameters<Warn>[] = [];
  try {
    return await withRemoteSchemas(
      (remoteSchemas) => {
        logged = [];
        return renderChart({ ...request, remoteSchemas, warn: (...line) => logged.push(line) });
      },
      async (url) => (await downloader()).text(url),
    );
  } finally {
    for (const line of logged) request.warn?.(...line);
  }
}

/** How `--explain` is to be answered; undefined if it was not asked for. */
function explanationOf(flags: ParsedFlags): ExplainOptions | undefined {
  const format = flags.text('output');
  if (!flags.flag('explain')) {
    if (flags.has('output')) throw new FlagError('unknown flag: --output', 'It says how --explain is printed');
    return undefined;
  }
  if (format !== '' && format !== 'json' && format !== 'text')
    throw new FlagError(`invalid argument "${format}" for "-o, --output" flag: it must be text or json`);
  return {
    format: format === 'json' ? 'json' : 'text',
    showOnly: flags.list('show-only'),
    noHooks: flags.flag('no-hooks'),
  };
}

/** `helm template` always is a dry run; the flag only says where. */
function checkDryRun(flags: ParsedFlags, warn: Warn): void {
  const value = flags.text('dry-run');
  if (value === 'server')
    throw new FlagError('--dry-run=server is not supported', 'It needs a cluster; templates are rendered without one');
  if (value === '' || value === 'client') return;
  if (value === 'unset') warn("--dry-run is deprecated and should be replaced with '--dry-run=client'");
  else if (/^(1|t|T|true|TRUE|True)$/.test(value))
    warn(`boolean '--dry-run=${value}' flag is deprecated and must be replaced with '--dry-run=client'`);
  else {
    const isKnown = /^(none|0|f|F|false|FALSE|False)$/.test(value);
    const choices = isKnown ? '"server" or "client"' : '"none", "server", or "client"';
    throw new FlagError(`invalid dry-run value (${JSON.stringify(value)}). Must be ${choices}`);
  }
}

function clusterOf(flags: ParsedFlags): { kubeVersion?: string; apiVersions: readonly string[] } {
  const kubeVersion = flags.text('kube-version');
  if (kubeVersion === '') return { apiVersions: flags.list('api-versions') };
  try {
    parseKubeVersion(kubeVersion);
  } catch (error) {
    if (!(error instanceof KubeVersionError)) throw error;
    throw new HelmError(optionRefused, `invalid kube version '${kubeVersion}': ${error.message}`, {
      remedies: ['Write it as 1.34 or v1.34.2'],
    });
  }
  return { kubeVersion, apiVersions: flags.list('api-versions') };
}

function nameAndChart(flags: ParsedFlags): { name: string; chart: string } {
  const { args } = flags;
  if (args.length > 2)
    throw new FlagError(`expected at most two arguments, unexpected arguments: ${args.slice(2).join(', ')}`);
  const nameTemplate = flags.text('name-template');
  if (args.length === 2) {
    if (flags.flag('generate-name')) throw new FlagError('cannot set --generate-name and also specify a name');
    if (nameTemplate !== '') throw new FlagError('cannot set --name-template and also specify a name');
    return { name: args[0] as string, chart: args[1] as string };
  }
  const chart = args[0] as string;
  if (nameTemplate === '') return { name: 'release-name', chart };
  return { name: releaseNameOf(nameTemplate), chart };
}

function checkReleaseName(name: string, { error }: CommandSurroundings): void {
  const problem = releaseNameProblem(name);
  if (problem === undefined) return;
  error(`level=ERROR msg="release name check failed" error=${JSON.stringify(problem)}\n`);
  throw new FlagError(`release name check failed: ${problem}`);
}

/** A chart on this machine by its path, or one that was fetched. */
type Location = { readonly path: string } | { readonly archive: Buffer; readonly keptAt: string };

async function downloaderOf(
  flags: ParsedFlags,
  surroundings: CommandSurroundings,
  warn: Warn,
): Promise<ChartDownloader> {
  const { ChartDownloader } = await import('./chart-downloader.ts');
  return new ChartDownloader({
    paths: helmPaths(flags, surroundings),
    access: accessOfFlags(flags, surroundings.workdir),
    warn,
    say: surroundings.error,
    signal: surroundings.signal,
  });
}

async function locate(
  reference: string,
  flags: ParsedFlags,
  surroundings: CommandSurroundings,
  downloader: () => Promise<ChartDownloader>,
): Promise<Location> {
  const name = reference.trim();
  const repository = flags.text('repo');
  const version = (flags.text('version') || (flags.flag('devel') ? '>0.0.0-0' : '')).trim();
  const verifying = flags.flag('verify') ? 'always' : 'never';
  if (repository === '') {
    const path = resolve(surroundings.workdir, name);
    if (existsSync(path)) {
      if (flags.flag('verify')) {
        const { verifyLocal } = await import('./chart-downloader.ts');
        await verifyLocal(path, helmPaths(flags, surroundings).keyring);
      }
      return { path };
    }
    if (isAbsolute(name) || name.startsWith('.')) throw new FlagError(`path ${JSON.stringify(name)} not found`);
  }
  const found = await downloader();
  const located =
    repository === '' ? await found.locate(name, version) : await found.locateIn(repository, name, version);
  return found.fetch(located, verifying, name);
}

function load(location: Location, warn: Warn): Chart {
  const options = { warn };
  if ('archive' in location) return loadArchive(gzipped(location.archive, location.keptAt), options);
  const { path } = location;
  if (!statSync(path).isDirectory()) return loadArchive(gzipped(readFileSync(path), path), options);
  if (!existsSync(join(path, 'Chart.yaml'))) {
    const file = join(path, 'Chart.yaml');
    throw new HelmError(chartInvalid, `unable to detect chart at ${file}: open ${file}: no such file or directory`, {
      place: { file },
      remedies: ['Give the folder that holds Chart.yaml'],
    });
  }
  return loadChart(localFiles(path), options);
}

function gzipped(data: Buffer, path: string): Uint8Array {
  if (data[0] === 0x1f && data[1] === 0x8b) return data;
  const words = /\.ya?ml$/.test(path)
    ? `file '${path}' seems to be a YAML file, but expected a gzipped archive`
    : `file '${path}' does not appear to be a gzipped archive; got 'text/plain; charset=utf-8'`;
  throw new HelmError(chartInvalid, words, {
    place: { file: path },
    remedies: ['Give a chart folder or a package made by `helm package`'],
  });
}

function checkType({ metadata: { type } }: Chart): void {
  if (type !== '' && type !== 'application') throw new FlagError(`${type} charts are not installable`);
}

function missingDependencies({ metadata, dependencies }: Chart): string[] {
  return (metadata.dependencies ?? [])
    .filter(({ name }) => !dependencies.some((subchart) => subchart.name === name))
    .map(({ name }) => name);
}

async function updateDependencies(
  missing: readonly string[],
  location: Location,
  flags: ParsedFlags,
  context: { downloader: () => Promise<ChartDownloader>; surroundings: CommandSurroundings; warn: Warn },
): Promise<void> {
  const { downloader, surroundings, warn } = context;
  if (flags.flag('dependency-update')) {
    if ('archive' in location) throw new FlagError('only unpacked charts can be updated');
    const { DependencyManager } = await import('./dependency-manager.ts');
    const manager = new DependencyManager({
      downloader: await downloader(),
      chartPath: location.path,
      workdir: surroundings.workdir,
      out: surroundings.out,
      warn,
      verifying: 'never',
      skipRefresh: false,
      debug: flags.flag('debug'),
      now: () => new Date(),
      signal: surroundings.signal,
    });
    await manager.update();
    return;
  }
  throw new HelmError(
    chartDependencyMissing,
    `an error occurred while checking for chart dependencies. You may need to run 'helm dependency build' to fetch missing dependencies: found in Chart.yaml, but missing in charts/ directory: ${missing.join(', ')}`,
    {
      message: `Chart.yaml lists ${missing.join(', ')}, but charts/ does not hold it`,
      place: { file: 'Chart.yaml' },
      remedies: [
        { text: 'Fetch the dependencies and commit them, or permit their repository', paste: 'helm dependency build' },
      ],
    },
  );
}

/** What `--values` and `--set-file` name by a URL. */
async function remoteTexts(
  names: readonly string[],
  downloader: () => Promise<ChartDownloader>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const name of new Set(names)) {
    if (/^https?:\/\//i.test(name)) texts.set(name, await (await downloader()).text(name));
  }
  return texts;
}

function setFilePaths(flags: ParsedFlags): string[] {
  return flags.list('set-file').flatMap((text) => text.split(',').map((part) => part.slice(part.indexOf('=') + 1)));
}

function readText(path: string, { workdir }: CommandSurroundings): string {
  if (path.trim() === '-') return readFileSync(0, 'utf8');
  try {
    return readFileSync(resolve(workdir, path), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason =
      code === 'ENOENT'
        ? 'no such file or directory'
        : code === 'EISDIR'
          ? 'is a directory'
          : code === 'EACCES'
            ? 'permission denied'
            : String(code);
    throw new Error(code === 'EISDIR' ? `read ${path}: ${reason}` : `open ${path}: ${reason}`);
  }
}

function print(rendered: RenderedChart, name: string, flags: ParsedFlags, surroundings: CommandSurroundings): void {
  const options = {
    includeCrds: flags.flag('include-crds'),
    noHooks: flags.flag('no-hooks'),
    skipTests: flags.flag('skip-tests'),
    showOnly: flags.list('show-only'),
  };
  const folder = flags.text('output-dir');
  try {
    if (folder === '') surroundings.out(printRelease(rendered, options));
    else writeRelease(rendered, folder, flags.flag('release-name') ? name : '', options, surroundings);
  } catch (error) {
    if (error instanceof NotShownError) throw new FlagError(error.message);
    throw error;
  }
}

function writeRelease(
  rendered: RenderedChart,
  folder: string,
  release: string,
  options: { includeCrds: boolean; noHooks: boolean; skipTests: boolean; showOnly: readonly string[] },
  { out, workdir }: CommandSurroundings,
): void {
  const written = new Set<string>();
  const write = (base: string, source: string, content: string): void => {
    const path = `${base}/${source}`;
    const target = resolve(workdir, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, sourced(source, content), { flag: written.has(path) ? 'a' : 'w' });
    written.add(path);
    out(`wrote ${path}\n`);
  };
  const base = release === '' ? folder : join(folder, release);
  if (options.includeCrds) for (const { source, content } of rendered.crds) write(folder, source, content);
  for (const { source, content } of rendered.manifests) write(base, source, content);
  for (const hook of options.noHooks ? [] : rendered.hooks) {
    if (!(options.skipTests && hook.events.includes('test'))) write(base, hook.source, hook.content);
  }
  // What is in files is not in the text that helm looks through.
  const [wanted] = options.showOnly;
  if (wanted !== undefined) throw new NotShownError(`could not find template ${wanted} in chart`);
  out('\n');
}
