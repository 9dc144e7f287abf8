import { goQuote } from '@tiphys/go';
import { sprintf, type Value, type ValueMap } from '@tiphys/template';
import type { Chart } from '../chart/chart.ts';
import { deepCopyMap, tableOf } from '../chart/value-tables.ts';
import type { Warn } from '../problems/log.ts';

/** Thrown where Helm stops because a subchart's values are not a table. */
export class CoalesceError extends Error {}

interface Mode {
  readonly warn: Warn;
  /** Keep nulls: the values will be coalesced again. */
  readonly merge: boolean;
}

/**
 * The values with which a chart and its subcharts are rendered: the user's over the parents' over the charts' own, with
 * globals handed down. A null in the user's values deletes the chart's default.
 */
export function coalesceValues(chart: Chart, values: ValueMap, warn: Warn): ValueMap {
  return coalesce(chart, deepCopyMap(values), '', { warn: informing(warn), merge: false });
}

/** The same with the nulls kept. */
export function mergeValues(chart: Chart, values: ValueMap, warn: Warn): ValueMap {
  return coalesce(chart, deepCopyMap(values), '', { warn: informing(warn), merge: true });
}

/** Helm logs what it says about values as information. */
export function informing(warn: Warn): Warn {
  return (message) => warn(message, { level: 'INFO' });
}

function coalesce(chart: Chart, into: ValueMap, prefix: string, mode: Mode): ValueMap {
  coalesceOwn(chart, into, prefix, mode);
  for (const subchart of chart.dependencies) {
    const name = subchart.name;
    if (!into.has(name)) into.set(name, new Map());
    const table = tableOf(into.get(name));
    if (!table) throw new CoalesceError(`type mismatch on ${name}: ${sprintf('%t', [into.get(name)])}`);
    const inner = join(prefix, chart.name);
    handGlobalsDown(table, into, inner, mode);
    into.set(name, coalesce(subchart, table, inner, mode));
  }
  return into;
}

function handGlobalsDown(into: ValueMap, from: ValueMap, prefix: string, mode: Mode): void {
  const own = into.has('global') ? tableOf(into.get('global')) : new Map<string, Value>();
  if (!own) {
    mode.warn('warning: skipping globals because destination global is not a table.');
    return;
  }
  const given = from.has('global') ? tableOf(from.get('global')) : new Map<string, Value>();
  if (!given) {
    mode.warn('warning: skipping globals because source global is not a table.');
    return;
  }
  for (const [key, value] of given) {
    const table = tableOf(value);
    const present = own.get(key);
    if (table) {
      const copy = new Map(table);
      if (own.has(key)) {
        const below = tableOf(present);
        if (!below) {
          mode.warn(`Conflict: cannot merge map onto non-map for ${goQuote(key)}. Skipping.`);
          continue;
        }
        coalesceTables(copy, below, join(prefix, key), { ...mode, merge: true });
      }
      own.set(key, copy);
    } else if (own.has(key) && tableOf(present)) mode.warn(`key ${key} is table. Skipping`);
    else own.set(key, value);
  }
  into.set('global', own);
  return;
}

function coalesceOwn(chart: Chart, into: ValueMap, prefix: string, mode: Mode): void {
  const inner = join(prefix, chart.name);
  for (const [key, value] of deepCopyMap(chart.values)) {
    if (!into.has(key)) {
      if (!mode.merge) {
        if (value === null) continue;
        const table = tableOf(value);
        if (table) dropNulls(table);
      }
      into.set(key, value);
      continue;
    }
    const present = into.get(key);
    if (present === null && !mode.merge) {
      into.delete(key);
      continue;
    }
    const over = tableOf(present);
    if (!over) continue;
    const under = tableOf(value);
    if (!under) {
      if (value !== null) mode.warn(`warning: skipped value for ${inner}.${key}: Not a table.`);
      continue;
    }
    // Values for a subchart are coalesced once more, so their nulls must stay.
    const merge = mode.merge || chart.dependencies.some((subchart) => subchart.name === key);
    if (!merge) dropNulls(under);
    coalesceTables(over, under, join(inner, key), { ...mode, merge });
  }
}

/** Fills a table from the one below it. `under` is used up. */
export function coalesceTables(over: ValueMap, under: ValueMap, prefix: string, mode: Mode): ValueMap {
  const given = new Set<string>();
  for (const [key, value] of under) if (value !== null) given.add(key);
  for (const [key, value] of over) if (value === null) under.set(key, null);
  for (const [key, value] of under) {
    const full = join(prefix, key);
    const present = over.get(key);
    const has = over.has(key);
    const table = tableOf(value);
    if (has && !mode.merge && present === null && given.has(key)) over.delete(key);
    else if (!has) over.set(key, value);
    else if (table) {
      const below = tableOf(present);
      if (below) coalesceTables(below, table, full, mode);
      else mode.warn(`warning: cannot overwrite table with non table for ${full} (${sprintf('%v', [value])})`);
    } else if (tableOf(present) && value !== null) {
      mode.warn(`warning: destination for ${full} is a table. Ignoring non-table value (${sprintf('%v', [value])})`);
    }
  }
  return over;
}

function dropNulls(map: ValueMap): void {
  for (const [key, value] of map) {
    if (value === null) map.delete(key);
    else {
      const table = tableOf(value);
      if (table) dropNulls(table);
    }
  }
}

function join(prefix: string, name: string): string {
  return prefix === '' ? name : `${prefix}.${name}`;
}
