import { DiagnosisError } from '@tiphys/diagnosis';
import {
  assembleValues,
  type Chart,
  type ChartFiles,
  defaultChartLimits,
  FlagError,
  HelmError,
  loadArchive,
  loadChart,
  printRelease,
  type RenderedChart,
  readArchive,
  releaseNameOf,
  renderChart,
} from '@tiphys/helm';
import { freshRecorder, type Generation } from '@tiphys/template';
import { configured } from '../config/configured.ts';
import type { BuildContext } from '../context/build-context.ts';
import { GoError, goMessageOf, reworded, wrapped } from '../failure/go-error.ts';
import { atEntry, type Generator } from '../generate/generator.ts';
import type { HelmChart, HelmGlobals } from '../kustomization/kustomization.ts';
import type { KustomizationFile } from '../kustomization/read-kustomization.ts';
import { joinPath } from '../load/file-tree.ts';
import type { Loader } from '../load/loader.ts';
import { buildAnnotation } from '../resource/build-annotations.ts';
import { readResources } from '../resource/read-resources.ts';
import type { Stamp } from '../resource/resource.ts';
import { ResourceMap } from '../resource/resource-map.ts';
import type { Node } from '../tree/node.ts';
import { chartValues } from './chart-values.ts';

const name = 'HelmChartInflationGenerator';

/** Generators of helmCharts. Their arguments are checked here. */
export async function helmChartGenerators(
  loader: Loader,
  file: KustomizationFile,
  context: BuildContext,
): Promise<Generator[]> {
  const { helmCharts = [], helmGlobals = {} } = file.fields;
  const namespace = file.fields.namespace || context.helmNamespace;
  const generators: Generator[] = [];
  for (const [i, entry] of helmCharts.entries()) {
    const chart = !entry.namespace && namespace ? { ...entry, namespace } : entry;
    const generator = await atEntry(file, 'helmCharts', i, (line) => {
      const stamp = { origin: { file: file.file, entry: `helmCharts[${i}]` }, line };
      return configured(name, { ...helmGlobals, ...chart }, () =>
        helmChartGenerator(chart, helmGlobals, { loader, context, stamp }),
      );
    });
    generators.push({ name, generate: () => atEntry(file, 'helmCharts', i, () => generator.generate()) });
  }
  return generators;
}

interface ChartContext {
  readonly loader: Loader;
  readonly context: BuildContext;
  readonly stamp: Stamp;
}

/** The generator of one chart. Throws in Kustomize's words for arguments that it refuses. */
export async function helmChartGenerator(
  chart: HelmChart,
  globals: HelmGlobals,
  context: ChartContext,
): Promise<Generator> {
  const { loader } = context;
  if (!context.context.plugins.helm)
    throw new GoError('must specify --enable-helm', {
      remedies: ['Build with --enable-helm: add it to kustomize.buildOptions in the ConfigMap argocd-cm'],
    });
  if (!chart.name) throw new GoError('chart name cannot be empty', { remedies: ['Give the entry a name'] });
  for (const file of chart.additionalValuesFiles ?? []) {
    try {
      await loader.load(file);
    } catch (error) {
      throw wrapped(error, 'could not load additionalValuesFile');
    }
  }
  const merge = chart.valuesMerge || 'override';
  if (!['merge', 'override', 'replace'].includes(merge))
    throw new GoError('valuesMerge must be one of [merge override replace]');
  return { name, generate: () => generate({ ...chart, valuesMerge: merge }, globals, context) };
}

async function generate(chart: HelmChart, globals: HelmGlobals, context: ChartContext): Promise<ResourceMap> {
  const { loader, stamp } = context;
  const { scopes } = context.context;
  const home = globals.chartHome || 'charts';
  const versioned = chart.version && chart.repo ? `/${chart.name}-${chart.version}` : '';
  const folder = joinPath(home.startsWith('/') ? '/' : loader.root, `${home}${versioned}/${chart.name}`);
  const loaded = await loadOf(chart, globals, folder, context);
  const valuesFile = chart.valuesFile ?? joinPath(folder, 'values.yaml');
  const values = await valuesOf(valuesFile, loaded, context);
  const files = [{ name: loader.display(valuesFile), text: chartValues(chart, values, scopes) }];
  for (const file of chart.additionalValuesFiles ?? [])
    files.push({ name: loader.display(file), text: Buffer.from(await loader.load(file)).toString('utf8') });
  const rendered = render(loaded.chart, files, chart, context);
  const text = printRelease(rendered, {
    includeCrds: chart.includeCRDs ?? false,
    noHooks: chart.skipHooks ?? false,
    skipTests: chart.skipTests ?? false,
    showOnly: [],
  });
  const resources = readResources(text, stamp.origin, scopes);
  const sources = sourcesOf(text);
  for (const resource of resources) {
    locate(resource.node, sources, loader.display(folder), stamp);
    resource.setAnnotation(buildAnnotation.helmGenerated, 'true');
  }
  return new ResourceMap(resources);
}

interface Loaded {
  readonly chart: Chart;
  /** Files by their absolute path in chartHome, if the chart comes from a repository and not from the tree. */
  readonly pulled?: ReadonlyMap<string, Uint8Array>;
}

async function loadOf(
  chart: HelmChart,
  { configHome }: HelmGlobals,
  folder: string,
  { loader, context }: ChartContext,
): Promise<Loaded> {
  const found = await loader.tree.find(folder);
  try {
    if (found?.kind === 'folder') {
      const path = loader.display(folder);
      return { chart: loadChart(await filesOf(loader, found.path), { path, warn: () => undefined }) };
    }
    const { repo = '', name: chartName = '', version = '' } = chart;
    if (repo === '')
      throw new GoError(`no repo specified for pull, no chart found at ''`, {
        evidence: { 'looked for': folder },
        remedies: ['Put the chart below chartHome, or name its repository in repo'],
      });
    const { pull } = context.plugins.facts;
    if (!pull)
      throw new GoError(`the chart ${chartName} of ${repo} can not be pulled: charts are read from chartHome here`, {
        evidence: { 'looked for': folder },
        remedies: [`Pull it into ${folder} with \`helm pull --untar\`, and commit it`],
      });
    const source = { repo, name: chartName, version, devel: chart.devel ?? false };
    const archive = await pullOf(() => pull(configHome ? { ...source, configHome } : source));
    const files = readArchive(archive, defaultChartLimits);
    return {
      chart: loadArchive(archive),
      pulled: new Map(files.map((file) => [joinPath(folder, file.name), file.data])),
    };
  } catch (error) {
    throw error instanceof HelmError ? helmFailure(error) : error;
  }
}

async function pullOf(pull: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await pull();
  } catch (error) {
    if (error instanceof FlagError)
      throw new GoError(`Error: ${error.message}`, { remedies: error.remedy ? [error.remedy] : [] });
    throw error instanceof DiagnosisError ? helmFailure(error) : error;
  }
}

/** The files below a folder, read now: charts are loaded at once. */
async function filesOf(loader: Loader, folder: string): Promise<ChartFiles> {
  const { tree } = loader;
  if (!tree.list) throw new GoError('charts can not be read from this file system');
  const files = new Map<string, Uint8Array>();
  for (const path of await tree.list(folder)) {
    const found = await tree.find(`${folder}/${path}`);
    if (found?.kind === 'file') files.set(path, await tree.read(found.path));
  }
  return {
    list: () => [...files.keys()],
    read: (path) => files.get(path) ?? new Uint8Array(),
  };
}

async function valuesOf(file: string, loaded: Loaded, { loader }: ChartContext) {
  const origin = { file: loader.display(file) };
  const path = joinPath(file.startsWith('/') ? '/' : loader.root, file);
  const data = loaded.pulled?.get(path) ?? (await loader.load(file));
  return { text: Buffer.from(data).toString('utf8'), origin };
}

function render(
  chart: Chart,
  files: readonly { name: string; text: string }[],
  entry: HelmChart,
  { context }: ChartContext,
): RenderedChart {
  const { facts } = context.plugins;
  const kubeVersion = entry.kubeVersion || facts.kubeVersion;
  const apiVersions = entry.apiVersions?.length ? entry.apiVersions : facts.apiVersions;
  const request = {
    chart,
    values: assembled(files),
    release: {
      name: entry.releaseName || nameOf(entry, facts.render !== undefined) || 'release-name',
      namespace: entry.namespace || 'default',
    },
    cluster: { ...(kubeVersion ? { kubeVersion } : {}), ...(apiVersions ? { apiVersions } : {}) },
  };
  try {
    return (facts.render ?? renderChart)(request);
  } catch (error) {
    throw error instanceof HelmError ? helmFailure(error) : error;
  }
}

/** The name that nameTemplate makes. Where builds are repeated by themselves, it must come out the same each time. */
function nameOf({ nameTemplate = '' }: HelmChart, repeated: boolean): string {
  const refuse = ({ function: name }: Generation): never => {
    throw new GoError(`the nameTemplate calls ${name}, which gives another name at each build`, {
      remedies: ['Write the name in releaseName'],
    });
  };
  try {
    return releaseNameOf(nameTemplate, repeated ? { ...freshRecorder(), generate: refuse } : undefined);
  } catch (error) {
    throw error instanceof GoError ? error : new GoError(goMessageOf(error), { cause: error });
  }
}

function assembled(files: readonly { name: string; text: string }[]) {
  try {
    return assembleValues({ files }).values;
  } catch (error) {
    throw error instanceof HelmError ? helmFailure(error) : error;
  }
}

/** Helm's own failure, with its diagnosis as the cause. */
function helmFailure(error: DiagnosisError): GoError {
  const { place, remedies, evidence } = error.diagnosis;
  const words = error instanceof HelmError ? error.helmMessage : goMessageOf(error);
  return new GoError(`Error: ${words}`, {
    ...(place?.file ? { place } : {}),
    evidence: Object.fromEntries(evidence.map((item) => [item.name, item.value])),
    remedies: remedies.map((remedy) => remedy.text),
    cause: reworded(error, words),
  });
}

/** The template from which each line comes, by the comments that helm writes. */
function sourcesOf(text: string): readonly (string | undefined)[] {
  let current: string | undefined;
  return text.split('\n').map((line) => {
    const source = /^# Source: (.+)$/.exec(line)?.[1];
    if (source !== undefined) current = source.slice(source.indexOf('/') + 1);
    return current;
  });
}

/** Says of every node which template wrote it. */
function locate(node: Node, sources: readonly (string | undefined)[], folder: string, stamp: Stamp): void {
  const source = sources[node.line - 1];
  if (source !== undefined)
    node.stamped({ file: `${folder}/${source}`, entry: stamp.origin.entry ?? '', kustomization: stamp.origin.file }, 1);
}
