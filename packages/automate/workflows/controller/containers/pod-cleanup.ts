import { workflowNames } from '@tiphys/api';
import { goDuration } from '@tiphys/go';
import {
  type Client,
  type Clock,
  isConflict,
  isInvalid,
  isNotFound,
  type KubeObject,
  WorkQueue,
} from '@tiphys/kubernetes';
import { matchesSelector } from '../../model/label-selector.ts';
import { isCompletedWorkflow, isEnded } from '../../model/phases.ts';
import type { Pod, PodGCStrategy, Workflow } from '../../model/types.ts';
import type { ContainerSignals } from './container-signals.ts';

type Task = 'terminate' | 'kill' | 'delete' | 'complete' | 'finalize';

const { labels, finalizers } = workflowNames;
/** Of how many pods it is remembered that nothing is left to be done. */
const mostRetired = 20_000;

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
  /** Pods as they were seen when they were queued, by key: what is known need not be asked for. */
  readonly #seen = new Map<string, SeenPod>();
  /** Pods, by uid, that were labelled and let go and may not be seen so yet; the oldest are forgotten. */
  readonly #retired = new Set<string>();

  constructor(options: PodCleanupOptions) {
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
  }

  /** The tasks, for whoever measures them. */
  get queue(): WorkQueue {
    return this.#queue;
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
    if (!metadata.finalizers?.includes(finalizers.podStatus)) return;
    this.#let(`${metadata.namespace ?? ''}/${metadata.name ?? ''}/finalize`, { metadata });
  }

  /** Whether this labels a pod, or has, so that nobody reads it again. */
  hasCompleted({ metadata: { namespace = '', name = '', uid } }: Pod): boolean {
    return (
      this.#retired.has(`${uid}/complete`) || this.#seen.get(`${namespace}/${name}/complete`)?.metadata.uid === uid
    );
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
      if (!fate || this.#retired.has(`${pod.metadata.uid}/${fate}`)) return;
      this.#let(`${namespace}/${name}/${fate}`, pod);
      return;
    }
    const own = podGC?.deleteDelayDuration ? goDuration(podGC.deleteDelayDuration) : undefined;
    this.#queue.addAfter(`${namespace}/${name}/delete`, own ?? this.#options.deleteDelay() ?? 5000);
  }

  #let(key: string, pod: SeenPod): void {
    this.#seen.set(key, pod);
    this.#queue.add(key);
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
        default:
          await this.#letGo(ref, key, task as 'complete' | 'finalize');
          return undefined;
      }
    } catch (error) {
      if (isNotFound(error)) {
        this.#seen.delete(key);
        return undefined;
      }
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
    await this.#patch(ref, undefined, await this.#options.client.get(ref));
    const grace = this.#options.gracePeriodSeconds();
    await this.#options.client.delete(ref, {
      propagationPolicy: 'Background',
      ...(grace === undefined ? {} : { gracePeriodSeconds: grace }),
      ...(uid ? { preconditions: { uid } } : {}),
    });
    return undefined;
  }

  async #letGo(ref: PodRef, key: string, task: 'complete' | 'finalize'): Promise<void> {
    const seen = this.#seen.get(key);
    if (!seen) return;
    const { uid } = seen.metadata;
    const wanted = task === 'complete' ? { [labels.completed]: 'true' } : undefined;
    try {
      await this.#patch(ref, wanted, seen);
    } catch (error) {
      if (!isConflict(error) && !isInvalid(error)) throw error;
      // it has changed since it was seen; another one of its name is none of this
      const now = await this.#options.client.get<KubeObject>(ref);
      if (now.metadata.uid === uid) await this.#patch(ref, wanted, now);
    }
    if (this.#seen.get(key) === seen) this.#seen.delete(key);
    if (uid) this.#remember(`${uid}/${task}`);
  }

  #remember(retired: string): void {
    this.#retired.add(retired);
    for (const oldest of this.#retired) {
      if (this.#retired.size <= mostRetired) break;
      this.#retired.delete(oldest);
    }
  }

  /** Sets labels, and lets go of the pod. Fails for another one of its name. */
  async #patch(
    ref: PodRef,
    wanted: Record<string, string> | undefined,
    { metadata: { uid, resourceVersion, finalizers: held = [] } }: SeenPod,
  ): Promise<void> {
    const isHeld = held.includes(finalizers.podStatus);
    if (!wanted && !isHeld) return;
    await this.#options.client.patch(ref, 'merge', {
      metadata: {
        ...(uid ? { uid } : {}),
        ...(isHeld ? { finalizers: held.filter((name) => name !== finalizers.podStatus), resourceVersion } : {}),
        ...(wanted ? { labels: wanted } : {}),
      },
    });
  }
}

type SeenPod = Pick<KubeObject, 'metadata'>;

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

/** What becomes of a pod whose node has ended: deleted, labelled so that nobody reads it again, or only let go. */
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
