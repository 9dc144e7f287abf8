import { workflowNames } from '@tiphys/api';
import { hasLocationOrKey } from '../model/artifacts.ts';
import { timestamp } from '../model/time.ts';
import type { ContainerStatus, Outputs, Pod, PodStatus, Template, WorkflowTaskResult } from '../model/types.ts';
import { type Fate, terminated } from './fate.ts';

/** A pod whose life only time drives. */
export class SimulatedPod {
  readonly pod: Pod;
  readonly fate: Fate;
  readonly createdAt: number;
  #stoppedAt: number | undefined;

  constructor(pod: Pod, fate: Fate, createdAt: number) {
    this.pod = pod;
    this.fate = fate;
    this.createdAt = createdAt;
  }

  get name(): string {
    return this.pod.metadata.name ?? '';
  }

  /** Somebody ends its containers. */
  terminate(now: number): void {
    this.#stoppedAt ??= now;
  }

  get #startsAt(): number {
    return this.createdAt + (this.fate.start ?? 0) * 1000;
  }

  get #endsAt(): number {
    return this.#startsAt + (this.fate.run ?? 1) * 1000;
  }

  /** When the kubelet ends it. */
  get #deadline(): number {
    const { activeDeadlineSeconds } = this.pod.spec;
    return activeDeadlineSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : this.#startsAt + Number(activeDeadlineSeconds) * 1000;
  }

  /** The next time at which the pod changes by itself; undefined if it does not. */
  changesAt(now: number): number | undefined {
    if (this.fate.loss === 'never' && this.#stoppedAt === undefined) return undefined;
    const end = Math.min(this.#stoppedAt ?? this.#endsAt, this.#deadline);
    return [this.#startsAt, end].find((time) => time > now);
  }

  /** The pod as the API server shows it; undefined once it is lost. */
  at(now: number): Pod | undefined {
    const { loss } = this.fate;
    const end = Math.min(
      this.#stoppedAt ?? Number.POSITIVE_INFINITY,
      loss === 'never' ? Number.POSITIVE_INFINITY : Math.min(this.#endsAt, this.#deadline),
    );
    if (loss === 'lost' && now >= end) return undefined;
    return { ...this.pod, spec: { ...this.pod.spec, nodeName: 'node-1' }, status: this.#status(now, end) };
  }

  #status(now: number, end: number): PodStatus {
    if (this.fate.loss === 'never' && now < end) return { phase: 'Pending', conditions: [unscheduled] };
    if (now < this.#startsAt && now < end) return { phase: 'Pending' };
    if (now < end) return { phase: 'Running', podIP: '10.0.0.1', containerStatuses: this.#running() };
    return this.#ended(end);
  }

  #running(): ContainerStatus[] {
    const startedAt = timestamp(this.#startsAt);
    return this.pod.spec.containers.map(({ name = '' }) => ({ name, ready: true, state: { running: { startedAt } } }));
  }

  #ended(end: number): PodStatus {
    const { loss, message } = this.fate;
    if (loss !== 'never' && end === this.#deadline && end < this.#endsAt) return pastDeadline;
    const times = { startedAt: timestamp(Math.min(this.#startsAt, end)), finishedAt: timestamp(end) };
    if (loss === 'evicted')
      return { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' };
    if (loss === 'init')
      return { phase: 'Failed', initContainerStatuses: [{ name: 'init', state: terminated(64, times, message) }] };
    const exit = this.#stoppedAt !== undefined && this.#stoppedAt < this.#endsAt ? 143 : (this.fate.exit ?? 0);
    const containerStatuses = this.pod.spec.containers.map(({ name = '' }) => ({
      name,
      ready: false,
      state: terminated(name === 'wait' ? 0 : exit, times, name === 'wait' ? undefined : message),
    }));
    return { phase: exit === 0 ? 'Succeeded' : 'Failed', containerStatuses };
  }

  /** What the executor has reported by now. */
  resultAt(now: number): WorkflowTaskResult | undefined {
    const shown = this.at(now);
    const nodeId = this.pod.metadata.annotations?.[workflowNames.annotations.nodeId] ?? '';
    const phase = shown?.status?.phase;
    if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
    return {
      apiVersion: workflowNames.apiVersion,
      kind: 'WorkflowTaskResult',
      metadata: { name: nodeId, labels: { [workflowNames.labels.outputsReported]: 'true' } },
      ...(phase === 'Succeeded' ? { outputs: simulatedOutputs(this.pod, this.fate.outputs ?? {}) } : {}),
    };
  }
}

const pastDeadline: PodStatus = {
  phase: 'Failed',
  reason: 'DeadlineExceeded',
  message: 'Pod was active on the node longer than the specified deadline',
};

const unscheduled = {
  type: 'PodScheduled',
  status: 'False',
  reason: 'Unschedulable',
  message: '0/1 nodes are available: 1 Insufficient cpu.',
};

/** The template that a pod carries for its executor. */
export function templateOfPod({ spec }: Pod): Template {
  const init = spec.initContainers?.find(({ name }) => name === 'init');
  const text = init?.env?.find(({ name }) => name === 'ARGO_TEMPLATE')?.value;
  return text ? (JSON.parse(text) as Template) : {};
}

/** Outputs as the template declares them, with the values that are given, else its defaults. */
export function simulatedOutputs(pod: Pod, given: NonNullable<Fate['outputs']>): Outputs {
  const { outputs } = templateOfPod(pod);
  const parameters = (outputs?.parameters ?? []).map(({ valueFrom, ...parameter }) => ({
    ...parameter,
    value: given.parameters?.[parameter.name] ?? valueFrom?.default ?? '',
  }));
  const folder = `${pod.metadata.labels?.[workflowNames.labels.workflow]}/${pod.metadata.name}`;
  const artifacts =
    given.artifacts ??
    (outputs?.artifacts ?? []).map((artifact) =>
      hasLocationOrKey(artifact) ? artifact : { ...artifact, s3: { key: `${folder}/${artifact.name}.tgz` } },
    );
  return {
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(artifacts.length > 0 ? { artifacts } : {}),
    ...(given.result === undefined ? {} : { result: given.result }),
  };
}
