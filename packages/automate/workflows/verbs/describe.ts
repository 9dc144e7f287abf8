import { parseDocuments } from '@tiphys/yaml';
import { unpackNodes } from '../controller/persistence/nodes-codec.ts';
import { anyText } from '../model/go-text.ts';
import { podNameOf } from '../model/node-names.ts';
import { secondsBetween } from '../model/time.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';
import { nodeSelector } from './node-selector.ts';

/** The workflows of a YAML text. */
export function workflowsIn(text: string, file: string): Workflow[] {
  return parseDocuments(text, { file })
    .documents.map(({ value }) => value as unknown as Workflow | null)
    .filter((object) => object?.kind === 'Workflow') as Workflow[];
}

export interface DescribeOptions {
  /** Only nodes in this phase, and those that a selector names. */
  readonly status?: string | undefined;
  readonly nodeFieldSelector?: string | undefined;
  /** With artifacts and resources of the nodes. */
  readonly isWide?: boolean;
}

/** A workflow for people: what it is and how it went, then its nodes, indented by what they belong to. Throws a `VerbError` for a selector. */
export function describeWorkflow(packed: Workflow, options: DescribeOptions = {}): string {
  const workflow = unpackNodes(packed);
  const nodes = Object.values(workflow.status?.nodes ?? {});
  const isChosen = options.nodeFieldSelector ? nodeSelector(options.nodeFieldSelector) : () => true;
  const lines = [...summary(workflow), ''];
  const below = Map.groupBy(nodes, ({ boundaryID }) => boundaryID);
  const print = (boundary: string | undefined, indent: number): void => {
    for (const node of below.get(boundary) ?? []) {
      if (node.type === 'StepGroup') continue;
      if ((!options.status || node.phase === options.status) && isChosen(node))
        lines.push(nodeLine(workflow, node, { indent, isWide: options.isWide === true }));
      print(node.id, indent + 2);
    }
  };
  print(undefined, 0);
  return lines.join('\n');
}

function summary({ metadata, spec, status }: Workflow): string[] {
  const seconds = secondsBetween(status?.startedAt, status?.finishedAt);
  const resources = Object.entries(status?.resourcesDuration ?? {}).map(([name, value]) => `${value}s*(${name})`);
  const rows: [string, string | undefined][] = [
    ['Name', `${metadata.namespace}/${metadata.name}`],
    ['ServiceAccount', spec.serviceAccountName],
    ['Status', `${status?.phase ?? 'Pending'}${status?.message ? ` (${status.message})` : ''}`],
    ...(status?.conditions ?? []).map(({ type, status: state, message }): [string, string] => [
      'Condition',
      `${type} ${state}${message ? `: ${message}` : ''}`,
    ]),
    ['Created', metadata.creationTimestamp],
    ['Started', status?.startedAt ?? undefined],
    ['Finished', status?.finishedAt ?? undefined],
    ['Duration', status?.finishedAt && seconds !== undefined ? `${seconds}s` : undefined],
    ['Estimated', status?.estimatedDuration && !status.finishedAt ? `${status.estimatedDuration}s` : undefined],
    ['Progress', status?.progress],
    ['Resources', resources.join(' ')],
    ...(spec.arguments?.parameters ?? []).map(({ name, value }): [string, string] => [
      'Parameter',
      `${name}: ${value === undefined ? '' : anyText(value)}`,
    ]),
    ...(status?.outputs?.parameters ?? []).map(({ name, value }): [string, string] => [
      'Output',
      `${name}: ${value === undefined ? '' : anyText(value)}`,
    ]),
  ];
  return rows.flatMap(([label, value]) => (value ? `${`${label}:`.padEnd(16)}${value}` : []));
}

function nodeLine(
  { metadata }: Workflow,
  node: NodeStatus,
  { indent, isWide }: { indent: number; isWide: boolean },
): string {
  const name = `${' '.repeat(indent)}${node.displayName ?? node.name}`;
  const resources = Object.entries(node.resourcesDuration ?? {}).map(([of, value]) => `${value}s*(${of})`);
  const artifacts = node.outputs?.artifacts?.map((artifact) => artifact.name) ?? [];
  const more = isWide ? [artifacts.join(','), resources.join(',')] : [];
  const message = node.message ? `(${node.message})` : '';
  return [(node.phase ?? '').padEnd(10), name, podNameOf(metadata, node), ...more, message].filter(Boolean).join('  ');
}
