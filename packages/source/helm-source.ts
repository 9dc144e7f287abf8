import { type Diagnosis, DiagnosisError, diagnose } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';
import { assembleValues, type Chart, loadChart, memoryFiles, type RenderedChart, renderChart } from '@tiphys/helm';
import { TemplateError } from '@tiphys/template';
import { chartWarning, renderTooCostly } from './diagnoses.ts';
import type { HelmInvocation } from './helm-options.ts';
import { parseRendered } from './parse-manifest.ts';
import type { AskedLookup } from './render-cache.ts';

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
  const warnings: Diagnosis[] = [];
  const rendered = guarded(folder, () =>
    renderChart({
      chart,
      values: valuesOf(invocation),
      release: { name: invocation.releaseName, namespace: invocation.namespace },
      cluster: { kubeVersion: invocation.kubeVersion, apiVersions: invocation.apiVersions },
      lookup: (wanted) => options.lookup(wanted),
      skipSchemaValidation: invocation.skipSchemaValidation,
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

/** Limits of templates are errors of their own; to users they are diagnoses like all others. */
function guarded<T>(folder: string, render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (error instanceof DiagnosisError || !(error instanceof TemplateError)) throw error;
    throw new DiagnosisError(
      diagnose(renderTooCostly, {
        message: `The chart is stopped: ${error.message}`,
        place: { file: folder },
        remedies: ['Look at the template for endless loops or recursion'],
      }),
      { cause: error },
    );
  }
}
