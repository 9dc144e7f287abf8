import { templateType } from '../model/template-type.ts';
import { halted, type Outcome } from '../operation/halt.ts';
import { initTemplateNode } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import type { Work } from './call.ts';
import { executeDag } from './dag.ts';
import { failNode, freshNode } from './execute-template.ts';
import { executePod } from './pod-node.ts';
import { executeSteps } from './steps.ts';
import { executeSuspend } from './suspend.ts';

/** Runs the template of a node by its kind. */
export function runWork(op: Operation, work: Work): Outcome {
  switch (templateType(work.template)) {
    case 'steps':
      return executeSteps(op, work);
    case 'dag':
      return executeDag(op, work);
    case 'suspend':
      return executeSuspend(op, work);
    case 'http':
    case 'plugin':
      return executeTask(op, work);
    case undefined: {
      const message = `Template '${work.template.name ?? ''}' missing specification`;
      return { node: failNode(op, work, message), halt: halted(message) };
    }
    default:
      return executePod(op, work);
  }
}

/** HTTP and plugin templates are work for the agent. */
function executeTask(op: Operation, work: Work): Outcome {
  if (op.spec.executorPlugins?.length && !op.facts.settings.workflowLevelExecutorPlugins) {
    const message =
      'workflow-level executor plugins are disabled in the controller. To enable them, set the environment variable ARGO_WORKFLOW_LEVEL_EXECUTOR_PLUGINS=true';
    return { node: failNode(op, work, message), halt: halted(message) };
  }
  const node = op.node(work.nodeName) ?? initTemplateNode(op, work.template, freshNode(work, 'Pending'));
  if (node.phase === 'Pending' || node.phase === 'Running') op.tasks[node.id] = work.template;
  return { node };
}
