import { workflowNames } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { Informer, isNotFound, type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { Template, Workflow } from '../model/types.ts';
import type { Fate } from '../simulate/fate.ts';
import { simulatedOutputs } from '../simulate/simulated-pod.ts';
import { simulatedTask } from '../simulate/simulated-task.ts';
import { outputsAnnotation, type SimulatedExecutorOptions } from './simulated-executor.ts';

type TaskSet = KubeObject & {
  spec?: { tasks?: Record<string, Template> };
  status?: { nodes?: Record<string, unknown> };
};

const ref = { apiVersion: workflowNames.apiVersion, kind: 'WorkflowTaskSet' };

/** Answers for agents that only pretend to run: HTTP and plugin templates end well, with outputs from an annotation of the template. */
export async function startSimulatedAgent({ client, clock, signal, onError }: SimulatedExecutorOptions): Promise<void> {
  const informer = new Informer<TaskSet>(client, {
    ref,
    clock,
    onError: (problem) => onError('simulated agent', new DiagnosisError(problem)),
  });
  const queue = new WorkQueue({ clock, baseDelay: 200, maxDelay: 10_000 });
  informer.subscribe(({ type, object: { metadata } }) => {
    if (type !== 'deleted') queue.add(`${metadata.namespace ?? ''}/${metadata.name ?? ''}`);
  });
  informer.start(signal);
  await informer.synced;
  void queue.run({
    workers: 4,
    signal,
    reconcile: async (key) => {
      const [namespace = '', name = ''] = key.split('/');
      const taskSet = informer.get(namespace, name);
      const nodes = taskSet ? answers(taskSet) : {};
      if (Object.keys(nodes).length === 0) return;
      const path = `/apis/${ref.apiVersion}/namespaces/${namespace}/workflowtasksets/${name}/status`;
      try {
        await client.request('PATCH', path, {
          body: { status: { nodes } },
          contentType: 'application/merge-patch+json',
        });
      } catch (error) {
        // the workflow went, and its tasks with it
        if (!isNotFound(error)) throw error;
      }
    },
    onError,
  });
}

function answers({ metadata, spec, status }: TaskSet): Record<string, object> {
  const open = Object.entries(spec?.tasks ?? {}).filter(([id]) => !status?.nodes?.[id]);
  return Object.fromEntries(open.map(([id, template]) => [id, answer({ metadata } as Workflow, id, template)]));
}

function answer(workflow: Workflow, id: string, template: Template): object {
  const given = JSON.parse(template.metadata?.annotations?.[outputsAnnotation] ?? '{}') as NonNullable<Fate['outputs']>;
  return { phase: 'Succeeded', outputs: simulatedOutputs(simulatedTask(workflow, { id, template }), given) };
}
