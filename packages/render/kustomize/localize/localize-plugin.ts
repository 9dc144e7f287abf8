import { GoError } from '../failure/go-error.ts';
import type { Resource } from '../resource/resource.ts';
import { Node } from '../tree/node.ts';

/** Copies what a path names, and gives its path in the copy. */
interface PathCopier {
  file(path: string): Promise<string>;
  /** `path` or `key=path`. */
  fileSource(source: string): Promise<string>;
  /** A resource as text, or a file with one. */
  resourceEntry(entry: string): Promise<string>;
  chartHome(entry: string): Promise<string>;
}

type Change = 'file' | 'fileSource' | 'resourceEntry';

/** The paths in configurations of built-in plugins. */
const paths: Readonly<Record<string, readonly (readonly [field: string, change: Change])[]>> = {
  ConfigMapGenerator: [
    ['env', 'file'],
    ['envs', 'file'],
    ['files', 'fileSource'],
  ],
  SecretGenerator: [
    ['env', 'file'],
    ['envs', 'file'],
    ['files', 'fileSource'],
  ],
  HelmChartInflationGenerator: [
    ['valuesFile', 'file'],
    ['additionalValuesFiles', 'file'],
  ],
  PatchTransformer: [['path', 'file']],
  PatchJson6902Transformer: [['path', 'file']],
  ReplacementTransformer: [['replacements/path', 'file']],
  PatchStrategicMergeTransformer: [['paths', 'resourceEntry']],
};

/** Replaces the paths in the configuration of a built-in plugin by those of the copy; others stay as they are. */
export async function localizePlugin(resource: Resource, copier: PathCopier): Promise<void> {
  if (resource.apiVersion !== 'builtin') return;
  const { kind, node } = resource;
  for (const [field, change] of paths[kind] ?? [])
    for (const found of nodesAt(node, field.split('/'))) await changeAll(found, (path) => copier[change](path));
  if (kind !== 'HelmChartInflationGenerator') return;
  const home = node.get('chartHome');
  const path = await copier.chartHome(home?.value ?? '');
  if (home) home.become(Node.string(path));
}

function nodesAt(node: Node, path: readonly string[]): Node[] {
  const [field, ...rest] = path;
  if (field === undefined) return [node];
  if (node.kind === 'list') return node.content.flatMap((item) => nodesAt(item, path));
  const found = node.get(field);
  return found === undefined || found.isNull ? [] : nodesAt(found, rest);
}

async function changeAll(node: Node, change: (path: string) => Promise<string>): Promise<void> {
  if (node.kind === 'map') throw new GoError('expected sequence or scalar node');
  for (const item of node.kind === 'list' ? node.content : [node]) item.become(Node.string(await change(item.value)));
}
