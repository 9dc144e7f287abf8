import type { Segment } from '@tiphys/template';
import { type YamlNode, YamlReader } from '@tiphys/yaml';
import type { Manifest } from './manifest.ts';
import { splitManifests } from './manifest.ts';
import type { RenderedChart } from './render-chart.ts';

/** Where one scalar of an object comes from. */
export interface LeafOrigin {
  /** `spec.replicas`, `spec.template.spec.containers[0].image`. */
  readonly path: string;
  readonly template: string;
  /** 1-based line of the template that wrote it. */
  readonly line: number;
  /** Paths below the template's data: `['Values', 'image', 'tag']`. */
  readonly origins: readonly (readonly (string | number)[])[];
  /** Functions that generated it or parts of it. */
  readonly generated: readonly string[];
}

/** The origins of every scalar of a manifest. Needs a render with `trace`; empty without one. */
export function leafOrigins(manifest: Manifest, rendered: RenderedChart): LeafOrigin[] {
  const segments = rendered.segments.get(manifest.source);
  if (!segments) return [];
  const lines = segmentsByLine(segments);
  const offset = lineOffset(manifest, segments.map(({ text }) => text).join(''));
  const leaves: LeafOrigin[] = [];
  const reader = new YamlReader(manifest.content);
  for (const document of reader.documents()) {
    visit(document.root, '', (path, node) => {
      const found: Segment[] = [];
      for (let line = node.line; line <= node.endLine; line++) found.push(...(lines.get(line + offset) ?? []));
      leaves.push(leafOf(path, found, manifest.source));
    });
    break;
  }
  return leaves;
}

function leafOf(path: string, segments: readonly Segment[], source: string): LeafOrigin {
  const traced = segments.find(({ origins }) => origins.length > 0) ?? segments[0];
  const origins = new Map<string, readonly (string | number)[]>();
  const generated = new Set<string>();
  for (const segment of segments) {
    for (const origin of segment.origins) {
      if (origin.kind === 'generated') generated.add(origin.generation.function);
      else origins.set([origin.root, ...origin.path].join('\0'), [origin.root, ...origin.path]);
    }
  }
  return {
    path,
    template: traced?.template ?? source,
    line: traced?.line ?? 0,
    origins: [...origins.values()],
    generated: [...generated],
  };
}

function segmentsByLine(segments: readonly Segment[]): Map<number, Segment[]> {
  const lines = new Map<number, Segment[]>();
  let line = 1;
  for (const segment of segments) {
    const parts = segment.text.split('\n');
    for (const [i, part] of parts.entries()) {
      if (part.trim() !== '') {
        const list = lines.get(line + i) ?? [];
        list.push(segment.origins.length > 0 ? segment : { ...segment, line: segment.line + i });
        lines.set(line + i, list);
      }
    }
    line += parts.length - 1;
  }
  return lines;
}

/** How many lines of its template's output stand before a manifest's text. */
function lineOffset(manifest: Manifest, output: string): number {
  let at = 0;
  for (const content of splitManifests(output).slice(0, manifest.index + 1)) at = output.indexOf(content, at);
  return output.slice(0, at).split('\n').length - 1;
}

function visit(node: YamlNode, path: string, leaf: (path: string, node: YamlNode) => void): void {
  if (node.kind === 'mapping' && node.pairs.length > 0) {
    for (let i = 0; i < node.pairs.length; i += 2) {
      const key = node.pairs[i] as YamlNode;
      const name = key.kind === 'scalar' ? key.value : '?';
      const step = /^[A-Za-z0-9_-]+$/.test(name) ? `${path === '' ? '' : '.'}${name}` : `[${JSON.stringify(name)}]`;
      visit(node.pairs[i + 1] as YamlNode, path + step, leaf);
    }
  } else if (node.kind === 'sequence' && node.items.length > 0) {
    for (const [i, item] of node.items.entries()) visit(item, `${path}[${i}]`, leaf);
  } else leaf(path, node);
}
