import { workflowNames } from '@tiphys/api';
import { isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { Template, Workflow } from '../model/types.ts';
import { simulatedOutputs } from '../simulate/simulated-pod.ts';
import { simulatedTask } from '../simulate/simulated-task.ts';
import { givenOutputs, type SimulatedExecutorOptions, workThrough } from './work-through.ts';

type TaskSet = KubeObject & {
  spec?: { tasks?: Record<string, Template> };
  status?: { nodes?: Record<string, unknown> };
};

const ref = { apiVersion: workflowNames.apiVersion, kind: 'WorkflowTaskSet' };

/** Answers for agents that only pretend to run: HTTP and plugin templates end well, with outputs from an annotation of the template. */
export async function startSimulatedAgent(options: SimulatedExecutorOptions): Promise<void> {
  await workThrough<TaskSet>(options, {
    name: 'simulated agent',
    ref,
    act: async (taskSet) => {
      const { namespace, name } = taskSet.metadata;
      const nodes = answers(taskSet);
      if (Object.keys(nodes).length === 0) return;
      const path = `/apis/${ref.apiVersion}/namespaces/${namespace}/workflowtasksets/${name}/status`;
      try {
        await options.client.request('PATCH', path, {
          body: { status: { nodes } },
          contentType: 'application/merge-patch+json',
        });
      } catch (error) {
        // the workflow went, and its tasks with it
        if (!isNotFound(error)) throw error;
      }
    },
  });
}

function answers({ metadata, spec, status }: TaskSet): Record<string, object> {
  const open = Object.entries(spec?.tasks ?? {}).filter(([id]) => !status?.nodes?.[id]);
  return Object.fromEntries(open.map(([id, template]) => [id, answer({ metadata } as Workflow, id, template)]));
}

function answer(workflow: Workflow, id: string, template: Template): object {
  const given = givenOutputs(template.metadata?.annotations);
  return { phase: 'Succeeded', outputs: simulatedOutputs(simulatedTask(workflow, { id, template }), given) };
}
