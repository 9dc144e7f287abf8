import {
  Budget,
  execute,
  freshRecorder,
  type Generation,
  type Limits,
  type Recorder,
  satisfies,
  TemplateError,
  type TracedText,
  Tracer,
  goValue as templateValue,
  type Value,
  type ValueMap,
} from '@tiphys/template';
import type { Chart } from '../chart/chart.ts';
import { chartFunctions, noValue } from '../functions/chart-functions.ts';
import type { Lookup, LookupRequest, RenderState } from '../functions/render-state.ts';
import { kubeVersionRefused, manifestInvalid, renderFailed, valuesInvalid } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import type { Warn } from '../problems/log.ts';
import type { RemoteSchemas } from '../schema/remote-schemas.ts';
import { validateValues } from '../schema/validate-values.ts';
import { CoalesceError, coalesceValues } from '../values/coalesce.ts';
import { processDependencies } from '../values/process-dependencies.ts';
import type { ValueOrigins } from '../values/value-origins.ts';
import { type ClusterFacts, capabilities } from './capabilities.ts';
import { type Hook, type Manifest, ManifestError, sortManifests } from './manifest.ts';
import { templateSet } from './template-cache.ts';
import { chartTemplates, type ReleaseFacts, releaseValue } from './template-data.ts';
import { templateFailure } from './template-failure.ts';
import { valuesOf } from './values-type.ts';

export interface RenderRequest {
  readonly chart: Chart;
  /** The user's values: files and --set merged. Not changed. */
  readonly values: ValueMap;
  readonly release: ReleaseFacts;
  readonly cluster?: ClusterFacts;
  /** Answers `lookup`; empty answers without one. */
  readonly lookup?: Lookup;
  /** Source of randomness and time; fresh for each render without one. */
  readonly recorder?: Recorder;
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  /** Follow values into the output, for `traces` of the result and `leafOrigins`. The output is the same without. */
  readonly trace?: boolean;
  readonly skipSchemaValidation?: boolean;
  /** Schemas outside of the chart: see `withRemoteSchemas`. Without, a `$ref` that leads there is refused. */
  readonly remoteSchemas?: RemoteSchemas;
  readonly warn?: Warn;
  /** Where values were given, for what a schema refuses. */
  readonly origins?: () => ValueOrigins;
  /** Where a values path is set, for remedies. */
  readonly suggest?: (path: readonly string[]) => string | undefined;
}

export interface RenderedChart {
  /** In the order in which Helm installs them. */
  readonly manifests: readonly Manifest[];
  readonly hooks: readonly Hook[];
  /** Custom resource definitions of `crds/` folders, as they are. */
  readonly crds: readonly { readonly source: string; readonly content: string }[];
  readonly notes: string;
  /** What was read besides templates and values: files and patterns through `.Files`, and what was looked up. */
  readonly reads: {
    readonly files: readonly string[];
    readonly globs: readonly string[];
    readonly lookups: readonly LookupRequest[];
  };
  /** With `trace`: what the output of each template is made of, by its path. `leafOrigins` reads it. */
  readonly traces: ReadonlyMap<string, TracedText>;
  /** Uses of randomness and time, in order. Without any no field holds a generated value, and no trace is needed to know it. */
  readonly generations: readonly Generation[];
  /** The values with which the chart was rendered. */
  readonly values: ValueMap;
}

const notesFile = 'NOTES.txt';

/** Renders a chart as `helm template` does. Throws `HelmError`. The chart may be shared between renders. */
export function renderChart(request: RenderRequest): RenderedChart {
  const warn: Warn = request.warn ?? (() => undefined);
  const { chart, values } = prepare(request, warn);
  const { value: capabilitiesValue, kubeVersion } = capabilities(request.cluster ?? {});
  if (!request.skipSchemaValidation)
    validateValues(chart, values, {
      warn,
      ...(request.remoteSchemas ? { remoteSchemas: request.remoteSchemas } : {}),
      ...(request.origins ? { origins: request.origins } : {}),
    });
  const wanted = chart.metadata.kubeVersion;
  if (wanted !== '' && !satisfies(kubeVersion.normalized, wanted)) {
    throw new HelmError(
      kubeVersionRefused,
      `chart requires kubeVersion: ${wanted} which is incompatible with Kubernetes ${kubeVersion.version}`,
      { place: { file: 'Chart.yaml' }, remedies: ['Use a version of the chart that supports this cluster'] },
    );
  }
  const reads = new Reads(request.lookup);
  const templates = chartTemplates(chart, {
    release: releaseValue(request.release),
    capabilities: capabilitiesValue,
    values,
    reads: (path) => (read) => reads.file(path, read),
  });
  const { rendered, traces, generations } = executeAll(templates, reads, request);
  const notes = rendered.get(`${chart.name}/templates/${notesFile}`) ?? '';
  for (const name of rendered.keys()) if (name.endsWith(notesFile)) rendered.delete(name);
  return {
    ...sorted(rendered, warn),
    crds: crdsOf(chart, chart.name),
    notes,
    reads: reads.result(),
    traces,
    generations,
    values,
  };
}

function prepare(request: RenderRequest, warn: Warn): { chart: Chart; values: ValueMap } {
  const refuse = (error: unknown, prefix: string): never => {
    if (!(error instanceof CoalesceError)) throw error;
    throw new HelmError(valuesInvalid, `${prefix}${error.message}`, {
      remedies: ['Give the subchart a table of values under its name'],
    });
  };
  let chart: Chart;
  try {
    chart = processDependencies(request.chart, request.values, warn);
  } catch (error) {
    if (error instanceof CoalesceError)
      warn('chart dependencies processing failed', { level: 'ERROR', attributes: { error: error.message } });
    return refuse(error, 'chart dependencies processing failed: ');
  }
  try {
    return { chart, values: coalesceValues(chart, request.values, warn) };
  } catch (error) {
    return refuse(error, '');
  }
}

/** Collects what a render depends on. */
class Reads {
  readonly #files = new Set<string>();
  readonly #globs = new Set<string>();
  readonly #lookups = new Map<string, LookupRequest>();
  readonly #lookup: Lookup | undefined;

  constructor(lookup: Lookup | undefined) {
    this.#lookup = lookup;
  }

  file(path: string, read: { file: string } | { glob: string }): void {
    const inside = (name: string): string => (path === '' ? name : `${path}/${name}`);
    if ('file' in read) this.#files.add(inside(read.file));
    else this.#globs.add(inside(read.glob));
  }

  lookup(request: LookupRequest): Value {
    this.#lookups.set(JSON.stringify(request), request);
    const found = this.#lookup?.(request);
    return found === undefined || found === null ? new Map() : templateValue(found);
  }

  result(): RenderedChart['reads'] {
    return { files: [...this.#files].sort(), globs: [...this.#globs].sort(), lookups: [...this.#lookups.values()] };
  }
}

function executeAll(templates: ReturnType<typeof chartTemplates>, reads: Reads, request: RenderRequest) {
  const rendered = new Map<string, string>();
  const traces = new Map<string, TracedText>();
  const generations: Generation[] = [];
  const tracer = request.trace ? new Tracer() : undefined;
  const host: RenderState = { included: new Map(), lookups: (wanted) => reads.lookup(wanted) };
  const budget = new Budget({
    ...(request.limits ? { limits: request.limits } : {}),
    ...(request.signal ? { signal: request.signal } : {}),
  });
  const options = {
    functions: chartFunctions,
    missingKey: 'zero' as const,
    budget,
    host,
    recorder: listing(request.recorder ?? freshRecorder(), generations),
  };
  try {
    const set = templateSet(request.chart, templates);
    for (const { name, basePath, data, scope } of templates) {
      if (name.slice(name.lastIndexOf('/') + 1).startsWith('_')) continue;
      data.set(
        'Template',
        valuesOf(
          new Map([
            ['Name', name],
            ['BasePath', basePath],
          ]),
        ),
      );
      const { text, trace } = execute(
        set,
        name,
        valuesOf(data),
        tracer ? { ...options, trace: { tracer, scope } } : options,
      );
      const hasNothing = text.includes(noValue);
      rendered.set(name, hasNothing ? text.replaceAll(noValue, '') : text);
      if (trace) traces.set(name, hasNothing ? trace.without(noValue) : trace);
    }
  } catch (error) {
    if (error instanceof RangeError) throw beyondRuntime(error);
    if (!(error instanceof TemplateError) || error.kind === 'limit' || error.kind === 'cancelled') throw error;
    throw templateFailure(error, request.suggest ? { suggest: request.suggest } : {});
  }
  return { rendered, traces, generations };
}

/** The recorder, keeping a list of what was asked of it. */
function listing(recorder: Recorder, generations: Generation[]): Recorder {
  return {
    randomBytes: (length) => recorder.randomBytes(length),
    now: () => recorder.now(),
    generate(generation, make) {
      generations.push(generation);
      return recorder.generate(generation, make);
    },
  };
}

/** A text or a nesting beyond what the runtime itself can hold. */
function beyondRuntime(error: RangeError): HelmError {
  return new HelmError(
    renderFailed,
    `rendering template failed: ${error.message}`,
    {
      message: 'A template builds a text that is too long, or calls itself too deeply',
      remedies: ['Look for loops that double a text'],
    },
    error,
  );
}

function sorted(rendered: ReadonlyMap<string, string>, warn: Warn): { manifests: Manifest[]; hooks: Hook[] } {
  try {
    return sortManifests(rendered, warn);
  } catch (error) {
    if (!(error instanceof ManifestError)) throw error;
    const inner = error.yaml?.diagnosis;
    throw new HelmError(
      manifestInvalid,
      error.message,
      {
        message: `The output of ${error.source} is not a Kubernetes object: ${inner?.message ?? error.message}`,
        place: { file: error.source },
        evidence: [
          ...(inner?.place?.line ? [{ name: 'line of the output', value: String(inner.place.line) }] : []),
          ...(inner?.evidence ?? []),
        ],
        remedies: ['Look at the output above: most often an indentation, or a value that needs `quote` or `toYaml`'],
      },
      error,
    );
  }
}

function crdsOf(chart: Chart, path: string): { source: string; content: string }[] {
  const own = chart.files.filter(({ name }) => name.startsWith('crds/') && /\.(ya?ml|json)$/i.test(name));
  return [
    ...own.map(({ name, data }) => ({ source: `${path}/${name}`, content: Buffer.from(data).toString('utf8') })),
    ...chart.dependencies.flatMap((child) => crdsOf(child, `${path}/charts/${child.name}`)),
  ];
}
