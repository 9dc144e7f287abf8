import { names } from '@tiphys/api';
import { deepEqual, type StepOutcome, timestamp } from '@tiphys/controller';
import { diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import { touchesPaths, watchedPaths } from '@tiphys/glob';
import {
  drySourceOf,
  failureWait,
  hydrationNeed,
  type SourceHydrator,
  type SourceHydratorStatus,
} from '@tiphys/hydrator';
import { sourceDenial } from '../projects/projects.ts';
import { setConditions } from '../reconciliation/conditions.ts';
import type { HydrationOutcome } from '../reconciliation/hydrations.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';

/** Until a hydration is looked for that was asked and of which nothing was heard, in milliseconds. */
const requeuePeriod = 10_000;

/**
 * Keeps `status.sourceHydrator`: decides whether manifests have to be made of the dry source, asks for it, and records how it
 * ended. An application that was never hydrated has nothing to compare before that. Owns HydrationError.
 */
export async function hydrate(work: Reconciliation): Promise<StepOutcome> {
  const { next, status, context } = work;
  const spec = next.spec.sourceHydrator;
  const requested = takeHydrateRequest(work);
  // what was said of a hydration that is no longer wanted is said no longer
  if (!spec) setConditions(status, ['HydrationError'], [], timestamp(context.clock.now()));
  if (!spec || next.metadata.deletionTimestamp) return 'continue';
  status.sourceHydrator ??= {};
  const state = status.sourceHydrator;
  const outcome = context.hydrations.outcome(work.key);
  if (outcome && outcome.finishedAt !== state.currentOperation?.finishedAt) record(work, state, outcome);
  const begun = context.hydrations.begun(next);
  const isHydrating = begun !== undefined || state.currentOperation?.phase === 'Hydrating';
  if (isHydrating || (await isNeeded(work, { spec, state, requested }))) {
    // what goes on may have begun before that was there which the request is about
    if (begun === undefined || requested) context.hydrations.ask(next, { hard: requested === 'hard' });
    mark(state, spec, begun ?? timestamp(context.clock.now()));
    setConditions(status, ['HydrationError'], [], timestamp(context.clock.now()));
    work.requeueIn(requeuePeriod);
    if (!state.lastSuccessfulOperation) return 'stop';
  }
  return 'continue';
}

function mark(state: SourceHydratorStatus, spec: SourceHydrator, startedAt: string): void {
  const before = state.currentOperation;
  if (before?.phase === 'Hydrating' && deepEqual(before.sourceHydrator, spec)) return;
  state.currentOperation = { phase: 'Hydrating', startedAt, message: '', sourceHydrator: spec };
}

function record(work: Reconciliation, state: SourceHydratorStatus, outcome: HydrationOutcome): void {
  const { status, memory, context } = work;
  const { spec, drySHA, hydratedSHA, diagnosis, finishedAt } = outcome;
  const before = state.currentOperation;
  const startedAt = (before?.phase === 'Hydrating' && before.startedAt) || outcome.startedAt;
  const shas = { ...(drySHA ? { drySHA } : {}), ...(hydratedSHA ? { hydratedSHA } : {}) };
  if (drySHA) state.lastComparedDryRevision = drySHA;
  state.currentOperation = {
    phase: diagnosis ? 'Failed' : 'Hydrated',
    startedAt,
    finishedAt,
    message: diagnosis ? `Failed to hydrate: ${formatDiagnosis(diagnosis)}` : '',
    sourceHydrator: spec,
    ...shas,
  };
  if (!diagnosis) {
    state.lastSuccessfulOperation = { sourceHydrator: spec, ...shas };
    memory.surroundingsChanged({ askRemote: true });
  } else work.event('Warning', 'HydrationFailed', formatDiagnosis(diagnosis));
  setConditions(
    status,
    ['HydrationError'],
    diagnosis ? [{ type: 'HydrationError', diagnosis }] : [],
    timestamp(context.clock.now()),
  );
}

interface Asked {
  readonly spec: SourceHydrator;
  readonly state: SourceHydratorStatus;
  readonly requested: 'normal' | 'hard' | undefined;
}

async function isNeeded(work: Reconciliation, { spec, state, requested }: Asked): Promise<boolean> {
  const { context, status } = work;
  const now = context.clock.now();
  const need = hydrationNeed({ spec, status: state, requested, now, equal: deepEqual });
  if (need.kind === 'wait') work.requeueIn(need.delay);
  if (need.kind !== 'compare') return need.kind === 'hydrate';
  if (state.currentOperation?.phase === 'Failed')
    work.requeueIn(Math.max(1_000, Date.parse(state.currentOperation.finishedAt ?? '') + failureWait - now));
  try {
    const changed = await hasDryChanges(work, { spec, state, requested });
    if (state.currentOperation?.phase === 'Hydrated') setConditions(status, ['HydrationError'], [], timestamp(now));
    return changed;
  } catch (error) {
    work.signal.throwIfAborted();
    setConditions(
      status,
      ['HydrationError'],
      [{ type: 'HydrationError', diagnosis: diagnosisOf(error) }],
      timestamp(now),
    );
    work.requeueIn(30_000);
    return false;
  }
}

/** Whether what the annotation names, or anything, changed since the dry revision that was looked at last, which moves on. */
async function hasDryChanges(work: Reconciliation, { spec, state, requested }: Asked): Promise<boolean> {
  const { context, next, before, signal } = work;
  const source = drySourceOf(spec);
  const name = next.spec.project || 'default';
  const project = context.project(name);
  // who asks for a hydration is told why there can be none, and so is anyone who was hydrated before the project denied it
  if (!project || sourceDenial(project, source))
    return requested !== undefined || state.currentOperation?.phase === 'Hydrated';
  const asked = before.metadata.annotations?.[names.annotations.refresh] !== undefined;
  const { revision } = await context.renderer.resolve(source, name, source.targetRevision ?? '', {
    signal,
    ...(asked ? {} : { maxAge: undefined }),
  });
  const last = state.lastComparedDryRevision;
  if (revision === last) return false;
  state.lastComparedDryRevision = revision;
  const paths = watchedPaths(next.metadata.annotations?.[names.annotations.manifestGeneratePaths], source.path);
  if (!last || paths.length === 0) return true;
  const changed = await context.renderer.changedFiles({ source, project: name }, { from: last, to: revision }, signal);
  return changed.length > 0 && touchesPaths(paths, changed);
}

/** What the hydrate annotation asks for; it is taken off. */
function takeHydrateRequest({ next }: Reconciliation): 'normal' | 'hard' | undefined {
  const { [names.annotations.hydrate]: type, ...rest } = next.metadata.annotations ?? {};
  if (type === undefined) return undefined;
  next.metadata.annotations = rest;
  return type === 'hard' ? 'hard' : 'normal';
}
