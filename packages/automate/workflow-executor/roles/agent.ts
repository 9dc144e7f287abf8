import { workflowNames } from '@tiphys/api';
import { goDuration } from '@tiphys/go';
import { isExpired, type KubeObject } from '@tiphys/kubernetes';
import { HttpClient } from '../agent/http-client.ts';
import { runHttp } from '../agent/http-task.ts';
import type { NodeResult } from '../agent/node-result.ts';
import { pluginsOf, runPlugin } from '../agent/plugin-task.ts';
import type { Cluster } from '../cluster/open-cluster.ts';
import { persist } from '../cluster/persist.ts';
import { say } from '../pod/say.ts';
import type { Template } from '../pod/template.ts';
import { messageOf } from '../pod/termination-log.ts';
import type { RoleOptions } from '../work/work.ts';

type TaskSet = KubeObject & { spec?: { tasks?: Record<string, Template> } };

const { apiVersion, labels } = workflowNames;

/** `agent main`: does the HTTP and plugin templates of one workflow until it has completed or the container is asked to end. */
export async function agent(options: RoleOptions, cluster: Cluster): Promise<void> {
  const { env, clock, signal } = options;
  const workflow = {
    name: env.ARGO_WORKFLOW_NAME ?? '',
    uid: env.ARGO_WORKFLOW_UID ?? '',
    namespace: cluster.namespace,
  };
  const http = new HttpClient();
  const plugins = pluginsOf(env);
  const considered = new Set<string>();
  const results = new Map<string, NodeResult>();
  const running = new AbortController();
  const until = AbortSignal.any([signal, running.signal]);
  const patched = patchResults(results, { cluster, workflow: workflow.name, env, clock }, until);

  const consider = async (node: string, template: Template): Promise<void> => {
    if (considered.has(node)) return;
    considered.add(node);
    try {
      const { result, again } = template.plugin
        ? await runPlugin(template, { workflow, plugins, http, signal })
        : { result: await runHttp(template, { cluster, http, signal }), again: 0 };
      if (result.phase) results.set(node, result);
      if (again > 0) {
        await clock.sleep(again, until);
        considered.delete(node);
        await consider(node, template);
      }
    } catch (error) {
      if (until.aborted) return;
      results.set(node, { phase: 'Failed', message: messageOf(error) });
    }
  };
  try {
    for await (const { tasks, isOver } of taskSets(cluster, workflow.name, { clock, signal })) {
      if (isOver) return;
      for (const [node, template] of Object.entries(tasks)) void consider(node, template);
    }
  } finally {
    running.abort(new Error('the workflow has completed'));
    await patched;
    await http.close();
  }
}

interface Tasks {
  readonly tasks: Record<string, Template>;
  readonly isOver: boolean;
}

/** The tasks as they are and whenever they change; a watch that ends begins again. */
async function* taskSets(
  { client, namespace }: Cluster,
  name: string,
  { clock, signal }: Pick<RoleOptions, 'clock' | 'signal'>,
): AsyncGenerator<Tasks> {
  const ref = { apiVersion, kind: 'WorkflowTaskSet', namespace, name };
  while (!signal.aborted) {
    const { items, metadata } = await persist(
      'read the tasks',
      () => client.list<TaskSet>(ref, { fieldSelector: `metadata.name=${name}` }),
      clock,
    );
    for (const item of items) yield tasksOf(item);
    try {
      const events = client.watch<TaskSet>(ref, { resourceVersion: metadata.resourceVersion ?? '', signal });
      for await (const { type, object } of events) {
        if (type === 'DELETED') return;
        if (type !== 'BOOKMARK') yield tasksOf(object);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!isExpired(error)) say(`the tasks are watched anew: ${messageOf(error)}`, 'warning');
      await clock.sleep(1000, signal).catch(() => undefined);
    }
  }
}

function tasksOf({ metadata, spec }: TaskSet): Tasks {
  return { tasks: spec?.tasks ?? {}, isOver: metadata.labels?.[labels.completed] === 'true' };
}

/** Writes results into the status of the task set as they come; what could not be written fails its nodes, with the reason. */
async function patchResults(
  results: Map<string, NodeResult>,
  {
    cluster,
    workflow,
    env,
    clock,
  }: { cluster: Cluster; workflow: string; env: NodeJS.ProcessEnv; clock: RoleOptions['clock'] },
  signal: AbortSignal,
): Promise<void> {
  const every = Math.min(goDuration(env.ARGO_AGENT_PATCH_RATE ?? '') || 10_000, 1000);
  const path = `/apis/${apiVersion}/namespaces/${cluster.namespace}/workflowtasksets/${workflow}/status`;
  while (!signal.aborted) {
    await clock.sleep(every, signal).catch(() => undefined);
    if (results.size === 0) continue;
    const nodes = Object.fromEntries(results);
    results.clear();
    try {
      await persist(
        'report results',
        () =>
          cluster.client.request('PATCH', path, {
            body: { status: { nodes } },
            contentType: 'application/merge-patch+json',
          }),
        clock,
      );
    } catch (error) {
      if (signal.aborted) return;
      say(`results were not reported: ${messageOf(error)}`, 'error');
      const message = `HTTP request completed successfully but an error occurred when patching its result: ${messageOf(error)}`;
      for (const node of Object.keys(nodes)) results.set(node, { phase: 'Error', message });
      await clock.sleep(10_000, signal).catch(() => undefined);
    }
  }
}
