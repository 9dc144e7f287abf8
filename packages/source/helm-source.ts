import { type Diagnosis, DiagnosisError, diagnose, failure } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';
import { assembleValues, type Chart, loadChart, memoryFiles, type RenderedChart, renderChart } from '@tiphys/helm';
import { TemplateError } from '@tiphys/template';
import { chartNotInstallable, chartWarning, dependencyMissing, renderTooCostly } from './diagnoses.ts';
import type { HelmInvocation } from './helm-options.ts';
import { parseRendered } from './parse-manifest.ts';
import type { AskedLookup } from './render-cache.ts';

/** Milliseconds of one render: nobody else is served meanwhile. */
const renderTime = 10_000;

export interface HelmRendering {
  readonly objects: DesiredObject[];
  readonly warnings: Diagnosis[];
}

export interface HelmRenderOptions {
  /** The chart's folder, from the root of the repository. */
  readonly folder: string;
  readonly invocation: HelmInvocation;
  /** Answers what the chart looks up; undefined where there is nothing. */
  lookup(wanted: AskedLookup): unknown;
  /** Objects of one source. */
  readonly maxObjects: number;
}

/** Reads a chart from its files. May be shared between renders. */
export function chartOf(files: Readonly<Record<string, Uint8Array>>, folder: string): Chart {
  return loadChart(memoryFiles(files), { path: folder });
}

/** The objects of a chart as Argo CD takes them from `helm template`: custom resource definitions, manifests, hooks. */
export function renderHelm(chart: Chart, options: HelmRenderOptions): HelmRendering {
  const { invocation, folder } = options;
  checkInstallable(chart, folder);
  const warnings: Diagnosis[] = [];
  const rendered = guarded(chart, folder, () =>
    renderChart({
      chart,
      values: valuesOf(invocation),
      release: { name: invocation.releaseName, namespace: invocation.namespace },
      cluster: { kubeVersion: invocation.kubeVersion, apiVersions: invocation.apiVersions },
      lookup: (wanted) => options.lookup(wanted),
      skipSchemaValidation: invocation.skipSchemaValidation,
      limits: { time: renderTime },
      warn: (message) => warnings.push(diagnose(chartWarning, { message, place: { file: folder } })),
    }),
  );
  const objects: DesiredObject[] = [];
  for (const { source, content } of documentsOf(rendered, invocation)) {
    const file = fileOf(source, folder);
    objects.push(...parseRendered(content, file, (warning) => warnings.push(warning)));
    if (objects.length > options.maxObjects)
      throw new DiagnosisError(
        diagnose(renderTooCostly, {
          message: `The chart renders more than ${options.maxObjects} objects`,
          place: { file: folder },
          remedies: ['Split the application'],
        }),
      );
  }
  return { objects, warnings };
}

/** Helm's own conditions for what it renders; a dependency left out would be objects left out. */
function checkInstallable({ metadata, dependencies }: Chart, folder: string): void {
  const place = { file: folder === '' ? 'Chart.yaml' : `${folder}/Chart.yaml` };
  if (metadata.type !== '' && metadata.type !== 'application') {
    throw failure(chartNotInstallable, {
      message: `The chart ${metadata.name} is of type ${metadata.type} and cannot be rendered by itself`,
      place,
      remedies: ['Set path to a chart of type application that uses it'],
    });
  }
  const held = new Set(dependencies.map(({ name }) => name));
  const missing = (metadata.dependencies ?? []).filter(({ name }) => !held.has(name));
  if (missing.length === 0) return;
  throw failure(dependencyMissing, {
    message: `Chart.yaml lists ${missing.map(({ name }) => name).join(', ')}, but the folder charts/ does not hold it; dependencies are not fetched yet`,
    place,
    evidence: Object.fromEntries(missing.map(({ name, version, repository }) => [name, `${version} of ${repository}`])),
    remedies: [
      {
        text: 'Fetch the dependencies and commit the folder charts/',
        paste: `helm dependency build ${folder || '.'} && git add -f ${folder ? `${folder}/` : ''}charts`,
      },
    ],
  });
}

function documentsOf(rendered: RenderedChart, invocation: HelmInvocation): { source: string; content: string }[] {
  const hooks = invocation.skipTests ? rendered.hooks.filter(({ events }) => !events.includes('test')) : rendered.hooks;
  return [...(invocation.includeCrds ? rendered.crds : []), ...rendered.manifests, ...hooks];
}

/** `web/charts/db/templates/x.yaml` lies below the chart's folder, whatever the chart is called. */
function fileOf(source: string, folder: string): string {
  const inside = source.slice(source.indexOf('/') + 1);
  return folder === '' ? inside : `${folder}/${inside}`;
}

function valuesOf({ values, set, setString, setFile }: HelmInvocation) {
  return assembleValues({
    files: values.map(({ path, text }) => ({ name: path, text })),
    set,
    setString,
    // The files were read from the repository already: the expression names them by number.
    setFile: setFile.map(({ name }, index) => `${name}=${index}`),
    readFile: (index) => setFile[Number(index)]?.content ?? '',
  }).values;
}

/** Places name files of the repository, not of helm's own naming; limits of templates are diagnoses like all others. */
function guarded<T>(chart: Chart, folder: string, render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (error instanceof DiagnosisError) throw placed(error, chart, folder);
    if (!(error instanceof TemplateError)) throw error;
    const stopped = diagnose(renderTooCostly, {
      message: `The chart is stopped: ${error.message}`,
      place: { file: folder },
      remedies: ['Look at the template for endless loops or recursion'],
    });
    throw new DiagnosisError(stopped, { cause: error });
  }
}

function placed(error: DiagnosisError, chart: Chart, folder: string): DiagnosisError {
  const { diagnosis, handling } = error;
  const { place } = diagnosis;
  if (!place?.file?.startsWith(`${chart.name}/`)) return error;
  return new DiagnosisError(
    { ...diagnosis, place: { ...place, file: fileOf(place.file, folder) } },
    { handling, cause: error },
  );
}
