import { workflowNames } from '@tiphys/api';
import { goDuration } from '@tiphys/go';
import { type Client, type Clock, isConflict, isNotFound, WorkQueue } from '@tiphys/kubernetes';
import { isCompletedWorkflow, isEnded } from '../model/phases.ts';
import type { Pod, PodGCStrategy, Workflow } from '../model/types.ts';
import type { ContainerSignals } from './container-signals.ts';
import { matchesSelector } from './label-selector.ts';

type Task = 'terminate' | 'kill' | 'delete' | 'complete' | 'finalize';

const { labels, finalizers } = workflowNames;

export interface PodCleanupOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signals: ContainerSignals;
  readonly onError: (key: string, error: unknown) => void;
  /** Milliseconds before a pod is deleted; 5 s if absent. */
  readonly deleteDelay: () => number | undefined;
  readonly gracePeriodSeconds: () => number | undefined;
}

/** Ends, labels and deletes pods in the background. Everything here is found again by a later pass if it is lost. */
export class PodCleanup {
  readonly #options: PodCleanupOptions;
  readonly #queue: WorkQueue;

  constructor(options: PodCleanupOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
  }

  /** Tasks that wait for a worker, and those that have one. */
  get depth(): number {
    return this.#queue.depth;
  }

  get busy(): number {
    return this.#queue.busy;
  }

  run(workers: number, signal: AbortSignal): Promise<void> {
    const { onError } = this.#options;
    return this.#queue.run({ workers, signal, reconcile: (key) => this.#do(key, signal), onError });
  }

  /** Ends the containers of a pod whose node is decided, or whose main containers are over. */
  terminate(namespace: string, pod: string): void {
    this.#queue.add(`${namespace}/${pod}/terminate`);
  }

  delete(namespace: string, pod: string, uid?: string): void {
    this.#queue.add(`${namespace}/${pod}/delete${uid ? `/${uid}` : ''}`);
  }

  /** Lets go of a pod whose workflow is gone: nobody will read how it ended. */
  release({ metadata }: Pod): void {
    if (metadata.finalizers?.includes(finalizers.podStatus))
      this.#queue.add(`${metadata.namespace ?? ''}/${metadata.name ?? ''}/finalize`);
  }

  /** Does what is due for the pods of a workflow as it is stored. */
  sweep(workflow: Workflow, pods: readonly Pod[]): void {
    const { namespace = '' } = workflow.metadata;
    for (const pod of pods) {
      const { name = '', annotations } = pod.metadata;
      const node = workflow.status?.nodes?.[annotations?.[workflowNames.annotations.nodeId] ?? ''];
      const isOver = isCompletedWorkflow(workflow.status?.phase);
      const component = pod.metadata.labels?.[labels.component];
      const isAgent = component === 'agent';
      if (component === 'artifact-gc') continue;
      if (isAgent ? !isOver : !node || !(isEnded(node) || isOver)) continue;
      const phase = pod.status?.phase;
      if (isAgent) this.#queue.add(`${namespace}/${name}/delete`);
      else if (phase === 'Succeeded' || phase === 'Failed') this.#retire(workflow, pod);
      else this.terminate(namespace, name);
    }
  }

  #retire(workflow: Workflow, pod: Pod): void {
    const { namespace = '', name = '' } = pod.metadata;
    const podGC = workflow.status?.storedWorkflowTemplateSpec?.podGC ?? workflow.spec.podGC;
    const phase = workflow.status?.phase;
    const strategy = podGC?.strategy || undefined;
    const isSelected = matchesSelector(podGC?.labelSelector, pod.metadata.labels ?? {});
    const fate = isSelected ? fateOf({ strategy, phase, pod }) : 'complete';
    if (fate !== 'delete') {
      if (fate) this.#queue.add(`${namespace}/${name}/${fate}`);
      return;
    }
    const own = podGC?.deleteDelayDuration ? goDuration(podGC.deleteDelayDuration) : undefined;
    this.#queue.addAfter(`${namespace}/${name}/delete`, own ?? this.#options.deleteDelay() ?? 5000);
  }

  async #do(key: string, signal: AbortSignal): Promise<{ requeueAfter?: number } | undefined> {
    const [namespace = '', name = '', task, uid] = key.split('/');
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name };
    try {
      switch (task as Task) {
        case 'terminate':
          return await this.#terminate(namespace, name, signal);
        case 'kill':
          await this.#options.signals.send(namespace, name, { signal: 'KILL', abort: signal });
          return undefined;
        case 'delete':
          return await this.#delete(ref, uid);
        case 'complete':
          await this.#patch(ref, { [labels.completed]: 'true' });
          return undefined;
        default:
          await this.#patch(ref, undefined);
          return undefined;
      }
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (isConflict(error)) return { requeueAfter: 100 };
      throw error;
    }
  }

  async #terminate(namespace: string, name: string, signal: AbortSignal): Promise<undefined> {
    const grace = await this.#options.signals.send(namespace, name, { signal: 'TERM', abort: signal });
    if (grace === undefined) {
      await this.#delete({ apiVersion: 'v1', kind: 'Pod', namespace, name }, undefined);
      return undefined;
    }
    if (grace > 0) this.#queue.addAfter(`${namespace}/${name}/kill`, grace * 1000);
    return undefined;
  }

  async #delete(ref: PodRef, uid: string | undefined): Promise<undefined> {
    await this.#patch(ref, undefined);
    const grace = this.#options.gracePeriodSeconds();
    await this.#options.client.delete(ref, {
      propagationPolicy: 'Background',
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      ...(uid ? { preconditions: { uid } } : {}),
    });
    return undefined;
  }

  /** Sets labels, and lets go of the pod. */
  async #patch(ref: PodRef, wanted: Record<string, string> | undefined): Promise<void> {
    const { client } = this.#options;
    const pod = await client.get(ref);
    const held = pod.metadata.finalizers ?? [];
    const isHeld = held.includes(finalizers.podStatus);
    if (!wanted && !isHeld) return;
    const { resourceVersion } = pod.metadata;
    await client.patch(ref, 'merge', {
      metadata: {
        ...(isHeld ? { finalizers: held.filter((name) => name !== finalizers.podStatus), resourceVersion } : {}),
        ...(wanted ? { labels: wanted } : {}),
      },
    });
  }
}

interface PodRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface Retired {
  readonly strategy: PodGCStrategy | undefined;
  readonly phase: string | undefined;
  readonly pod: Pod;
}

/** What becomes of a pod whose node has ended: deleted, labelled so that nobody looks at it again, or only let go. */
export function fateOf({ strategy, phase, pod }: Retired): 'delete' | 'complete' | 'finalize' | undefined {
  const isOver = phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
  const succeeded = pod.status?.phase === 'Succeeded';
  if (!strategy) return 'complete';
  if (strategy === 'OnPodCompletion') return 'delete';
  if (strategy === 'OnWorkflowCompletion' && isOver) return 'delete';
  if (strategy === 'OnWorkflowSuccess' && phase === 'Succeeded') return 'delete';
  if (strategy === 'OnPodSuccess') return succeeded ? 'delete' : 'complete';
  if (isOver) return 'complete';
  return pod.metadata.finalizers?.includes(finalizers.podStatus) ? 'finalize' : undefined;
}
