import { fnv32a } from '@tiphys/go';
import type { NodeStatus } from './types.ts';

/** The id of a node by its name: the workflow's name for the root, else with a hash of the name. */
export function nodeId(workflow: string, node: string): string {
  return node === workflow ? workflow : `${workflow}-${fnv32a(node)}`;
}

export interface PodNameParts {
  readonly workflow: string;
  readonly node: string;
  /** Name of the template; empty for an inline one. */
  readonly template: string;
  /** `v1`: the node's id; `v2`: with the name of the template. */
  readonly format?: 'v1' | 'v2';
}

/** Names of pods are objects' names of at most 253 characters, and a hash of up to 10 digits follows. */
const longestPrefix = 253 - 10 - 1;

/** The name of a node's pod, which says everything that makes it unique: no second one of the same node can be created. */
export function podName({ workflow, node, template, format = 'v2' }: PodNameParts): string {
  if (format === 'v1') return nodeId(workflow, node);
  if (node === workflow) return workflow;
  const prefix = (template ? `${workflow}-${template}` : workflow).slice(0, longestPrefix);
  return `${prefix}-${fnv32a(node)}`;
}

/** The name of the template that a node runs, by itself or by reference. */
export function templateOf({ templateRef, templateName }: NodeStatus): string {
  return templateRef?.template ?? templateName ?? '';
}

/** The name of the pod of a node, as its workflow names them; empty for nodes without one. */
export function podNameOf(
  metadata: { readonly name?: string; readonly annotations?: Readonly<Record<string, string>> },
  node: NodeStatus,
): string {
  if (node.type !== 'Pod') return '';
  const format = metadata.annotations?.['workflows.argoproj.io/pod-name-format'] === 'v1' ? 'v1' : 'v2';
  return podName({ workflow: metadata.name ?? '', node: node.name, template: templateOf(node), format });
}
