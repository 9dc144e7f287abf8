import type { Resource } from '../resource/resource.ts';
import type { Node } from '../tree/node.ts';

interface ExplainedLeaf {
  /** `spec.template.spec.containers[0].image`; keys with dots stand in brackets. */
  readonly path: string;
  readonly value: string;
  /** File that wrote the value: a resource, a patch, a file of values, or the kustomization itself. */
  readonly file: string;
  readonly line: number;
  /** What changed or made it, such as `patches[2]`; absent for what a resource file says. */
  readonly entry?: string;
  /** The kustomization that has the entry. */
  readonly kustomization?: string;
}

/** For every leaf of every resource: which file wrote it, and which entry of which kustomization made that so. */
export function explainResources(
  resources: readonly Resource[],
  { format, show }: { readonly format: 'text' | 'json'; readonly show: (file: string) => string },
): string {
  const objects = resources.map(({ apiVersion, kind, name, namespace, node }) => {
    const leaves = [...leavesOf(node, '', show)].sort((a, b) => (a.path < b.path ? -1 : 1));
    return { apiVersion, kind, name, ...(namespace ? { namespace } : {}), ...placeOf(node, show), leaves };
  });
  if (format === 'json') return `${JSON.stringify(objects, undefined, 2)}\n`;
  const texts = objects.map(({ apiVersion, kind, name, namespace, file, line, leaves }) => {
    const rows = leaves.map((leaf) => [leaf.path, shortened(leaf.value), ...originText(leaf)]);
    const id = `# ${apiVersion} ${kind} ${namespace ? `${namespace}/` : ''}${name}  ${file}:${line}`;
    return `${id}\n${aligned(rows)}`;
  });
  return texts.join('\n');
}

function* leavesOf(node: Node, path: string, show: (file: string) => string): Generator<ExplainedLeaf> {
  if (node.content.length === 0) {
    const empty = node.kind === 'map' ? '{}' : node.kind === 'list' ? '[]' : 'null';
    yield { path, value: node.kind === 'scalar' ? node.value : empty, ...placeOf(node, show) };
    return;
  }
  if (node.kind === 'list') {
    for (const [i, item] of node.content.entries()) yield* leavesOf(item, `${path}[${i}]`, show);
    return;
  }
  for (let i = 0; i + 1 < node.content.length; i += 2) {
    const { value: key } = node.content[i] as Node;
    const part = /[.[\]]/.test(key) ? `[${key}]` : key;
    yield* leavesOf(node.content[i + 1] as Node, path === '' ? part : `${path}.${part}`, show);
  }
}

function placeOf(node: Node, show: (file: string) => string): Omit<ExplainedLeaf, 'path' | 'value'> {
  const { origin, line } = node;
  if (!origin) return { file: '-', line };
  const { file, entry, kustomization } = origin;
  return {
    file: show(file),
    line,
    ...(entry ? { entry, kustomization: show(kustomization ?? file) } : {}),
  };
}

function originText({ file, line, entry, kustomization }: ExplainedLeaf): string[] {
  const place = `${file}:${line}`;
  if (!entry) return [place];
  return [place, kustomization === file ? `<- ${entry}` : `<- ${entry} of ${kustomization}`];
}

function shortened(value: string): string {
  const text = value.replaceAll('\n', '\\n');
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
