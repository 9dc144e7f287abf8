import { parseDocuments } from '@tiphys/yaml';
import { unpackNodes } from '../controller/persistence/nodes-codec.ts';
import { podNameOf } from '../model/node-names.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';

/** The workflows of a YAML text. */
export function workflowsIn(text: string, file: string): Workflow[] {
  return parseDocuments(text, { file })
    .documents.map(({ value }) => value as unknown as Workflow | null)
    .filter((object) => object?.kind === 'Workflow') as Workflow[];
}

/** A workflow for people: its phase, then its nodes, indented by what they belong to. */
export function describeWorkflow(packed: Workflow): string {
  const workflow = unpackNodes(packed);
  const { metadata, status } = workflow;
  const nodes = Object.values(status?.nodes ?? {});
  const lines = [
    `Name:      ${metadata.namespace}/${metadata.name}`,
    `Status:    ${status?.phase ?? 'Pending'}${status?.message ? ` (${status.message})` : ''}`,
    `Progress:  ${status?.progress ?? ''}`,
    '',
  ];
  const print = (boundary: string | undefined, indent: number): void => {
    for (const node of nodes.filter(({ boundaryID }) => boundaryID === boundary)) {
      if (node.type === 'StepGroup') continue;
      lines.push(nodeLine(workflow, node, indent));
      print(node.id, indent + 2);
    }
  };
  print(undefined, 0);
  return lines.join('\n');
}

function nodeLine({ metadata }: Workflow, node: NodeStatus, indent: number): string {
  const name = `${' '.repeat(indent)}${node.displayName ?? node.name}`;
  const pod = podNameOf(metadata, node);
  return [(node.phase ?? '').padEnd(10), name, pod, node.message ? `(${node.message})` : ''].filter(Boolean).join('  ');
}
