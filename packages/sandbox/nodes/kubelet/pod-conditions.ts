import type { Condition, ContainerStatus, Pod, PodStatus } from '@tiphys/kube-controllers';
import { timestamp } from '@tiphys/kubernetes';

type Phase = NonNullable<PodStatus['phase']>;

/** What the node knows of a pod besides what its containers are doing. */
export interface PodFacts {
  readonly phase: Phase;
  /** Of all containers but the ephemeral ones. */
  readonly statuses: readonly ContainerStatus[];
  /** Its network is set up. */
  readonly sandboxed: boolean;
  /** Pending and running resizes. */
  readonly resizes: readonly Condition[];
  readonly now: number;
}

type Verdict = [holds: boolean, reason?: string, message?: string];

/** Conditions that the kubelet writes; all others are somebody else's and stay as they are. */
const owned = new Set([
  'PodReadyToStartContainers',
  'Initialized',
  'Ready',
  'ContainersReady',
  'PodScheduled',
  'PodResizePending',
  'PodResizeInProgress',
]);

/** The conditions of a pod in the order in which the kubelet writes them: those of others first. */
export function podConditions(pod: Pod, facts: PodFacts): Condition[] {
  const before = pod.status?.conditions ?? [];
  const foreign = before.filter(({ type }) => !owned.has(type));
  const containersReady = areContainersReady(pod, facts);
  const verdicts: [type: string, verdict: Verdict][] = [
    ['PodReadyToStartContainers', [facts.sandboxed]],
    ['Initialized', isInitialized(pod, facts)],
    ['Ready', containersReady[0] ? areGatesOpen(pod, foreign) : containersReady],
    ['ContainersReady', containersReady],
    ['PodScheduled', [true]],
  ];
  const { generation } = pod.metadata;
  return [
    ...foreign,
    ...facts.resizes,
    ...verdicts.map(([type, [holds, reason, message]]) => {
      const status = holds ? ('True' as const) : ('False' as const);
      const known = before.find((item) => item.type === type && item.status === status);
      return {
        type,
        ...(generation ? { observedGeneration: generation } : {}),
        status,
        lastProbeTime: null,
        lastTransitionTime: known?.lastTransitionTime ?? timestamp(facts.now),
        ...(reason ? { reason } : {}),
        ...(message ? { message } : {}),
      };
    }),
  ];
}

function areContainersReady({ spec }: Pod, { phase, statuses }: PodFacts): Verdict {
  if (phase === 'Succeeded') return [false, 'PodCompleted'];
  if (phase === 'Failed') return [false, 'PodFailed'];
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  const unready = [...sidecars, ...spec.containers]
    .map(({ name }) => name)
    .filter((name) => !statuses.find((status) => status.name === name)?.ready);
  if (unready.length === 0) return [true];
  return [false, 'ContainersNotReady', `containers with unready status: [${unready.join(' ')}]`];
}

function areGatesOpen({ spec }: Pod, foreign: readonly Condition[]): Verdict {
  const closed = (spec.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = foreign.find(({ type }) => type === conditionType);
    const gate = `pod readiness gate ${JSON.stringify(conditionType)}`;
    if (!found) return [`corresponding condition of ${gate} does not exist.`];
    return found.status === 'True' ? [] : [`the status of ${gate} is not "True", but ${found.status}`];
  });
  return closed.length === 0 ? [true] : [false, 'ReadinessGatesNotReady', closed.join(', ')];
}

function isInitialized({ spec }: Pod, { phase, statuses }: PodFacts): Verdict {
  if (phase === 'Succeeded') return [true, 'PodCompleted'];
  const status = (name: string) => statuses.find((item) => item.name === name);
  if (spec.containers.some(({ name }) => hasStarted(status(name)))) return [true];
  const incomplete = (spec.initContainers ?? [])
    .filter(({ name, restartPolicy }) => !(restartPolicy === 'Always' ? status(name)?.started : status(name)?.ready))
    .map(({ name }) => name);
  if (incomplete.length === 0) return [true];
  return [false, 'ContainersNotInitialized', `containers with incomplete status: [${incomplete.join(' ')}]`];
}

function hasStarted(status: ContainerStatus | undefined): boolean {
  return !!(status?.state.running ?? status?.state.terminated ?? status?.lastState.terminated);
}

/** What a pod's phase follows from. */
export interface PhaseFacts {
  readonly statuses: readonly ContainerStatus[];
  /** Nothing of it will be started again. */
  readonly terminal: boolean;
}

/** The phase by the kubelet's rule (`getPhase`): from what the containers do, and the restart policy. */
export function podPhase(pod: Pod, facts: PhaseFacts): Phase {
  const phase = phaseOfContainers(pod, facts);
  return facts.terminal && phase === 'Pending' ? 'Failed' : phase;
}

function phaseOfContainers({ spec }: Pod, { statuses, terminal }: PhaseFacts): Phase {
  const policy = spec.restartPolicy ?? 'Always';
  const status = (name: string) => statuses.find((item) => item.name === name);
  const inits = spec.initContainers ?? [];
  const mains = spec.containers.map(({ name }) => status(name));
  const initialized = mains.some(hasStarted);
  let pending = false;
  let running = 0;
  let waiting = 0;
  for (const { name, restartPolicy } of inits) {
    const { state, lastState, started } = status(name) ?? { state: {}, lastState: {} };
    const code = (state.terminated ?? (state.waiting ? lastState.terminated : undefined))?.exitCode;
    if (restartPolicy === 'Always') {
      if (state.running) running += 1;
      const unborn = !state.running && !state.terminated && !lastState.terminated;
      if (unborn) waiting += 1;
      if (!initialized && (unborn || (state.running && !started))) pending = true;
    } else if (code === undefined) pending = true;
    else if (code !== 0 && policy === 'Never') return 'Failed';
  }
  const ends = mains.map((main) => {
    if (main?.state.running) running += 1;
    const end = main?.state.terminated ?? (main?.state.waiting ? main.lastState.terminated : undefined);
    if (!end && !main?.state.running) waiting += 1;
    return { exitCode: end?.exitCode, over: main?.state.terminated !== undefined };
  });
  if (pending || waiting > 0) return 'Pending';
  if (running > 0) return 'Running';
  const succeeded = ends.every(({ exitCode, over }) => over && exitCode === 0);
  if (terminal) return succeeded ? 'Succeeded' : 'Failed';
  if (policy === 'Always') return 'Running';
  if (succeeded) return 'Succeeded';
  return policy === 'Never' ? 'Failed' : 'Running';
}
