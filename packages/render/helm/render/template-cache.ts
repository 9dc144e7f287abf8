import { getHeapStatistics } from 'node:v8';
import { type ParsedTemplate, parse, TemplateSet, type Tree } from '@tiphys/template';
import type { Chart, ChartFile } from '../chart/chart.ts';
import { chartFunctions } from '../functions/chart-functions.ts';

/** A text that was parsed, under the names under which charts have it. */
interface Entry {
  readonly text: string;
  /** What it costs to keep, in bytes, roughly. */
  cost: number;
  readonly byName: Map<string, ParsedTemplate>;
}

const megabyte = 1024 * 1024;
/** What parsed templates may cost in this thread: an eighth of its heap, at most this much. */
const maxCost = Math.min(192 * megabyte, getHeapStatistics().heap_size_limit / 8);
/** An action with its syntax and its closures, by measurement. */
const actionCost = 700;
/** A template under one more name. */
const treeCost = 100;

/** By text, the one used longest ago first: most charts share files, with one another and with their own earlier commits. */
const entries = new Map<string, Entry>();
let totalCost = 0;
/** The text of a file, in the one copy that is kept. */
const texts = new WeakMap<ChartFile, string>();

/** A file of a chart as a template of a name. Throws `TemplateError`. */
export function parsedTemplate(file: ChartFile, name: string): ParsedTemplate {
  const text = texts.get(file) ?? Buffer.from(file.data).toString('utf8');
  const entry = entries.get(text);
  if (!entry) return added(file, name, text);
  entries.delete(text);
  entries.set(entry.text, entry);
  texts.set(file, entry.text);
  const known = entry.byName.get(name);
  if (known) return known;
  const [other] = entry.byName.values();
  const parsed = (other && renamed(other, name, text)) ?? parse(name, text, { functions: chartFunctions });
  entry.byName.set(name, parsed);
  charge(entry, treeCost * parsed.trees.size);
  return parsed;
}

function added(file: ChartFile, name: string, text: string): ParsedTemplate {
  const parsed = parse(name, text, { functions: chartFunctions });
  const entry = { text, cost: 0, byName: new Map([[name, parsed]]) };
  entries.set(text, entry);
  texts.set(file, text);
  charge(entry, 2 * text.length + actionCost * text.split('{{').length);
  return parsed;
}

/** Counts a cost of an entry, and lets go what was not used for long if that is too much. */
function charge(entry: Entry, cost: number): void {
  entry.cost += cost;
  totalCost += cost;
  for (const old of entries.values()) {
    if (totalCost <= maxCost || old === entry) return;
    entries.delete(old.text);
    totalCost -= old.cost;
  }
}

/** The same text parsed under another name, without parsing it again; undefined if the text itself speaks of one of the names. */
function renamed(parsed: ParsedTemplate, name: string, text: string): ParsedTemplate | undefined {
  if (text.includes(name) || text.includes(parsed.name)) return undefined;
  const trees = new Map<string, Tree>();
  for (const [key, tree] of parsed.trees) {
    const own = key === parsed.name ? name : key;
    trees.set(own, { ...tree, name: own, parseName: name });
  }
  return { name, trees };
}

const sets = new WeakMap<Chart, { readonly parsed: readonly ParsedTemplate[]; readonly set: TemplateSet }>();

/** The templates associated with one another. The set must not be changed: the next render of the chart may use it. */
export function templateSet(chart: Chart, templates: readonly { name: string; file: ChartFile }[]): TemplateSet {
  const parsed = templates.map(({ name, file }) => parsedTemplate(file, name));
  const known = sets.get(chart);
  if (known?.parsed.length === parsed.length && known.parsed.every((template, i) => template === parsed[i]))
    return known.set;
  const set = new TemplateSet();
  for (const template of parsed) set.add(template);
  sets.set(chart, { parsed, set });
  return set;
}
