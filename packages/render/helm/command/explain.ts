import { matchPath } from '@tiphys/glob';
import type { Because } from '@tiphys/template';
import type { Chart } from '../chart/chart.ts';
import { type LeafOrigin, leafOrigins, type ValuePath, valuePaths } from '../render/leaf-origins.ts';
import type { Manifest } from '../render/manifest.ts';
import type { RenderedChart } from '../render/render-chart.ts';
import type { AssembledValues } from '../values/assemble-values.ts';
import type { ValueOrigin } from '../values/marked-value.ts';
import { type ValueOrigins, valueOrigins } from '../values/value-origins.ts';
import { FlagError } from './flags.ts';

export interface ExplainOptions {
  /** `text` if not given: a line for each leaf, for people and for grep. */
  readonly format?: 'text' | 'json';
  /** Patterns of template paths inside the chart; all if empty. */
  readonly showOnly?: readonly string[];
  readonly noHooks?: boolean;
}

/** What a leaf, a key or a condition is made of. */
interface ExplainedOrigin {
  /** `Values.image.tag`, `Release.Name`, `Files.conf/a.txt`, `lookup.v1.Secret.ns.name.data.key`. */
  readonly path: string;
  /** The name at the path was used, not the value. */
  readonly isKey?: true;
  /** What was there was empty: a default stands in for it. */
  readonly isEmpty?: true;
  /** Of values: the files with lines and the options that gave it; empty if it is not set. */
  readonly setBy?: readonly ValueOrigin[];
}

interface ExplainedCondition {
  /** `if .Values.ingress.enabled`; `not …` for an else. */
  readonly condition: string;
  readonly template: string;
  readonly line: number;
  readonly origins: readonly ExplainedOrigin[];
}

interface ExplainedLeaf {
  readonly path: string;
  readonly value: string;
  readonly template: string;
  readonly line: number;
  /** Where the template was included, innermost first: `web/templates/deployment.yaml:20`. */
  readonly includedAt: readonly string[];
  readonly origins: readonly ExplainedOrigin[];
  readonly functions: readonly string[];
  readonly generatedBy: readonly { readonly function: string; readonly template: string; readonly line: number }[];
  readonly keyOrigins: readonly ExplainedOrigin[];
  /** Why the field is there, innermost first. */
  readonly conditions: readonly ExplainedCondition[];
  /** Why its value is this one, beyond that. */
  readonly choice: readonly ExplainedCondition[];
}

interface ExplainedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly template: string;
  readonly leaves: readonly ExplainedLeaf[];
}

/** For every leaf of every object: where it was written, what it is made of, and who gave that. Needs a traced render. */
export function explainLeaves(
  rendered: RenderedChart,
  chart: Chart,
  assembled: AssembledValues,
  { format = 'text', showOnly = [], noHooks = false }: ExplainOptions = {},
): string {
  const explainer = new Explainer(valueOrigins(chart, assembled));
  const all = noHooks ? rendered.manifests : [...rendered.manifests, ...rendered.hooks];
  for (const name of showOnly)
    if (!all.some(({ source }) => isShown(source, name)))
      throw new FlagError(`could not find template ${name} in chart`);
  const objects = all
    .filter(({ source }) => showOnly.length === 0 || showOnly.some((name) => isShown(source, name)))
    .map((manifest) => explainer.object(manifest, leafOrigins(manifest, rendered)))
    .filter(({ leaves }) => leaves.length > 0);
  return format === 'json' ? `${JSON.stringify(objects, undefined, 2)}\n` : objects.map(objectText).join('\n');
}

function isShown(source: string, name: string): boolean {
  return matchPath(name, source.slice(source.indexOf('/') + 1));
}

class Explainer {
  readonly #values: ValueOrigins;

  constructor(values: ValueOrigins) {
    this.#values = values;
  }

  object({ apiVersion, kind, name, source }: Manifest, leaves: readonly LeafOrigin[]): ExplainedObject {
    return { apiVersion, kind, name, template: source, leaves: leaves.map((leaf) => this.#leaf(leaf)) };
  }

  #leaf(leaf: LeafOrigin): ExplainedLeaf {
    const { path, value, template, line, via, generations } = leaf;
    return {
      path,
      value,
      template,
      line,
      includedAt: leaf.callers.map((caller) => `${caller.template}:${caller.line}`),
      origins: leaf.origins.map((origin) => this.#origin(origin)),
      functions: via,
      generatedBy: generations.map((one) => ({ function: one.function, template: one.template, line: one.line })),
      keyOrigins: leaf.keyOrigins.map((origin) => this.#origin(origin)),
      conditions: leaf.because.map((because) => this.#condition(because)),
      choice: leaf.choice.map((because) => this.#condition(because)),
    };
  }

  #condition({ kind, expression, template, line, origins }: Because): ExplainedCondition {
    return {
      condition: `${kind === 'else' ? 'not' : kind} ${expression}`,
      template,
      line,
      origins: valuePaths(origins).map((origin) => this.#origin(origin)),
    };
  }

  #origin({ root, path, isKey, isEmpty }: ValuePath): ExplainedOrigin {
    return {
      path: [root, ...path].join('.'),
      ...(isKey ? { isKey } : {}),
      ...(isEmpty ? { isEmpty } : {}),
      ...(root === 'Values' ? { setBy: this.#values.at(path) } : {}),
    };
  }
}

const widest = { path: 56, value: 32 };
const shownOrigins = 6;
const shownSources = 3;

function objectText(object: ExplainedObject): string {
  const { apiVersion, kind, name, template, leaves } = object;
  const why = leaves[0]?.conditions ?? [];
  const shared = new Set(why.map(conditionKey));
  const head = [`# ${apiVersion} ${kind} ${name}  ${template}`, ...why.map((one) => `#   ${conditionText(one)}`)];
  const values = leaves.map(({ value }) => shortened(value));
  const width = (texts: readonly string[], most: number): number =>
    Math.min(most, Math.max(...texts.map(({ length }) => length)));
  const pathWidth = width(
    leaves.map(({ path }) => path),
    widest.path,
  );
  const valueWidth = width(values, widest.value);
  const lines = leaves.map((leaf, i) => {
    const columns = [leaf.path.padEnd(pathWidth), (values[i] as string).padEnd(valueWidth), placeText(leaf)];
    // What a helper decided of a value is reported in JSON.
    const own = leaf.conditions.filter((one) => !shared.has(conditionKey(one)));
    return [...columns, ...madeOf(leaf), ...own.map(({ condition }) => condition)].join('  ').trimEnd();
  });
  return `${[...head, ...lines].join('\n')}\n`;
}

function conditionKey({ condition, template, line }: ExplainedCondition): string {
  return `${condition} ${template}:${line}`;
}

function conditionText({ condition, template, line, origins }: ExplainedCondition): string {
  return [condition, `${template}:${line}`, ...(origins.length > 0 ? [`<- ${originsText(origins)}`] : [])].join('  ');
}

/** The line of the object's own template, by its name alone, and that of the helper which wrote the value. */
function placeText({ template, line, includedAt }: ExplainedLeaf): string {
  const own = includedAt.at(-1) ?? `${template}:${line}`;
  return [own.slice(own.lastIndexOf('/') + 1), ...(includedAt.length > 0 ? [`${template}:${line}`] : [])].join(' > ');
}

function madeOf({ origins, functions, generatedBy, keyOrigins }: ExplainedLeaf): string[] {
  const parts: string[] = [];
  if (origins.length > 0) parts.push(`<- ${originsText(origins)}`);
  if (generatedBy.length > 0) {
    const calls = generatedBy.map((call) => `${call.function} (${call.template}:${call.line})`);
    parts.push(`GENERATED by ${[...new Set(calls)].join(', ')}`);
  }
  if (functions.length > 0) parts.push(`| ${functions.join(' | ')}`);
  // A table that is printed as it is has its keys from where its values are.
  const keys = keyOrigins.filter(({ path }) => !origins.some((origin) => `${origin.path}.`.startsWith(`${path}.`)));
  if (keys.length > 0) parts.push(`key <- ${originsText(keys)}`);
  return parts;
}

function originsText(origins: readonly ExplainedOrigin[]): string {
  const more = origins.length > shownOrigins ? `, and ${origins.length - shownOrigins} more` : '';
  return origins.slice(0, shownOrigins).map(originText).join(', ') + more;
}

function originText({ path, isKey, isEmpty, setBy }: ExplainedOrigin): string {
  const name = isKey ? `key of ${path}` : isEmpty ? `default for ${path}` : path;
  if (!setBy) return name;
  if (setBy.length === 0) return `${name} (not set)`;
  const more = setBy.length > shownSources ? `, and ${setBy.length - shownSources} more` : '';
  return `${name} (${setBy.slice(0, shownSources).map(sourceText).join(', ')}${more})`;
}

function sourceText({ source, line }: ValueOrigin): string {
  return line > 0 ? `${source}:${line}` : shortened(source, 60);
}

function shortened(value: string, most = widest.value): string {
  const line = value.replace(/\n/g, '\\n');
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
