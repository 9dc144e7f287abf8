import type { Value, ValueMap } from '@tiphys/template';
import type { Chart } from '../chart/chart.ts';
import type { AssembledValues } from './assemble-values.ts';
import { coalesceValues } from './coalesce.ts';
import type { ValueOrigin } from './marked-value.ts';
import { MarkedValue, marked } from './marked-value.ts';
import { processDependencies } from './process-dependencies.ts';

/** Where the values with which a chart is rendered were given. */
export interface ValueOrigins {
  /**
   * Where the value at a path from the root chart on was given: of a table or list all places that gave some of it, in
   * its order; nothing for what is not set.
   */
  at(path: readonly (string | number)[]): readonly ValueOrigin[];
}

const silent = (): void => undefined;

/**
 * The origins of a chart's values: the user's files and options, or the values.yaml of the chart or of a subchart, as
 * they remain after overrides, globals, imports and deletions.
 */
export function valueOrigins(chart: Chart, assembled: AssembledValues): ValueOrigins {
  const given = assembled.marked();
  const processed = processDependencies(markedChart(chart, chart.name), given, silent);
  const values = coalesceValues(processed, given, silent);
  return {
    at(path) {
      const all = [...markedIn(valueAt(values, path))];
      const given = all.some(({ value }) => value !== undefined) ? all.filter(({ value }) => value !== undefined) : all;
      return [...new Map(given.map(({ origin }) => [`${origin.source}:${origin.line}`, origin])).values()];
    },
  };
}

/** `path` as in the names of templates: `web/charts/db`. */
function markedChart(chart: Chart, path: string): Chart {
  const { valuesSource } = chart;
  return {
    ...chart,
    values: marked(chart.values, (steps) => ({
      source: `${path}/values.yaml`,
      line: valuesSource?.lineOf(steps) ?? 0,
    })),
    dependencies: chart.dependencies.map((child) => markedChart(child, `${path}/charts/${child.name}`)),
  };
}

function valueAt(values: ValueMap, path: readonly (string | number)[]): Value {
  let value: Value = values;
  for (const step of path) {
    if (value instanceof Map) value = (value as ValueMap).get(String(step));
    else if (Array.isArray(value)) value = value[Number(step)];
    else return undefined;
  }
  return value;
}

function* markedIn(value: Value): Generator<MarkedValue> {
  if (value instanceof MarkedValue) yield value;
  else if (value instanceof Map) for (const item of value.values()) yield* markedIn(item);
  else if (Array.isArray(value)) for (const item of value) yield* markedIn(item);
}
