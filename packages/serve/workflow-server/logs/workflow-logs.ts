import { type flow, workflowNames } from '@tiphys/api';
import { type Clock, type KubeObject, pause } from '@tiphys/kubernetes';
import type { StoredWorkflow } from '../common/live-workflows.ts';
import { LogQueue } from './log-queue.ts';
import { type LogOptions, podLines, type Reading } from './pod-lines.ts';
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

type Pod = KubeObject & { status?: { phase?: string; startTime?: string } };

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
  const queue = new LogQueue(clock, signal);
  const reader = new PodReader({
    call,
    namespace,
    options,
    isWanted: wantedLines(request.grep),
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

interface ReaderOptions {
  readonly call: Reading;
  readonly namespace: string;
  readonly options: LogOptions;
  readonly isWanted: (line: string) => boolean;
  readonly queue: LogQueue;
}

/** Reads each pod once, all of them side by side. */
class PodReader {
  readonly #options: ReaderOptions;
  readonly #read = new Map<string, Promise<void>>();

  constructor(options: ReaderOptions) {
    this.#options = options;
  }

  take({ metadata, status }: Pod): void {
    const uid = metadata.uid ?? '';
    if (status?.phase === 'Pending' || !status?.phase || this.#read.has(uid)) return;
    this.#read.set(uid, this.#lines(metadata.name ?? ''));
  }

  async done(): Promise<void> {
    for (let count = -1; count !== this.#read.size; ) {
      count = this.#read.size;
      await Promise.all(this.#read.values());
    }
  }

  async #lines(podName: string): Promise<void> {
    const { call, namespace, options, isWanted, queue } = this.#options;
    for await (const { time, text } of podLines(call, { namespace, name: podName }, options))
      if (isWanted(text)) await queue.push({ time, entry: { content: text, podName } });
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

interface Follow {
  readonly ref: { apiVersion: string; kind: string; namespace: string };
  readonly selectors: { labelSelector: string; fieldSelector?: string };
  readonly from: string;
  readonly clock: Clock;
}

async function followPods(
  { client, signal }: Reading,
  { ref, selectors, from, clock }: Follow,
  take: (pod: Pod) => void,
): Promise<void> {
  let resourceVersion = from;
  while (!signal.aborted) {
    try {
      for await (const { type, object } of client.watch<Pod>(ref, { ...selectors, resourceVersion, signal }))
        if (type === 'ADDED' || type === 'MODIFIED') take(object);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (signal.aborted) return;
    await pause(clock, 200, signal);
    const list = await client.list<Pod>(ref, { ...selectors, signal });
    for (const pod of list.items) take(pod);
    resourceVersion = list.metadata.resourceVersion ?? '';
  }
}

function byStart(a: Pod, b: Pod): number {
  return Date.parse(a.status?.startTime ?? '') - Date.parse(b.status?.startTime ?? '') || 0;
}
