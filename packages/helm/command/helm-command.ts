import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { DiagnosisError, explainDiagnosis } from '@tiphys/diagnosis';
import { execute, parse, sprigFunctions, TemplateSet } from '@tiphys/template';
import type { Chart } from '../chart/chart.ts';
import { loadArchive, loadChart } from '../chart/load-chart.ts';
import { chartDependencyMissing, chartInvalid, optionRefused } from '../diagnoses.ts';
import { HelmError, helmMessageOf } from '../helm-error.ts';
import { logLine, type Warn } from '../log.ts';
import { KubeVersionError, parseKubeVersion } from '../render/capabilities.ts';
import { type RenderedChart, renderChart } from '../render/render-chart.ts';
import { assembleValues } from '../values/assemble-values.ts';
import { explainLeaves } from './explain.ts';
import { FlagError, type ParsedFlags, parseFlags } from './flags.ts';
import { localFiles } from './local-files.ts';
import { NotShownError, printRelease, sourced } from './print-release.ts';

export interface CommandSurroundings {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
  /** Folder against which paths count. */
  readonly workdir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

const usage = 'Usage:  helm template [NAME] [CHART] [flags]\n';

/** Runs `helm template …` as helm does: output and errors in its words; resolves to its exit code. */
export async function helmCommand(argv: readonly string[], surroundings: CommandSurroundings): Promise<number> {
  const [command, ...rest] = argv;
  if (command !== 'template') {
    surroundings.error(
      `Error: unknown command ${JSON.stringify(command ?? '')} for "helm"\nOnly \`helm template\` is built in; for the rest use helm itself.\n`,
    );
    return 1;
  }
  try {
    return template(rest, surroundings);
  } catch (error) {
    return report(error, surroundings);
  }
}

function report(error: unknown, { error: print }: CommandSurroundings): number {
  const suffix =
    error instanceof HelmError &&
    ['HelmRenderFailed', 'HelmManifestInvalid', 'ChartKubeVersionMismatch'].includes(error.diagnosis.code);
  print(`Error: ${helmMessageOf(error)}${suffix ? '\n\nUse --debug flag to render out invalid YAML' : ''}\n`);
  if (error instanceof FlagError && error.remedy) print(`${error.remedy}\n`);
  if (error instanceof DiagnosisError) print(`\n${explainDiagnosis(error.diagnosis)}\n`);
  return 1;
}

function template(argv: readonly string[], surroundings: CommandSurroundings): number {
  const flags = parseFlags(argv);
  for (const line of flags.deprecations) surroundings.error(line);
  if (flags.flag('help')) {
    surroundings.out(usage);
    return 0;
  }
  if (flags.args.length === 0)
    throw new FlagError(`"helm template" requires at least 1 argument\n\n${usage.trimEnd()}`);
  const cluster = clusterOf(flags);
  const { name, chart: reference } = nameAndChart(flags);
  const warn: Warn = (message, details) => surroundings.error(logLine(message, details));
  const location = locate(reference, flags, surroundings);
  const assembled = assembleValues({
    files: flags.list('values').map((file) => ({ name: file, text: readText(file, surroundings) })),
    setJson: flags.list('set-json'),
    set: flags.list('set'),
    setString: flags.list('set-string'),
    setFile: flags.list('set-file'),
    setLiteral: flags.list('set-literal'),
    readFile: (path) => readText(path, surroundings),
  });
  const chart = load(location, warn);
  checkInstallable(chart, flags);
  checkReleaseName(name, surroundings);
  if (chart.metadata.deprecated) warn('this chart is deprecated');
  const explain = flags.flag('explain');
  const rendered = renderChart({
    chart,
    values: assembled.values,
    release: {
      name,
      namespace: flags.text('namespace') || surroundings.env['HELM_NAMESPACE'] || 'default',
      isUpgrade: flags.flag('is-upgrade'),
    },
    cluster,
    skipSchemaValidation: flags.flag('skip-schema-validation'),
    warn,
    trace: explain,
    suggest: (path) => `Set ${path.join('.')} in a values file (-f) or with --set ${path.join('.')}.KEY=VALUE`,
    ...(surroundings.signal ? { signal: surroundings.signal } : {}),
  });
  if (explain) surroundings.out(explainLeaves(rendered, chart, assembled));
  else print(rendered, name, flags, surroundings);
  return 0;
}

function clusterOf(flags: ParsedFlags): { kubeVersion?: string; apiVersions: readonly string[] } {
  const kubeVersion = flags.text('kube-version');
  const dryRun = flags.text('dry-run');
  if (dryRun === 'server')
    throw new FlagError('--dry-run=server is not supported', 'It needs a cluster; templates are rendered without one');
  if (dryRun !== '' && dryRun !== 'client')
    throw new FlagError(`invalid dry-run value (${JSON.stringify(dryRun)}). Must be "none", "server", or "client"`);
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
  const set = new TemplateSet();
  set.add(parse('name-template', nameTemplate, { functions: sprigFunctions }));
  return { name: execute(set, 'name-template', null, { functions: sprigFunctions }).text, chart };
}

const validName = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

function checkReleaseName(name: string, { error }: CommandSurroundings): void {
  if (name !== '' && name.length <= 53 && validName.test(name)) return;
  const reason =
    name === ''
      ? 'no name provided'
      : `invalid release name, must match regex ${validName.source} and the length must not be longer than 53`;
  const words = `release name ${JSON.stringify(name)}: ${reason}`;
  error(`level=ERROR msg="release name check failed" error=${JSON.stringify(words)}\n`);
  throw new FlagError(`release name check failed: ${words}`);
}

function locate(reference: string, flags: ParsedFlags, { workdir }: CommandSurroundings): string {
  const name = reference.trim();
  if (flags.text('repo') !== '' || name.startsWith('oci://') || /^https?:/.test(name)) {
    throw new FlagError(
      `charts are not downloaded by this command yet: ${name}`,
      'Run `helm pull --untar` and give the folder',
    );
  }
  const path = resolve(workdir, name);
  if (existsSync(path)) return path;
  if (isAbsolute(name) || name.startsWith('.')) throw new FlagError(`path ${JSON.stringify(name)} not found`);
  if (!name.includes('/'))
    throw new FlagError(`non-absolute URLs should be in form of repo_name/path_to_chart, got: ${name}`);
  throw new FlagError(`repo ${name.split('/')[0]} not found`);
}

function load(path: string, warn: Warn): Chart {
  const options = { warn };
  if (!statSync(path).isDirectory()) return loadArchive(archiveBytes(path), options);
  if (!existsSync(join(path, 'Chart.yaml'))) {
    const file = join(path, 'Chart.yaml');
    throw new HelmError(chartInvalid, `unable to detect chart at ${file}: open ${file}: no such file or directory`, {
      place: { file },
      remedies: ['Give the folder that holds Chart.yaml'],
    });
  }
  return loadChart(localFiles(path), options);
}

function archiveBytes(path: string): Uint8Array {
  const data = readFileSync(path);
  if (data[0] === 0x1f && data[1] === 0x8b) return data;
  const words = /\.ya?ml$/.test(path)
    ? `file '${path}' seems to be a YAML file, but expected a gzipped archive`
    : `file '${path}' does not appear to be a gzipped archive; got 'text/plain; charset=utf-8'`;
  throw new HelmError(chartInvalid, words, {
    place: { file: path },
    remedies: ['Give a chart folder or a package made by `helm package`'],
  });
}

function checkInstallable(chart: Chart, flags: ParsedFlags): void {
  const { type, dependencies = [] } = chart.metadata;
  if (type !== '' && type !== 'application') throw new FlagError(`${type} charts are not installable`);
  const missing = dependencies
    .filter(({ name }) => !chart.dependencies.some((subchart) => subchart.name === name))
    .map(({ name }) => name);
  if (missing.length === 0) return;
  if (flags.flag('dependency-update'))
    throw new FlagError('--dependency-update is not supported', 'Run `helm dependency build` in the chart first');
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
  options: { includeCrds: boolean; noHooks: boolean; skipTests: boolean },
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
  out('\n');
  if (options.noHooks) return;
  for (const hook of rendered.hooks) {
    if (!(options.skipTests && hook.events.includes('test'))) write(base, hook.source, hook.content);
  }
}
