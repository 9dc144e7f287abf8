import type { ApplicationSource, ApplicationStatus, Operation } from '@tiphys/api';
import { names } from '@tiphys/api';
import { deepEqual, type StepOutcome, timestamp } from '@tiphys/controller';
import { diagnosisOf } from '@tiphys/diagnosis';
import { type Condition, type StoredDiagnosis, setConditions } from '../reconciliation/conditions.ts';
import {
  gateClosed,
  healthGateOf,
  notRestored,
  restored,
  restoredRender,
  type Shortfall,
  shortfallSentence,
} from '../reconciliation/health-gate.ts';
import { quarantine, quarantinedAs, releaseFromQuarantine } from '../reconciliation/quarantine.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';
import { localManifests } from '../sources/local-manifests.ts';
import { type RecordedHead, renderDigest } from '../sources/recorded-manifests.ts';
import type { RenderedSources } from '../sources/source-renderer.ts';
import { hasSources, revisionFields, revisionsOf, sourcesOf } from '../spec/source-of.ts';
import { isRunning, startedOperation } from './auto-sync.ts';
import { isOfSurroundings } from './surroundings.ts';
import { failuresOf } from './sync-findings.ts';

/** A sync by automation of everything that a revision holds. */
interface Delivery {
  readonly revisions: readonly string[];
  readonly sources: readonly ApplicationSource[];
  readonly startedAt: string;
  readonly outcome: 'running' | 'failed' | 'succeeded';
}

/**
 * Where the annotation asks for it: records the manifests of what is synced and healthy, and takes back what an automated sync
 * delivered and what is not healthy in time. That puts the revision in quarantine and syncs the recorded manifests, in one write.
 * It runs without a repository too. Owns HealthGateError.
 */
export async function healthGate(work: Reconciliation): Promise<StepOutcome> {
  const { next, status, context, before } = work;
  const gate = healthGateOf(next);
  const told = (conditions: readonly Condition[]) =>
    setConditions(status, ['HealthGateError'], conditions, timestamp(context.clock.now()));
  if (gate === undefined || before.metadata.deletionTimestamp) {
    told([]);
    return 'continue';
  }
  if (typeof gate === 'object') {
    told([{ type: 'HealthGateError', diagnosis: gate.invalid }]);
    return 'continue';
  }
  try {
    const found = await judge(work, gate);
    told(found ? [found] : []);
  } catch (error) {
    work.signal.throwIfAborted();
    told([{ type: 'HealthGateError', diagnosis: diagnosisOf(error) }]);
  }
  return 'continue';
}

async function judge(work: Reconciliation, gate: number): Promise<Condition | undefined> {
  const { next, status, context } = work;
  const restoring = await restoration(work);
  if (restoring) return restoring;
  const delivery = deliveryOf(work);
  const deadline = delivery ? Date.parse(delivery.startedAt) + gate : Number.NEGATIVE_INFINITY;
  const overdue = context.clock.now() >= deadline;
  releaseByHand(work);
  if (isGood(work, { delivery, overdue })) {
    await recordGood(work);
    return undefined;
  }
  if (!delivery || isWell(status.health?.status)) return undefined;
  const failed = delivery.outcome === 'failed';
  if (!overdue && !failed) {
    work.requeueIn(deadline - context.clock.now());
    return undefined;
  }
  if (next.operation && !isRunning(status.operationState)) return undefined;
  return takeBack(work, delivery, gate);
}

/** What became of the restoration that is the last operation; undefined if that was something else. */
async function restoration({ next, status, context, memory }: Reconciliation): Promise<Condition | undefined> {
  const state = status.operationState;
  const render = state && restoredRender(state.operation);
  if (!state || render === undefined) return undefined;
  const head = await context.recorded.head(next);
  if (!head || head.render !== render) return undefined;
  if (!isRunning(state) && state.phase !== 'Succeeded')
    return { type: 'HealthGateError', diagnosis: notRestored(head, state.message ?? state.phase) };
  const revisions = revisionsOf(status.sync);
  const entry = quarantinedAs(next, { revisions, render: digestOf(memory.rendered, revisions) });
  // once the repository brings something else, that is delivered and judged anew
  if (!entry) return undefined;
  const diagnosis = restored(head, { bad: entry.revisions, reason: entry.reason });
  return { type: 'HealthGateError', diagnosis, notice: true };
}

/** Of the render of these revisions; undefined if they were not rendered, or are no render of a repository. */
function digestOf(rendered: RenderedSources | undefined, revisions: readonly string[]): string | undefined {
  if (!rendered?.renders.length || !deepEqual(rendered.revisions, revisions)) return undefined;
  return renderDigest(rendered);
}

/** The automated sync that what is live rests on; one of parts, as self-heal makes it, changes nothing of that. */
function deliveryOf({ status }: Reconciliation): Delivery | undefined {
  const { operationState: state, history } = status;
  const sync = state?.operation.sync;
  if (!state || !sync || localManifests(sync) || restoredRender(state.operation) !== undefined) return undefined;
  const whole = !sync.resources?.length && !sync.dryRun;
  if (whole && !state.operation.initiatedBy?.automated) return undefined;
  if (whole && state.phase !== 'Succeeded') {
    const failed = !isRunning(state);
    if (failed && isOfSurroundings(failuresOf(status))) return undefined;
    const revisions = revisionsOf(state.syncResult).length > 0 ? revisionsOf(state.syncResult) : revisionsOf(sync);
    const { startedAt } = state;
    return { revisions, sources: sourcesOf(sync), startedAt, outcome: failed ? 'failed' : 'running' };
  }
  if (whole) {
    const { syncResult, startedAt } = state;
    const sources = sourcesOf(syncResult ?? {});
    return { revisions: revisionsOf(syncResult), sources, startedAt, outcome: 'succeeded' };
  }
  const last = history?.at(-1);
  if (!last?.initiatedBy?.automated || !last.deployStartedAt) return undefined;
  return {
    revisions: revisionsOf(last),
    sources: sourcesOf(last as Parameters<typeof sourcesOf>[0]),
    startedAt: last.deployStartedAt,
    outcome: 'succeeded',
  };
}

/** Healthy, or waiting for a person as a paused Rollout does: neither is taken back. */
function isWell(health: string | undefined): boolean {
  return health === 'Healthy' || health === 'Suspended';
}

/**
 * Synced and healthy at the tracked revisions, with nothing going on. Some drift never settles: what an automated sync delivered
 * and what is healthy at the end of its time is good too.
 */
function isGood(
  { status, memory, next, untrusted }: Reconciliation,
  { delivery, overdue }: { delivery: Delivery | undefined; overdue: boolean },
): boolean {
  const { rendered, failure } = memory;
  if (failure || !rendered || rendered.renders.length === 0 || untrusted?.length) return false;
  if (status.health?.status !== 'Healthy' || isRunning(status.operationState) || next.operation) return false;
  if (quarantinedAs(next, { revisions: rendered.revisions, render: renderDigest(rendered) })) return false;
  if (status.sync?.status === 'Synced') return true;
  const delivered =
    delivery?.outcome === 'succeeded' &&
    deepEqual(delivery.revisions, rendered.revisions) &&
    deepEqual(delivery.sources, sourcesOf(next.spec));
  return delivered && overdue;
}

/** Who syncs a quarantined revision by hand, and gets a healthy application of it, has let it out. */
function releaseByHand({ next, status, memory }: Reconciliation): void {
  const state = status.operationState;
  const byHand = state?.phase === 'Succeeded' && !state.operation.initiatedBy?.automated;
  if (!byHand || status.sync?.status !== 'Synced' || status.health?.status !== 'Healthy') return;
  const revisions = revisionsOf(state.syncResult);
  if (!deepEqual(revisions, revisionsOf(status.sync))) return;
  const entry = quarantinedAs(next, { revisions, render: digestOf(memory.rendered, revisions) });
  if (entry) releaseFromQuarantine(next, entry.revisions);
}

async function recordGood({ next, memory, context }: Reconciliation): Promise<void> {
  const { rendered } = memory;
  if (!rendered) return;
  await context.recorded.record(
    next,
    {
      revisions: rendered.revisions,
      sources: sourcesOf(next.spec),
      sourceTypes: rendered.sourceTypes,
      render: renderDigest(rendered),
      at: timestamp(context.clock.now()),
    },
    rendered.objects,
  );
}

/** The health with its cause, which is gone from the status once the good revision is back. */
function unhealthy(status: ApplicationStatus, outcome: Delivery['outcome']): string {
  const stored = (status.diagnoses ?? []) as unknown as readonly StoredDiagnosis[];
  const cause =
    stored.find(({ condition }) => condition === 'HealthWarning')?.message ??
    (outcome === 'running' ? status.operationState?.message : undefined);
  return `its health is ${status.health?.status ?? 'Unknown'}${cause ? `: ${cause}` : ''}`;
}

/** Quarantine for the delivery, and the operation that restores what is recorded. */
async function takeBack(work: Reconciliation, delivery: Delivery, gate: number): Promise<Condition | undefined> {
  const { next, status, context, memory } = work;
  const { revisions, startedAt, outcome } = delivery;
  const head = await context.recorded.head(next);
  const seen =
    outcome === 'failed' ? (status.operationState?.message ?? 'the sync failed') : unhealthy(status, outcome);
  const shortfall: Shortfall = { revisions, startedAt, gate, seen };
  if (!head) return { type: 'HealthGateError', diagnosis: gateClosed(shortfall) };
  if (deepEqual(head.revisions, revisions) && deepEqual(head.sources, delivery.sources)) return undefined;
  const render = deepEqual(sourcesOf(next.spec), delivery.sources) ? digestOf(memory.rendered, revisions) : undefined;
  const reason = shortfallSentence(shortfall);
  if (!quarantinedAs(next, { revisions }))
    quarantine(next, {
      revisions,
      at: timestamp(context.clock.now()),
      reason,
      code: 'HealthGateClosed',
      ...(render ? { render } : {}),
    });
  const state = status.operationState;
  if (outcome === 'running' && state && isRunning(state)) {
    if (state.phase === 'Running') {
      state.phase = 'Terminating';
      state.message = 'operation is terminating: it did not bring health in time';
    }
    work.requeueIn(0);
    return undefined;
  }
  const operation = restoringOperation(work, head);
  next.operation = operation;
  status.operationState = startedOperation(operation, timestamp(context.clock.now()));
  work.event('Warning', 'RevisionQuarantined', `Revision ${revisions.join(', ')} is taken back: ${reason}`);
  work.announcements.push({
    type: 'Normal',
    reason: 'OperationStarted',
    message: `Initiated restoration of '${head.revisions.join(', ')}' from the manifests recorded at ${head.at}`,
  });
  work.first = true;
  work.requeueIn(0);
  return { type: 'HealthGateError', diagnosis: restored(head, { bad: revisions, reason }), notice: true };
}

function restoringOperation({ next }: Reconciliation, head: RecordedHead): Operation {
  const { syncPolicy } = next.spec;
  const several = hasSources(next.spec);
  return {
    sync: {
      ...revisionFields(several, head.revisions),
      ...(several ? { sources: [...head.sources] } : { source: head.sources[0] as ApplicationSource }),
      ...(syncPolicy?.automated?.prune ? { prune: true } : {}),
      ...(syncPolicy?.syncOptions ? { syncOptions: syncPolicy.syncOptions } : {}),
    },
    info: [{ name: names.infos.recordedManifests, value: head.render }],
    initiatedBy: { automated: true },
    retry: syncPolicy?.retry ?? { limit: 5 },
  };
}
