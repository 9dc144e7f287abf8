import type { KubeObject, ObjectMeta } from '@tiphys/kubernetes';
import { invalidAnalysis } from './model/diagnoses.ts';
import type {
  AnalysisRun,
  AnalysisTemplate,
  AnalysisTemplateSpec,
  Argument,
  DryRun,
  MeasurementRetention,
  Metric,
} from './model/types.ts';

/** Templates of one analysis, namespaced and cluster-wide; names are looked at within each list. */
export interface TemplateSet {
  readonly templates: readonly AnalysisTemplate[];
  readonly clusterTemplates: readonly AnalysisTemplate[];
}

/** Templates without those whose name came before in the same list. */
export function uniqueTemplates({ templates, clusterTemplates }: TemplateSet): TemplateSet {
  return { templates: firstOfName(templates), clusterTemplates: firstOfName(clusterTemplates) };
}

function firstOfName(templates: readonly AnalysisTemplate[]): AnalysisTemplate[] {
  const seen = new Set<string>();
  return templates.filter(({ metadata }) => {
    const name = metadata.name ?? '';
    return !seen.has(name) && seen.add(name);
  });
}

/**
 * One spec of several templates, the namespaced ones first. Throws for two metrics, dry-run or retention rules of one name,
 * and for an argument with two values.
 */
export function flattenTemplates(set: TemplateSet): Required<Omit<AnalysisTemplateSpec, 'templates'>> {
  const specs = [...set.templates, ...set.clusterTemplates].map(({ spec }) => spec);
  return {
    metrics: distinctMetrics(specs.flatMap(({ metrics }) => metrics ?? [])),
    dryRun: distinctRules(
      specs.flatMap(({ dryRun }) => dryRun ?? []),
      'Dry-Run',
    ),
    measurementRetention: distinctRules(
      specs.flatMap(({ measurementRetention }) => measurementRetention ?? []),
      'Measurement Retention',
    ),
    args: combineArguments(specs.flatMap(({ args }) => args ?? [])),
  };
}

function distinctMetrics(metrics: readonly Metric[]): Metric[] {
  const twice = repeatedName(metrics.map(({ name }) => name));
  if (twice !== undefined) throw invalidAnalysis(`two metrics have the same name '${twice}'`);
  return [...metrics];
}

function distinctRules<T extends { metricName: string }>(rules: readonly T[], what: string): T[] {
  const twice = repeatedName(rules.map(({ metricName }) => metricName));
  if (twice !== undefined) throw invalidAnalysis(`two ${what} metric rules have the same name '${twice}'`);
  return [...rules];
}

function repeatedName(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return names.find((name) => seen.has(name) || !seen.add(name));
}

function combineArguments(args: readonly Argument[]): Argument[] {
  const combined = new Map<string, Argument>();
  for (const arg of args) {
    const earlier = combined.get(arg.name);
    if (earlier?.value !== undefined && arg.value !== undefined && earlier.value !== arg.value)
      throw invalidAnalysis(
        `Argument \`${arg.name}\` specified multiple times with different values: '${earlier.value}', '${arg.value}'`,
      );
    if (earlier?.value === undefined) combined.set(arg.name, arg);
  }
  return [...combined.values()];
}

/** The template's arguments with the values of the incoming ones; what the template does not declare is left out. */
export function mergeArguments(incoming: readonly Argument[], declared: readonly Argument[]): Argument[] {
  const merged = new Map(declared.map((arg) => [arg.name, arg]));
  for (const { name, value, valueFrom } of incoming) {
    const arg = merged.get(name);
    if (!arg) continue;
    if (value !== undefined) merged.set(name, { ...arg, value });
    else if (valueFrom !== undefined) merged.set(name, { ...arg, valueFrom });
  }
  for (const { name, value, valueFrom } of merged.values()) {
    if (value === undefined && valueFrom === undefined)
      throw invalidAnalysis(`args.${name} was not resolved`, [
        `Give ${name} a value in the args of who asks for the analysis, or a default value in the args of its template`,
      ]);
  }
  return [...merged.values()];
}

export interface NewAnalysisRun extends TemplateSet {
  readonly args: readonly Argument[];
  readonly dryRun?: readonly DryRun[];
  readonly measurementRetention?: readonly MeasurementRetention[];
  readonly metadata: ObjectMeta;
}

/** The AnalysisRun of templates (nested ones already among them) and of what the owner adds. Throws what makes it invalid. */
export function analysisRunFromTemplates(wanted: NewAnalysisRun): AnalysisRun {
  const spec = flattenTemplates(wanted);
  const args = mergeArguments(wanted.args, spec.args);
  const dryRun = distinctRules([...(wanted.dryRun ?? []), ...spec.dryRun], 'Dry-Run');
  const measurementRetention = distinctRules(
    [...(wanted.measurementRetention ?? []), ...spec.measurementRetention],
    'Measurement Retention',
  );
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisRun',
    metadata: wanted.metadata,
    spec: {
      metrics: spec.metrics,
      ...(args.length > 0 ? { args } : {}),
      ...(dryRun.length > 0 ? { dryRun } : {}),
      ...(measurementRetention.length > 0 ? { measurementRetention } : {}),
    },
  };
}

/** Finds a template by name; undefined if it does not exist. */
export type FindTemplate = (name: string, clusterScope: boolean) => AnalysisTemplate | undefined;

/**
 * The templates of references with those they refer to, each once, in the order of the references and depth first. A template
 * that refers to itself on the way is taken once. Throws for a template that does not exist.
 */
export function gatherTemplates(
  references: readonly { templateName: string; clusterScope?: boolean }[],
  find: FindTemplate,
): TemplateSet {
  const set = { templates: [] as AnalysisTemplate[], clusterTemplates: [] as AnalysisTemplate[] };
  const seen = new Set<string>();
  const visit = ({ templateName, clusterScope = false }: { templateName: string; clusterScope?: boolean }) => {
    const key = `${clusterScope}/${templateName}`;
    if (seen.has(key)) return;
    seen.add(key);
    const template = find(templateName, clusterScope);
    if (!template)
      throw invalidAnalysis(
        `${clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate'} '${templateName}' not found`,
        [`Create it, or correct the reference`],
      );
    set[clusterScope ? 'clusterTemplates' : 'templates'].push(template);
    for (const nested of template.spec.templates ?? []) visit(nested);
  };
  for (const reference of references) visit(reference);
  return set;
}

/** Whether two runs of one name are the same analysis: spec but `terminate` and `ttlStrategy`. */
export function isSameAnalysis(one: AnalysisRun, other: AnalysisRun): boolean {
  return analysisText(one) === analysisText(other);
}

function analysisText({ spec }: AnalysisRun): string {
  const { metrics, dryRun = [], measurementRetention = [], args = [] } = spec;
  return JSON.stringify(sorted({ metrics, dryRun, measurementRetention, args }));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

/** The uid of the controller that owns an object. */
export function controllerUid(object: KubeObject): string | undefined {
  return object.metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}
