import type { AnalysisRun } from '@tiphys/analysis';
import type { Rollout } from '@tiphys/api';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { KubeObject } from '@tiphys/kubernetes';
import { MetricsTable } from './metrics-table.ts';
import { type SimulatedEvent, Simulation } from './simulation.ts';

const invalid = defineDiagnosis('SimulationInvalid', 'What is to be simulated has no Rollout, or several.');

export interface SimulationOptions {
  /** A Rollout, and the AnalysisTemplates that it names. */
  readonly objects: readonly KubeObject[];
  /** What metrics say, as CSV; needed if anything is measured. */
  readonly metrics?: { readonly text: string; readonly file: string } | undefined;
  /** Promotes at each pause without an end; otherwise the first one ends the simulation. */
  readonly promotes: boolean;
  /** Milliseconds after which the simulation ends whatever the Rollout does. */
  readonly horizon: number;
}

/** One line of what happened. */
export interface TimelineEntry {
  /** Milliseconds since the update. */
  readonly at: number;
  readonly what: string;
  readonly message: string;
  readonly isWarning: boolean;
}

export interface Timeline {
  readonly entries: readonly TimelineEntry[];
  /** Healthy, Degraded, Paused or Progressing, and why. */
  readonly phase: string;
  readonly message: string;
  /** Milliseconds from the update to the end. */
  readonly duration: number;
}

/** Plays an update of a Rollout on a clock of its own: pods are there at once, metrics say what the table says. */
export async function simulateRollout(options: SimulationOptions): Promise<Timeline> {
  const rollout = rolloutOf(options.objects);
  const table = options.metrics ? MetricsTable.parse(options.metrics.text, options.metrics.file) : undefined;
  let updated = 0;
  const simulation = new Simulation((metric, now) => {
    if (table) return table.reading(metric, now - updated);
    throw failure(invalid, {
      message: `Metric ${metric.name} is measured, and nothing says what it is`,
      remedies: ['Give a table of metrics with --metrics'],
    });
  });
  for (const object of options.objects) if (object !== rollout) simulation.cluster.apply(placed(object, rollout));
  for (const name of serviceNames(rollout)) simulation.cluster.apply(serviceNamed(name, rollout));
  simulation.cluster.apply(rollout);
  await simulation.settle();
  const before = simulation.events.length;
  updated = simulation.clock.now();
  simulation.cluster.apply(nextRevision(rollout));
  const end = updated + options.horizon;
  const notes: SimulatedEvent[] = [];
  for (;;) {
    await simulation.settle();
    const now = current(simulation, rollout);
    if (isOver(now)) break;
    if (isPausedForGood(now)) {
      if (!options.promotes) break;
      notes.push(note(simulation, rollout, 'Promoted', 'the pause has no end; promoted at once'));
      promote(simulation, now);
    } else if (!simulation.advance(end)) break;
  }
  const happened = [...simulation.events.slice(before), ...notes, ...measurements(simulation)];
  return timeline(simulation, current(simulation, rollout), { happened, updated });
}

function rolloutOf(objects: readonly KubeObject[]): Rollout {
  const rollouts = objects.filter(({ kind }) => kind === 'Rollout');
  const [rollout] = rollouts;
  if (!rollout || rollouts.length > 1)
    throw failure(invalid, {
      message: `One Rollout is simulated at a time, and there are ${rollouts.length}`,
      remedies: ['Put one Rollout with its AnalysisTemplates into the file'],
    });
  return placed(rollout, rollout) as Rollout;
}

function placed(object: KubeObject, { metadata }: KubeObject): KubeObject {
  if (object.kind === 'ClusterAnalysisTemplate') return object;
  return { ...object, metadata: { ...object.metadata, namespace: metadata.namespace || 'default' } };
}

function serviceNames({ spec: { strategy } }: Rollout): string[] {
  const { canary, blueGreen } = strategy;
  const names = [
    canary?.canaryService,
    canary?.stableService,
    canary?.pingPong?.pingService,
    canary?.pingPong?.pongService,
    blueGreen?.activeService,
    blueGreen?.previewService,
  ];
  return names.filter((name) => name !== undefined && name !== '') as string[];
}

function serviceNamed(name: string, { metadata, spec }: Rollout): KubeObject {
  const { matchLabels = {} } = (spec.selector ?? {}) as { matchLabels?: Record<string, string> };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: metadata.namespace || 'default' },
    spec: { selector: { ...matchLabels } },
  };
}

/** The Rollout with another template, as a new image would make it. */
function nextRevision(rollout: Rollout): Rollout {
  const { template } = rollout.spec as { template?: { metadata?: { annotations?: Record<string, string> } } };
  const annotations = { ...template?.metadata?.annotations, 'tiphys.dev/simulated-update': 'true' };
  return {
    ...rollout,
    spec: { ...rollout.spec, template: { ...template, metadata: { ...template?.metadata, annotations } } },
  } as Rollout;
}

function current({ cluster }: Simulation, rollout: Rollout): Rollout {
  return cluster.object<Rollout>(rollout) ?? rollout;
}

function isOver({ status }: Rollout): boolean {
  return status?.phase === 'Healthy' || (status?.phase === 'Degraded' && Boolean(status.abort));
}

function isPausedForGood({ spec, status }: Rollout): boolean {
  if (status?.phase !== 'Paused') return false;
  const step = spec.strategy.canary?.steps?.[status.currentStepIndex ?? 0];
  const isTimed = step?.pause?.duration !== undefined || Boolean(spec.strategy.blueGreen?.autoPromotionSeconds);
  const isInconclusive = status.pauseConditions?.some(({ reason }) => reason.startsWith('Inconclusive'));
  return !isTimed || Boolean(isInconclusive);
}

/** What `kubectl argo rollouts promote` writes. */
function promote({ cluster }: Simulation, rollout: Rollout): void {
  const { pauseConditions: _, ...status } = rollout.status ?? {};
  const isInconclusive = rollout.status?.pauseConditions?.some(({ reason }) => reason.startsWith('Inconclusive'));
  const currentStepIndex = (rollout.status?.currentStepIndex ?? 0) + 1;
  cluster.memory.put({
    ...rollout,
    spec: { ...rollout.spec, paused: false },
    status: { ...status, ...(isInconclusive ? { controllerPause: false, currentStepIndex } : {}) },
  } as Rollout);
}

function note({ clock }: Simulation, { kind, metadata }: Rollout, reason: string, message: string): SimulatedEvent {
  return { at: clock.now(), kind, name: metadata.name ?? '', type: 'Normal', reason, message };
}

/** Measurements as lines: what was measured, and how it was judged. */
function measurements({ cluster }: Simulation): SimulatedEvent[] {
  return cluster.objects<AnalysisRun>('AnalysisRun').flatMap(({ kind, metadata, status }) =>
    (status?.metricResults ?? []).flatMap(({ name, measurements: taken = [] }) =>
      taken.map(({ phase, value = '', message, finishedAt = '' }) => ({
        at: Date.parse(finishedAt),
        kind,
        name: metadata.name ?? '',
        type: phase === 'Successful' ? 'Normal' : 'Warning',
        reason: 'Measurement',
        message: `${name} = ${value || '-'}: ${phase}${message ? ` (${message})` : ''}`,
      })),
    ),
  );
}

/** Events that tell of the machinery alone. */
const untold: ReadonlySet<string> = new Set(['NewReplicaSetCreated', 'SwitchService', 'RolloutAddedToInformer']);

/** What is measured stands before what follows from it, but after the update itself. */
function rank({ at, reason }: SimulatedEvent, updated: number): number {
  return reason === 'Measurement' && at > updated ? 0 : 1;
}

function timeline(
  { clock }: Simulation,
  { status }: Rollout,
  { happened, updated }: { happened: readonly SimulatedEvent[]; updated: number },
): Timeline {
  const entries = happened
    .filter(({ reason }) => !untold.has(reason))
    .toSorted((a, b) => a.at - b.at || rank(a, updated) - rank(b, updated))
    .map(({ at, reason, message, type }) => ({
      at: Math.max(0, at - updated),
      what: reason,
      message,
      isWarning: type === 'Warning',
    }));
  return {
    entries,
    phase: status?.phase ?? 'Progressing',
    message: status?.message ?? '',
    duration: clock.now() - updated,
  };
}
