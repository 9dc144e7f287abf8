import { type Diagnosis, DiagnosisError, diagnose, failure } from '@tiphys/diagnosis';
import {
  assembleValues,
  type Chart,
  leafOrigins,
  loadChart,
  logText,
  type Manifest,
  memoryFiles,
  type RecordedValue,
  type RemoteSchemas,
  type RenderedChart,
  releaseNameProblem,
  renderChart,
  renderRecorded,
  valueOrigins,
} from '@tiphys/helm';
import { LimitError, TemplateError } from '@tiphys/template';
import type { DesiredObject } from '../request/desired-object.ts';
import {
  chartNotInstallable,
  chartWarning,
  dependencyMissing,
  releaseNameInvalid,
  renderTooCostly,
  tooManyObjects,
} from '../request/diagnoses.ts';
import type { FieldOrigin, WantedObject } from '../request/field-origins.ts';
import type { AskedLookup } from '../request/lookups.ts';
import { parseRendered } from '../request/parse-manifest.ts';
import { generatedFields } from './generated-fields.ts';
import { chosenName, HelmFields } from './helm-fields.ts';
import type { HelmInvocation } from './helm-options.ts';
import { otherValue } from './literal-text.ts';

export interface HelmRendering {
  readonly objects: DesiredObject[];
  readonly warnings: Diagnosis[];
  /** Every generated value that the render used; empty for charts that generate nothing. */
  readonly used: readonly RecordedValue[];
  /** Keys of those that were not among the recorded ones. */
  readonly fresh: ReadonlySet<string>;
  /** Where the fields of the object come from that was to be explained; absent if the chart does not make it. */
  readonly fields?: readonly FieldOrigin[];
}

export interface HelmRenderOptions {
  /** The chart's folder, from the root of the repository. */
  readonly folder: string;
  readonly invocation: HelmInvocation;
  /** Values that earlier renders of the release generated. */
  readonly recorded: readonly RecordedValue[];
  /** Answers what the chart looks up; undefined where there is nothing. */
  lookup(wanted: AskedLookup): unknown;
  /** Schemas outside of the chart; one that is missing ends the render with a `RemoteSchemaMissing`. */
  readonly remoteSchemas: RemoteSchemas;
  /** Objects of one source. */
  readonly maxObjects: number;
  /** Milliseconds. */
  readonly time: number;
  /** The object of which is to be told where each field comes from. */
  readonly explain?: WantedObject;
}

/** Reads a chart from its files. May be shared between renders. */
export function chartOf(files: Readonly<Record<string, Uint8Array>>, folder: string): Chart {
  return loadChart(memoryFiles(files), { path: folder });
}

/** The objects of a chart as Argo CD takes them from `helm template`: custom resource definitions, manifests, hooks. */
export function renderHelm(chart: Chart, options: HelmRenderOptions): HelmRendering {
  const { invocation, folder, recorded, explain } = options;
  checkInstallable(chart, folder);
  checkReleaseName(invocation.releaseName);
  let warnings: Diagnosis[] = [];
  const assembled = guarded(chart, folder, () => valuesOf(invocation));
  const render = (earlier: readonly RecordedValue[], trace: boolean) =>
    guarded(chart, folder, () =>
      renderRecorded(earlier, (recorder) => {
        warnings = [];
        return renderChart({
          chart,
          values: assembled.values,
          origins: () => valueOrigins(chart, assembled),
          release: { name: invocation.releaseName, namespace: invocation.namespace },
          cluster: { kubeVersion: invocation.kubeVersion, apiVersions: invocation.apiVersions },
          lookup: (wanted) => options.lookup(wanted),
          skipSchemaValidation: invocation.skipSchemaValidation,
          remoteSchemas: options.remoteSchemas,
          recorder,
          ...(trace ? { trace: true } : {}),
          limits: { time: options.time },
          warn: (message, details) =>
            warnings.push(diagnose(chartWarning, { message: logText(message, details), place: { file: folder } })),
        });
      }),
    );
  const plain = render(recorded, false);
  const { used, fresh } = plain;
  // Tracing costs: only charts that generate something pay for knowing which fields that is, and who asks where fields come from.
  const { result } = used.length > 0 || explain ? render([...recorded, ...used], true) : plain;
  const told = warnings;
  const other = used.length > 0 ? withOtherValues(used, (values) => render(values, false)) : undefined;
  warnings = told;
  const otherDocuments = other && documentsOf(other.result, invocation);
  const objects: DesiredObject[] = [];
  const explained = explain && new HelmFields(chart, valuesOf(invocation, chosenName), (name) => fileOf(name, folder));
  let fields: readonly FieldOrigin[] | undefined;
  for (const [index, document] of documentsOf(result, invocation).entries()) {
    const file = fileOf(document.source, folder);
    const parsed = [...parseRendered(document.content, file, (warning) => warnings.push(warning))];
    if (explained && 'index' in document) fields = explained.of(document, result, parsed, explain) ?? fields;
    if (used.length > 0 && 'index' in document) {
      const content = otherDocuments?.[index]?.content;
      const same = content === undefined ? undefined : [...parseRendered(content, file, () => undefined)];
      const comparable =
        same?.length === parsed.length && same.every(({ object }, at) => object.kind === parsed[at]?.object.kind);
      const made = generatedFields(
        leafOrigins(document, result, { generatedOnly: true }),
        { objects: parsed, used },
        comparable && same && other ? { objects: same, used: other.used } : undefined,
      );
      objects.push(...parsed.map((object, at) => (made[at]?.length ? { ...object, generated: made[at] } : object)));
    } else objects.push(...parsed);
    if (objects.length > options.maxObjects)
      throw new DiagnosisError(
        diagnose(tooManyObjects, {
          message: `The chart renders more than ${options.maxObjects} objects`,
          place: { file: folder },
          remedies: ['Split the application'],
        }),
      );
  }
  return { objects, warnings, used, fresh, ...(fields ? { fields } : {}) };
}

function checkReleaseName(name: string): void {
  const problem = releaseNameProblem(name);
  if (problem === undefined) return;
  throw failure(releaseNameInvalid, {
    message: `release name check failed: ${problem}`,
    place: { field: 'spec.source.helm.releaseName' },
    evidence: { length: name.length },
    remedies: [
      "Set spec.source.helm.releaseName, which is the Application's name if it is absent, to at most 53 lower-case letters, digits, - and .",
    ],
  });
}

/** The render with other values, where there are other ones that work; a chart may refuse them. */
function withOtherValues<T>(
  used: readonly RecordedValue[],
  render: (values: readonly RecordedValue[]) => T,
): T | undefined {
  try {
    return render(used.map((value) => ({ ...value, value: otherValue(value.function, value.value) ?? value.value })));
  } catch (error) {
    if (error instanceof DiagnosisError) return undefined;
    throw error;
  }
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

type Document = Manifest | { readonly source: string; readonly content: string };

function documentsOf(rendered: RenderedChart, invocation: HelmInvocation): Document[] {
  const hooks = invocation.skipTests ? rendered.hooks.filter(({ events }) => !events.includes('test')) : rendered.hooks;
  return [...(invocation.includeCrds ? rendered.crds : []), ...rendered.manifests, ...hooks];
}

/** `web/charts/db/templates/x.yaml` lies below the chart's folder, whatever the chart is called. */
function fileOf(source: string, folder: string): string {
  const inside = source.slice(source.indexOf('/') + 1);
  return folder === '' ? inside : `${folder}/${inside}`;
}

function valuesOf({ values, set, setString, setFile }: HelmInvocation, nameOf = (path: string) => path) {
  return assembleValues({
    files: values.map(({ path, text }) => ({ name: nameOf(path), text })),
    set,
    setString,
    // The files were read from the repository already: the expression names them by number.
    setFile: setFile.map(({ name }, index) => `${name}=${index}`),
    readFile: (index) => setFile[Number(index)]?.content ?? '',
  });
}

/** Places name files of the repository, not of helm's own naming; limits of templates say which chart met them. */
function guarded<T>(chart: Chart, folder: string, render: () => T): T {
  try {
    return render();
  } catch (error) {
    if (!(error instanceof DiagnosisError)) throw error;
    if (!(error instanceof TemplateError) || error.kind !== 'limit') throw placed(error, chart, folder);
    const { place } = placed(error, chart, folder).diagnosis;
    throw failure(
      renderTooCostly,
      {
        message: `The chart ${chart.name} is stopped: ${error.detail}`,
        place: { file: folder, ...place },
        remedies: ['Look at this template for endless loops or recursion'],
      },
      // On a machine with less to do it may be fast enough.
      { cause: error, ...(isTime(error) ? { handling: 'retryable' as const } : {}) },
    );
  }
}

function isTime({ inner }: TemplateError): boolean {
  return inner instanceof LimitError && inner.limit === 'time';
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
