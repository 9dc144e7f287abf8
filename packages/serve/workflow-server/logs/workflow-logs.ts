import { type flow, workflowNames } from '@tiphys/api';
import { type Clock, type KubeObject, pause } from '@tiphys/kubernetes';
import type { StoredWorkflow } from '../common/live-workflows.ts';
import { LogQueue } from './log-queue.ts';
import type { LogOptions, Reading } from './pod-lines.ts';
import { byStart, followPods, type Pod, PodReader } from './pod-reader.ts';
import { wantedLines } from './wanted-lines.ts';

export interface LogRequest {
  readonly namespace: string;
  readonly name: string;
  readonly podName?: string;
  readonly logOptions?: LogOptions;
  readonly grep?: string;
  readonly selector?: string;
}

export interface LogEntry {
  readonly content: string;
  readonly podName: string;
}

/** Whose logs are read, and with which rights. */
export interface LogScene extends Reading {
  readonly clock: Clock;
  readonly workflow: StoredWorkflow;
}

const finished: readonly string[] = ['Succeeded', 'Failed', 'Error'];

/**
 * Lines of the pods of a workflow in the order of their times. With `follow` pods that come later are read too, until the workflow has
 * ended and each pod has said all.
 */
export async function* workflowLogs(
  { client, clock, workflow, ...scene }: LogScene,
  request: Omit<LogRequest, 'name' | 'namespace'>,
): AsyncIterable<LogEntry> {
  const { namespace = '', name = '' } = workflow.metadata;
  const options = request.logOptions ?? {};
  const abort = new AbortController();
  const signal = AbortSignal.any([scene.signal, abort.signal]);
  const call = { client, signal };
  const queue = new LogQueue<LogEntry>(clock, signal);
  const reader = new PodReader({
    call,
    namespace,
    options,
    isWanted: wantedLines(request.grep),
    entryOf: ({ text }, { name: podName = '' }) => ({ content: text, podName }),
    queue,
  });
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace };
  const selectors = {
    labelSelector: [`${workflowNames.labels.workflow}=${name}`, ...(request.selector ? [request.selector] : [])].join(
      ',',
    ),
    ...(request.podName ? { fieldSelector: `metadata.name=${request.podName}` } : {}),
  };
  const work = async () => {
    const list = await call.client.list<Pod>(ref, { ...selectors, signal });
    for (const pod of list.items.sort(byStart)) reader.take(pod);
    if (options.follow && !finished.includes(workflow.status?.phase ?? '')) {
      const ended = new AbortController();
      const both = AbortSignal.any([signal, ended.signal]);
      await Promise.all([
        untilEnded(call, workflow, clock).finally(() => ended.abort()),
        followPods(
          { client, signal: both },
          { ref, selectors, from: list.metadata.resourceVersion ?? '', clock },
          (pod) => reader.take(pod),
        ),
      ]);
      // pods of which the watch did not tell before the workflow ended
      const last = await call.client.list<Pod>(ref, { ...selectors, signal });
      for (const pod of last.items.sort(byStart)) reader.take(pod);
    }
    await reader.done();
  };
  queue.endWith(work());
  try {
    yield* queue.entries();
  } finally {
    abort.abort();
  }
}

async function untilEnded({ client, signal }: Reading, workflow: StoredWorkflow, clock: Clock): Promise<void> {
  const { namespace = '', name = '' } = workflow.metadata;
  const ref = { apiVersion: workflowNames.apiVersion, kind: 'Workflow', namespace };
  const fieldSelector = `metadata.name=${name}`;
  while (!signal.aborted) {
    const list = await client.list<KubeObject & flow.Workflow>(ref, { fieldSelector, signal });
    const [found] = list.items;
    if (!found || finished.includes(found.status?.phase ?? '')) return;
    const resourceVersion = list.metadata.resourceVersion ?? '';
    for await (const { type, object } of client.watch<KubeObject & flow.Workflow>(ref, {
      fieldSelector,
      resourceVersion,
      signal,
    }))
      if (type === 'DELETED' || (type === 'MODIFIED' && finished.includes(object.status?.phase ?? ''))) return;
    await pause(clock, 200, signal);
  }
}
