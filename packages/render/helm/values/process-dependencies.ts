import type { Value, ValueMap } from '@tiphys/template';
import { satisfies } from '@tiphys/template';
import type { Chart, ChartDependency } from '../chart/chart.ts';
import { deepCopyMap, tableAt, tableOf } from '../chart/value-tables.ts';
import { chartTooLarge } from '../problems/diagnoses.ts';
import { HelmError } from '../problems/helm-error.ts';
import type { Warn } from '../problems/log.ts';
import { coalesceTables, coalesceValues, informing, mergeValues } from './coalesce.ts';
import { unmarked } from './marked-value.ts';

/** A chart that is being put together: its dependencies and values may still change. */
interface Draft extends Omit<Chart, 'dependencies' | 'values' | 'metadata'> {
  name: string;
  metadata: Chart['metadata'];
  values: ValueMap;
  dependencies: Draft[];
}

/**
 * The chart as it is rendered with the values: dependencies under their aliases, those that conditions and tags switch
 * off gone, values imported from subcharts. The given chart stays as it is.
 */
export function processDependencies(chart: Chart, values: ValueMap, warn: Warn): Chart {
  const count: Count = { charts: 0 };
  const draft = draftOf(chart, count);
  enable(draft, values, '', warn, count);
  importAll(draft, warn);
  return draft;
}

/** Aliases inside of aliases multiply: a dozen small charts can become millions. */
const maxCharts = 5000;

/** How many charts there are so far. */
interface Count {
  charts: number;
}

function draftOf(chart: Chart, count: Count): Draft {
  if (++count.charts > maxCharts) {
    throw new HelmError(chartTooLarge, `the chart has more than ${maxCharts} subcharts`, {
      place: { file: 'Chart.yaml' },
      remedies: ['Use fewer aliases of charts that have aliases themselves'],
    });
  }
  const metadata = chart.metadata.dependencies
    ? { ...chart.metadata, dependencies: chart.metadata.dependencies.map((dependency) => ({ ...dependency })) }
    : chart.metadata;
  return { ...chart, metadata, dependencies: chart.dependencies.map((child) => draftOf(child, count)) };
}

function enable(chart: Draft, values: ValueMap, path: string, warn: Warn, count: Count): void {
  const required = chart.metadata.dependencies;
  if (!required) return;
  const fits = (subchart: Draft, dependency: ChartDependency): boolean =>
    subchart.name === dependency.name && satisfies(subchart.metadata.version, dependency.version);
  const charts = chart.dependencies.filter((subchart) => !required.some((dependency) => fits(subchart, dependency)));
  for (const dependency of required) {
    const found = chart.dependencies.find((subchart) => fits(subchart, dependency));
    if (found) {
      const copy = draftOf(found, count);
      if (dependency.alias !== '') {
        copy.name = dependency.alias;
        copy.metadata = { ...copy.metadata, name: dependency.alias };
      }
      charts.push(copy);
    }
    if (dependency.alias !== '') dependency.name = dependency.alias;
    dependency.enabled = true;
  }
  chart.dependencies = charts;
  const coalesced = coalesceValues(chart, values, warn);
  applyTags(required, coalesced, warn);
  applyConditions(required, coalesced, path, warn);
  const off = new Set(required.filter(({ enabled }) => !enabled).map(({ name }) => name));
  const kept = charts.filter(({ name }) => !off.has(name));
  for (const subchart of kept) enable(subchart, coalesced, `${path}${subchart.name}.`, warn, count);
  chart.metadata = { ...chart.metadata, dependencies: nonEmpty(required.filter(({ name }) => !off.has(name))) };
  chart.dependencies = kept;
}

/** Go leaves a nil slice where nothing was appended. */
function nonEmpty(dependencies: ChartDependency[]): ChartDependency[] | undefined {
  return dependencies.length === 0 ? undefined : dependencies;
}

function applyTags(required: readonly ChartDependency[], values: ValueMap, warn: Warn): void {
  const tags = tableOf(values.get('tags'));
  if (!tags) return;
  for (const dependency of required) {
    const set = dependency.tags.filter((tag) => tags.has(tag)).map((tag) => ({ tag, value: unmarked(tags.get(tag)) }));
    for (const { tag, value } of set) {
      if (typeof value !== 'boolean') warn('returned non-bool value', { attributes: { tag, chart: dependency.name } });
    }
    const on = set.some(({ value }) => value === true);
    dependency.enabled = on || !set.some(({ value }) => value === false);
  }
}

function applyConditions(required: readonly ChartDependency[], values: ValueMap, path: string, warn: Warn): void {
  for (const dependency of required) {
    for (const condition of dependency.condition.trim().split(',')) {
      if (condition === '') continue;
      const steps = `${path}${condition}`.split('.');
      const found = tableAt(values, steps.slice(0, -1));
      if ('missing' in found) continue;
      const value = unmarked(found.table.get(steps.at(-1) as string));
      if (typeof value === 'boolean') {
        dependency.enabled = value;
        break;
      }
      if (value !== undefined && !tableOf(value))
        warn('returned non-bool value', { attributes: { path: condition, chart: dependency.name } });
    }
  }
}

function importAll(chart: Draft, warn: Warn): void {
  for (const subchart of chart.dependencies) importAll(subchart, warn);
  const required = chart.metadata.dependencies;
  if (!required) return;
  const values = mergeValues(chart, new Map(), warn);
  const imported: ValueMap = new Map();
  const mode = { warn: informing(warn), merge: true };
  for (const dependency of required) {
    for (const item of dependency.importValues) {
      const wanted = importOf(item);
      if (!wanted) continue;
      const found = tableAt(values, `${dependency.name}.${wanted.child}`.split('.'));
      if ('missing' in found) {
        const error = `${JSON.stringify(found.missing)} is not a table`;
        if (typeof item === 'string') warn('ImportValues missing table', { attributes: { error } });
        else warn('ImportValues missing table from chart', { attributes: { chart: dependency.name, error } });
        continue;
      }
      coalesceTables(
        imported,
        wanted.parent === '.' ? found.table : nested(wanted.parent.split('.'), found.table),
        '',
        mode,
      );
    }
  }
  chart.values = coalesceTables(deepCopyMap(values), imported, '', mode);
}

function importOf(item: Value): { child: string; parent: string } | undefined {
  if (typeof item === 'string') return { child: `exports.${item}`, parent: '.' };
  const map = tableOf(item);
  if (!map) return undefined;
  const text = (value: Value): string => (value === undefined || value === null ? '<nil>' : String(value));
  return { child: text(map.get('child')), parent: text(map.get('parent')) };
}

function nested(path: readonly string[], table: ValueMap): ValueMap {
  let inner = table;
  for (const step of path.toReversed()) inner = new Map([[step, inner]]);
  return inner;
}
