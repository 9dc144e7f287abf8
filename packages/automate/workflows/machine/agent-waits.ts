import type { NodeStatus, Pod, Template } from '../model/types.ts';
import { pendingReason } from '../operation/failed-pod.ts';
import type { Operation } from '../operation/operation.ts';

const componentLabel = 'workflows.argoproj.io/component';

/** What a node's message begins with while nobody does what it asks of an agent. */
const agentWaits = {
  disabled: 'Waits for an agent that nobody has made',
  starts: 'Waits for the agent pod',
  plugin: 'Waits for an executor plugin',
} as const;

/** The pod that does the HTTP and plugin templates of the workflow. */
export const isAgent = ({ metadata }: Pod) => metadata.labels?.[componentLabel] === 'agent';

/** Says of each task that no agent has answered yet what it waits for. */
export function tellAgentWaits(op: Operation, open: readonly (readonly [id: string, template: Template])[]): void {
  const agent = op.facts.pods.find(isAgent);
  const answered = op.facts.taskSet?.status?.nodes ?? {};
  for (const [id, template] of open) {
    const node = op.nodeById(id);
    if (!node || answered[id]?.phase) continue;
    say(node, reason(op, agent, template));
  }
}

function say(node: NodeStatus, message: string | undefined): void {
  if (message) node.message = message;
  else delete node.message;
}

function reason(op: Operation, agent: Pod | undefined, template: Template): string | undefined {
  const { agentDisabled } = op.facts.settings;
  if (!agent)
    return agentDisabled
      ? `${agentWaits.disabled}: disableAgentPodCreation is set, so that something else must do WorkflowTaskSet ${op.workflow.metadata.namespace}/${op.name}`
      : undefined;
  const held = waitingReason(agent);
  if (held) return `${agentWaits.starts} ${agent.metadata.name}, which has not started: ${held}`;
  if (!template.plugin) return undefined;
  const installed = pluginsOf(agent);
  return `${agentWaits.plugin} that takes ${kindsOf(template)}: agent pod ${agent.metadata.name} has ${installed.join(', ') || 'none'}`;
}

/** Of its containers too that wait to be started again, once the others run. */
function waitingReason(pod: Pod): string {
  for (const { name, state } of pod.status?.initContainerStatuses ?? [])
    if (state?.waiting?.reason && state.waiting.reason !== 'PodInitializing')
      return `container ${name}: ${state.waiting.reason}${state.waiting.message ? `: ${state.waiting.message}` : ''}`;
  return pendingReason(pod);
}

/** What a template of kind plugin is for: the names of its fields, of which a plugin knows its own. */
const kindsOf = ({ plugin }: Template) => Object.keys(plugin ?? {}).join(', ') || 'a plugin template without a field';

function pluginsOf({ spec }: Pod): string[] {
  const main = spec.containers.find(({ name }) => name === 'main');
  const names = main?.env?.find(({ name }) => name === 'ARGO_PLUGIN_NAMES')?.value;
  return names ? (JSON.parse(names) as string[]) : [];
}
