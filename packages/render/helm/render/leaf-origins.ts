import type { Because, Generation, Origin, OriginRole, Segment, TemplateLine, TracedText } from '@tiphys/template';
import { type YamlNode, YamlReader } from '@tiphys/yaml';
import type { Manifest } from './manifest.ts';
import { splitManifests } from './manifest.ts';
import type { RenderedChart } from './render-chart.ts';

/** A place below the data that templates see. */
export interface ValuePath {
  /** `Values`, `Release`, `Chart`, `Capabilities`, `Files`, or `lookup` for what the cluster answered. */
  readonly root: string;
  /** Below the root; of `Values` from the chart that is rendered: those of a subchart begin with its name. */
  readonly path: readonly (string | number)[];
  /** The name of the last step was used, not what stands under it. */
  readonly isKey?: true;
  /** There was nothing, or something empty: a default stands in for it. */
  readonly isEmpty?: true;
}

/** Where one scalar of an object comes from. */
export interface LeafOrigin extends TemplateLine {
  /** `spec.replicas`, `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly steps: readonly (string | number)[];
  /** As it is written, without quotes. */
  readonly value: string;
  /** Where the template that wrote it was included, innermost first. */
  readonly callers: readonly TemplateLine[];
  /** What it is made of; empty for text of the template. */
  readonly origins: readonly ValuePath[];
  /** Functions that made it from its origins, innermost first: `['b64enc', 'quote']`. */
  readonly via: readonly string[];
  /** Functions that generated it or a part of it, or what it was derived from. */
  readonly generated: readonly string[];
  readonly generations: readonly Generation[];
  /** What the keys on its path are made of, where templates made them. */
  readonly keyOrigins: readonly ValuePath[];
  /** Functions that generated keys on its path. */
  readonly keysGenerated: readonly string[];
  /** Why the field is there, innermost first; of an item of a list, why the item is what it is. */
  readonly because: readonly Because[];
  /** Why its value is this one, beyond that: the branches that a helper took. */
  readonly choice: readonly Because[];
}

const starts = new WeakMap<TracedText, readonly number[]>();

export interface LeafOptions {
  /** Only leaves that hold something generated, or stand under a key that does; quick where there are none. */
  readonly generatedOnly?: boolean;
}

/** The origins of every scalar of a manifest, in its order. Needs a render with `trace`; empty without one. */
export function leafOrigins(manifest: Manifest, rendered: RenderedChart, options: LeafOptions = {}): LeafOrigin[] {
  const traced = rendered.traces.get(manifest.source);
  if (!traced) return [];
  let offsets = starts.get(traced);
  if (!offsets) {
    offsets = splitManifests(traced.text).map(({ start }) => start);
    starts.set(traced, offsets);
  }
  const start = offsets[manifest.index] ?? 0;
  const { generatedOnly = false } = options;
  if (generatedOnly && !traced.isGenerated(start, start + manifest.content.length)) return [];
  const reader = new LeafReader(manifest.content, traced, start, generatedOnly);
  // Aliases can't make it long: a render refuses manifests that expand too far.
  for (const { root } of new YamlReader(manifest.content).documents()) {
    reader.read(root, { steps: [], keys: [] });
    break;
  }
  return [...reader.leaves.values()];
}

/** How a node was reached. */
interface Way {
  readonly steps: readonly (string | number)[];
  /** What the keys were made of. */
  readonly keys: readonly Origin[];
  /** The last key, if the node is its value. */
  readonly name?: { readonly start: number; readonly end: number };
}

class LeafReader {
  /** By path: the last of two equal keys wins. */
  readonly leaves = new Map<string, LeafOrigin>();
  readonly #content: string;
  readonly #traced: TracedText;
  readonly #start: number;
  readonly #generatedOnly: boolean;
  #depth = 0;

  constructor(content: string, traced: TracedText, start: number, generatedOnly: boolean) {
    this.#content = content;
    this.#traced = traced;
    this.#start = start;
    this.#generatedOnly = generatedOnly;
  }

  read(node: YamlNode, way: Way): void {
    if (++this.#depth > 500) return;
    if (node.kind === 'alias') this.read(node.target, way);
    else if (node.kind === 'mapping' && node.pairs.length > 0) this.#mapping(node.pairs, way);
    else if (node.kind === 'sequence' && node.items.length > 0)
      for (const [i, item] of node.items.entries()) this.read(item, { steps: [...way.steps, i], keys: way.keys });
    else this.#leaf(node, way);
    this.#depth--;
  }

  #mapping(pairs: readonly YamlNode[], { steps, keys }: Way): void {
    const seen = new Set<string>();
    let isMerged = false;
    for (let i = 0; i < pairs.length; i += 2) {
      const [key, value] = [pairs[i] as YamlNode, pairs[i + 1] as YamlNode];
      const name = key.kind === 'alias' ? key.target : key;
      if (name.kind !== 'scalar') continue;
      const made = this.#isWanted(name.start, name.end) ? originsOf(this.#segments(name.start, name.end)) : [];
      const known = made.length > 0 ? [...keys, ...made] : keys;
      if (name.value === '<<' && name.implicit) {
        isMerged = true;
        for (const merged of value.kind === 'sequence' ? value.items.toReversed() : [value])
          this.read(merged, { steps, keys: known });
        continue;
      }
      const inner = [...steps, name.value];
      if (isMerged || seen.has(name.value)) this.#forget(pathText(inner));
      seen.add(name.value);
      this.read(value, { steps: inner, keys: known, name });
    }
  }

  /** A key that stands twice, or again after a merge, takes the place of all that stood under it. */
  #forget(path: string): void {
    for (const known of this.leaves.keys()) if (isUnder(known, path)) this.leaves.delete(known);
  }

  /** False if only what is generated is wanted, and there is nothing of that. */
  #isWanted(start: number, end: number): boolean {
    return !this.#generatedOnly || this.#traced.isGenerated(this.#start + start, this.#start + end);
  }

  #leaf(node: YamlNode, { steps, keys, name }: Way): void {
    const { start, end } = this.#range(node);
    if (!keys.some(isGenerated) && !this.#isWanted(start, end)) return;
    const segments = this.#segments(start, end);
    const origins = originsOf(segments);
    // Of nothing at all the place is that of the key before it.
    const written = writtenBy(segments) ?? this.#segments(Math.max(0, start - 1), start)[0];
    const named = name && writtenBy(this.#segments(name.start, name.end));
    const because = (named ?? written)?.because ?? [];
    const path = pathText(steps);
    const generations = origins.flatMap((origin) => (origin.kind === 'generated' ? [origin.generation] : []));
    this.leaves.set(path, {
      path,
      steps,
      value: node.kind === 'scalar' ? node.value : node.kind === 'mapping' ? '{}' : '[]',
      template: written?.template ?? '',
      line: written?.line ?? 0,
      column: written?.column ?? 0,
      callers: written?.callers ?? [],
      because,
      choice: (written?.because ?? []).filter((one) => !because.includes(one)),
      origins: valuePaths(origins),
      via: [...new Set(segments.flatMap(({ via }) => via))],
      generations,
      generated: [...new Set(generations.map((generation) => generation.function))],
      keyOrigins: valuePaths(keys),
      keysGenerated: keys.flatMap((origin) => (origin.kind === 'generated' ? [origin.generation.function] : [])),
    });
  }

  /** Offsets in the content. */
  #range(node: YamlNode): { start: number; end: number } {
    if (node.kind !== 'scalar') {
      // An empty collection: nothing but its brackets.
      const start = offsetOf(this.#content, node.line, node.column);
      return { start, end: start + 2 };
    }
    if (node.end > node.start) return node;
    // Nothing was written; a value that printed nothing stands on the rest of the line.
    const end = this.#content.indexOf('\n', node.start);
    return { start: node.start, end: end < 0 ? this.#content.length : end };
  }

  #segments(start: number, end: number): Segment[] {
    return this.#traced.segments(this.#start + start, this.#start + end);
  }
}

function isUnder(path: string, parent: string): boolean {
  return path.startsWith(parent) && (path.length === parent.length || '.['.includes(path[parent.length] as string));
}

function offsetOf(text: string, line: number, column: number): number {
  let at = 0;
  for (let i = 1; i < line; i++) at = text.indexOf('\n', at) + 1;
  return at + column - 1;
}

function isGenerated({ kind }: Origin): boolean {
  return kind === 'generated';
}

function originsOf(segments: readonly Segment[]): Origin[] {
  return [...new Set(segments.flatMap(({ origins }) => origins))];
}

/** The piece that tells where a leaf was written: the first that is made of something, else the first with a text. */
function writtenBy(segments: readonly Segment[]): Segment | undefined {
  return (
    segments.find(({ origins }) => origins.length > 0) ?? segments.find(({ text }) => text.trim() !== '') ?? segments[0]
  );
}

/** The places below the data among origins, each once. */
export function valuePaths(origins: readonly Origin[]): ValuePath[] {
  const paths = new Map<string, ValuePath>();
  for (const origin of origins) {
    if (origin.kind !== 'data') continue;
    const value = valuePathOf(origin.scope, origin.path, origin.role);
    paths.set(`${value.root}\0${value.path.join('\0')}\0${origin.role}`, value);
  }
  return [...paths.values()];
}

/** A chart that is reached through `.Subcharts`, and a subchart's own values, have paths from the root chart on. */
function valuePathOf(scope: string, path: readonly (string | number)[], role: OriginRole): ValuePath {
  const charts: (string | number)[] = scope === '' ? [] : scope.split('/');
  let from = 0;
  while (path[from] === 'Subcharts' && from + 2 < path.length) {
    charts.push(path[from + 1] as string);
    from += 2;
  }
  const root = String(path[from] ?? '');
  const rest = path.slice(from + 1);
  return {
    root,
    path: root === 'Values' ? [...charts, ...rest] : rest,
    ...(role === 'key' ? { isKey: true } : {}),
    ...(role === 'empty' ? { isEmpty: true } : {}),
  };
}

function pathText(steps: readonly (string | number)[]): string {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (!/^[A-Za-z0-9_-]+$/.test(step)) text += `[${JSON.stringify(step)}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}
