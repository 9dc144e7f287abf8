import { type ApplicationStatus, names, type ResourceStatus } from '@tiphys/api';
import { deepEqual, type StepOutcome, timestamp } from '@tiphys/controller';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf, formatDiagnosis } from '@tiphys/diagnosis';
import {
  annotationProblems,
  CacheStopped,
  type ComparedResource,
  type Comparison,
  contestedReplicas,
  type DesiredObject,
  explainComparison,
  generatedNameProblem,
  isLive,
  objectNotices,
  removedKinds,
  selfDeletingProblem,
} from '@tiphys/engine';
import { describeKey, keyOf, keyString } from '@tiphys/kubernetes';
import {
  duplicateKeys,
  entryIdle,
  linkDangling,
  manifestInvalid,
  patchPathUnrooted,
  pluginSkipped,
  sourceEmpty,
} from '@tiphys/source';
import { lookupRefused } from '../clusters/cluster-lookup.ts';
import { clusterNotices } from '../clusters/cluster-notices.ts';
import { projectNotices } from '../projects/project-notices.ts';
import { withCommits } from '../reconciliation/brought-by.ts';
import { type Compared, compareApplication, compareObjects } from '../reconciliation/comparing.ts';
import { type Condition, setConditions } from '../reconciliation/conditions.ts';
import { goesOn, RenderGoesOn } from '../reconciliation/going-render.ts';
import { orphansOf } from '../reconciliation/orphans.ts';
import { type Reconciliation, takeRefreshRequest } from '../reconciliation/reconciliation.ts';
import { shownStatus } from '../reconciliation/shown-status.ts';
import { summaryOf } from '../reconciliation/summary.ts';
import { comparedLocally, deployedLocally } from '../sources/local-manifests.ts';
import { hasSources, isGitSource, revisionFields, revisionsOf, sourceFields, sourcesOf } from '../spec/source-of.ts';
import { expiringCertificates, generatedNoise } from './generated-notices.ts';
import { healthGate } from './health-gate.ts';
import { dropOldWarnings } from './server-warnings.ts';

/** Conditions that a comparison decides about. */
const owned = [
  'InvalidSpecError',
  'ComparisonError',
  'UnknownError',
  'SharedResourceWarning',
  'RepeatedResourceWarning',
  'ExcludedResourceWarning',
  'OrphanedResourceWarning',
  'HealthWarning',
  'ObjectWarning',
  'RenderWaiting',
] as const;

const orphanedResources = defineDiagnosis('OrphanedResources', 'The namespace holds objects of no application');

/** Wait before the next attempt after `failures` failed ones in a row, in milliseconds: 5 s doubled up to 3 minutes. */
function failureDelay(failures: number): number {
  return Math.min(5_000 * 2 ** Math.max(0, failures - 1), 180_000);
}

/**
 * Renders what is desired if anything that it depends on may have changed, and compares it with what is live.
 * After a failure the last good state stays: resources, history and health are kept, the sync status is Unknown, and
 * the condition says why. Owns the conditions listed above.
 */
export async function refresh(work: Reconciliation): Promise<StepOutcome> {
  const { next, status, memory, context } = work;
  const annotations = next.metadata.annotations;
  const requested = takeRefreshRequest(next);
  const hard = requested?.type === 'hard';
  if (requested && !goesOn(memory.going?.refresh, requested.type)) {
    if (requested.shown) memory.shownAt = context.clock.now();
    memory.refreshBegins();
  }
  const now = timestamp(context.clock.now());
  try {
    const compared = await compareApplication(work, { hard, goesOn: { requested: requested?.type ?? '' } });
    const comparison = { ...compared, comparison: await explained(work, compared.comparison) };
    memory.succeeded(comparison.comparison);
    work.isCompared = true;
    work.untrusted = await context.integrity.problems(
      { application: next, project: work.project },
      sourcesOf(next.spec),
      compared.renders,
      work.signal,
    );
    record(work, comparison, { now, asked: requested !== undefined });
    keepDeleteFinalizers(work, comparison.comparison);
  } catch (error) {
    work.signal.throwIfAborted();
    if (error instanceof CacheStopped) throw error;
    if (error instanceof RenderGoesOn) {
      // Who asked for the refresh waits for the annotation to go.
      if (requested && annotations) next.metadata.annotations = annotations;
      const waits = error.waits ? [{ type: 'RenderWaiting', diagnosis: error.waits, notice: true } as const] : [];
      setConditions(status, ['RenderWaiting'], waits, now);
      return 'stop';
    }
    const diagnosis = await withCommits(work, unhydrated(work, diagnosisOf(error)), revisionsOf(status.sync));
    const fresh = !memory.failure || context.clock.now() >= memory.failure.retryAt;
    const retryAt = fresh
      ? context.clock.now() + failureDelay(memory.countFailure())
      : (memory.failure?.retryAt ?? context.clock.now());
    memory.failed(diagnosis, { now: context.clock.now(), retryAt });
    memory.outdated({ askRemote: true });
    work.requeueIn(retryAt - context.clock.now());
    setConditions(status, [...owned], [{ type: 'ComparisonError', diagnosis }], now);
    // Also a failed look is one.
    if ((fresh && (requested || isDue(work))) || !isNoted(status)) status.reconciledAt = now;
    await keepLastGoodState(work);
    // what is recorded needs no repository
    await healthGate(work);
    return 'stop';
  }
  const interval = pollInterval(work);
  if (interval > 0) work.requeueIn(Math.max(1_000, (memory.resolvedAt ?? 0) + interval - context.clock.now()));
  return 'continue';
}

/** How many intervals pass between two looks at an application of which nothing can change unseen. */
const seenInterval = 10;

/**
 * Milliseconds until the next look that nothing has caused, 0 for none: the setting plus a share of the jitter that is fixed for each
 * application, so that restarts do not align them.
 */
export function pollInterval(work: Reconciliation): number {
  const { key, context } = work;
  const { reconciliationTimeout, reconciliationJitter } = context.settings();
  if (reconciliationTimeout === 0) return 0;
  let hash = 0;
  for (const character of key) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  const interval = reconciliationTimeout + (reconciliationJitter * (hash % 1000)) / 1000;
  return isSeen(work) ? interval * seenInterval : interval;
}

/**
 * Whether all that was read for the manifests is in Git repositories, which are asked at each interval for all of their
 * applications at once: a ref that moves wakes them.
 */
function isSeen({ next, memory }: Reconciliation): boolean {
  const { renders = [] } = memory.rendered ?? {};
  return (
    !next.spec.sourceHydrator &&
    sourcesOf(next.spec).every(isGitSource) &&
    renders.every(({ readSet }) => Object.keys(readSet.facts).length === 0)
  );
}

/** Whether a look since the end of the last operation is noted: clients take that for finished only then. */
function isNoted({ reconciledAt, operationState }: ApplicationStatus): boolean {
  return reconciledAt !== undefined && (operationState?.finishedAt ?? '') <= reconciledAt;
}

/** Milliseconds from one look that is noted to the next, of all applications. */
const betweenNotes = 1_000;

/**
 * Whether a look that nobody asked for and that found nothing new is noted. Upstream notes each one, which is a write for
 * every application and interval; here they come no more often the more applications there are.
 */
function isDue({ status, context }: Reconciliation): boolean {
  const age = context.clock.now() - Date.parse(status.reconciledAt ?? '');
  return !(age < betweenNotes * context.count());
}

/** The comparison with the cause of what is not well; while there is such a thing it is looked at again and again, ever less often. */
async function explained(work: Reconciliation, comparison: Comparison): Promise<Comparison> {
  const { cluster, context, signal, status } = work;
  const health = comparison.health.status;
  if (!cluster || (health !== 'Progressing' && health !== 'Degraded')) return comparison;
  const now = context.clock.now();
  const since = status.health?.status === health ? Date.parse(status.health.lastTransitionTime ?? '') : now;
  work.requeueIn(Math.min(Math.max((now - (Number.isNaN(since) ? now : since)) / 2, 5_000), 60_000));
  return explainComparison(comparison, cluster.cache, { now, signal });
}

function record(
  work: Reconciliation,
  { comparison, revisions, sourceTypes, resolved }: Compared,
  { now, asked }: { readonly now: string; readonly asked: boolean },
): void {
  const { next, status, context, cluster } = work;
  const { spec } = next;
  status.sync = {
    status: comparison.sync,
    ...revisionFields(hasSources(spec), revisions),
    comparedTo: {
      ...sourceFields(spec),
      destination: spec.destination,
      ...(spec.ignoreDifferences ? { ignoreDifferences: spec.ignoreDifferences } : {}),
    } as NonNullable<ApplicationStatus['sync']>['comparedTo'],
  } as NonNullable<ApplicationStatus['sync']>;
  status.health = { ...status.health, status: comparison.health.status };
  status.resources = comparison.resources.map(resourceStatus).sort((a, b) => (statusKey(a) < statusKey(b) ? -1 : 1));
  if (hasSources(spec)) {
    status.sourceTypes = [...sourceTypes];
    delete status.sourceType;
  } else {
    status.sourceType = sourceTypes[0] ?? '';
    delete status.sourceTypes;
  }
  status.controllerNamespace = context.controlNamespace;
  if ((resolved && (asked || isDue(work))) || !isNoted(status) || !deepEqual(status.sync, work.before.status?.sync))
    status.reconciledAt = now;
  if (cluster)
    status.summary = summaryOf(cluster.cache.tree(comparison.resources.filter(isLive).map(({ key }) => key)), next);
  setConditions(
    status,
    [...owned],
    [
      ...(work.untrusted ?? []).map((diagnosis): Condition => ({ type: 'ComparisonError', diagnosis })),
      ...conditionsOf(comparison, isLasting(work)),
      ...renderNotices(work, comparison),
      ...unhonoured(work, comparison),
      ...orphaned(work),
    ],
    now,
  );
  dropOldWarnings(status, comparison.resources, now);
}

/** What is worth knowing of the render: generated values that live holds otherwise, and lookups that were refused. */
function renderNotices(work: Reconciliation, comparison: Comparison): Condition[] {
  const { next, status, memory, context } = work;
  const generated = memory.rendered?.generated ?? new Map();
  const { notices, failures } = noticesOf(work, comparison);
  const diagnoses = [
    ...generatedNoise(next, comparison),
    ...contestedReplicas(comparison),
    ...notices,
    ...(work.project ? projectNotices(work.project) : []),
    ...(work.cluster ? clusterNotices(work.cluster) : []),
    ...expiringCertificates(next, generated, context.clock.now()),
    ...(deployedLocally(status) ? [comparedLocally()] : []),
    ...(memory.rendered?.warnings ?? []).filter(
      ({ code, cause }) => shownWarnings.has(code) || cause === manifestInvalid.cause,
    ),
    ...misspelt(memory.rendered?.objects ?? []),
  ];
  return [
    ...failures.map((diagnosis): Condition => ({ type: 'ObjectWarning', diagnosis })),
    ...diagnoses.map((diagnosis): Condition => ({ type: 'UnknownError', diagnosis, notice: true })),
  ];
}

/**
 * Until notices of objects are looked at again, in milliseconds: nothing tells when what they lack comes. Once the health has been
 * the same for long, the next refresh is soon enough: thousands of applications may lack the same role.
 */
const noticesGoodFor = 30_000;
const noticesSoon = 5_000;
const removedAfter = 10_000;
const lookedAfterFor = 300_000;

interface Notices {
  readonly notices: readonly Diagnosis[];
  /** Of objects that cannot do what they are for. */
  readonly failures: readonly Diagnosis[];
}

/** What is worth knowing of objects that no health check reads. */
function noticesOf(work: Reconciliation, { resources }: Comparison): Notices {
  if (!work.cluster) return { notices: [], failures: [] };
  const { diagnoses, failures, soon } = objectNotices({
    resources,
    cache: work.cluster.cache,
    now: work.context.clock.now(),
    checks: work.context.checks,
  });
  const removed = removedKinds(resources, work.cluster.cache, deliveredBy(work.status));
  const since = Date.parse(work.status.health?.lastTransitionTime ?? '');
  if (soon) work.requeueIn(noticesSoon);
  else if (!(work.context.clock.now() - since > lookedAfterFor)) {
    if (removed.soon) work.requeueIn(removedAfter);
    else if (diagnoses.length + failures.length > 0) work.requeueIn(noticesGoodFor);
  }
  return { notices: [...diagnoses, ...removed.diagnoses], failures };
}

/** Whether the last operation has delivered an object. */
function deliveredBy({ operationState }: ApplicationStatus): (resource: ComparedResource) => boolean {
  const results = operationState?.syncResult?.resources ?? [];
  return ({ key }) =>
    results.some(
      ({ group, kind, namespace, name, status }) =>
        status === 'Synced' &&
        (group ?? '') === key.group &&
        kind === key.kind &&
        name === key.name &&
        (namespace ?? '') === key.namespace,
    );
}

/** What the author of the manifests did not mean: parts of a chart's own making are told with the manifests alone. */
const shownWarnings: ReadonlySet<string> = new Set([
  lookupRefused.code,
  pluginSkipped.code,
  duplicateKeys.code,
  linkDangling.code,
  entryIdle.code,
  patchPathUnrooted.code,
  sourceEmpty.code,
]);

const misspeltOf = new WeakMap<readonly DesiredObject[], Diagnosis[]>();
/** More of them say nothing new. */
const shownMisspelt = 10;

/** Annotations without effect, once for each render. */
function misspelt(objects: readonly DesiredObject[]): Diagnosis[] {
  const known = misspeltOf.get(objects);
  if (known) return known;
  const found: Diagnosis[] = [];
  for (const { object, origin } of objects) {
    if (found.length >= shownMisspelt) break;
    const { file, line } = origin;
    const name = describeKey(keyOf(object));
    const place = { object: name, ...(file ? { file, ...(line ? { line } : {}) } : {}) };
    for (const problem of [generatedNameProblem(object, place), selfDeletingProblem(object, place)])
      if (problem) found.push(problem);
    found.push(...annotationProblems(object, place));
  }
  misspeltOf.set(objects, found);
  return found;
}

/** As long as the manifests hold hooks of the deletion, finalizers keep the application until they have run; as upstream. */
function keepDeleteFinalizers({ next }: Reconciliation, { deleteHooks }: Comparison): void {
  const before = next.metadata.finalizers ?? [];
  const stages: [string, boolean][] = [
    [names.finalizers.preDelete, deleteHooks.preDelete],
    [names.finalizers.postDelete, deleteHooks.postDelete],
  ];
  const wanted = stages.flatMap(([finalizer, present]) => (present ? [finalizer, `${finalizer}/cleanup`] : []));
  const unwanted = stages.flatMap(([finalizer, present]) => (present ? [] : [finalizer, `${finalizer}/cleanup`]));
  const missing = wanted.filter((finalizer) => !before.includes(finalizer));
  if (missing.length === 0 && !before.some((finalizer) => unwanted.includes(finalizer))) return;
  next.metadata.finalizers = [...before.filter((finalizer) => !unwanted.includes(finalizer)), ...missing];
}

/** Ill health for so long is worth a condition, in milliseconds; before, it may be a start like any other. */
const lastingAfter = 30_000;

function isLasting({ status, before, context }: Reconciliation): boolean {
  if (status.health?.status !== before.status?.health?.status) return false;
  const since = Date.parse(status.health?.lastTransitionTime ?? '');
  return context.clock.now() - since >= lastingAfter;
}

/** Warnings of the comparison, and the causes of ill health: once each, however many objects have the same. */
function conditionsOf(comparison: Comparison, lasting: boolean): Condition[] {
  const warnings = comparison.findings.map(({ type, diagnosis }): Condition => ({ type, diagnosis }));
  const leaves = new Map<string, Condition>();
  // of hooks the operation tells
  for (const { health, hook } of comparison.resources)
    if (health?.diagnosis && !hook)
      leaves.set(
        `${health.diagnosis.code} ${formatDiagnosis(health.diagnosis)}`,
        leafCondition(health.diagnosis, lasting),
      );
  return [...warnings, ...leaves.values()];
}

/** A health check that fails is an error of the comparison, as upstream; other causes of ill health warn once they last. */
function leafCondition(diagnosis: Diagnosis, lasting: boolean): Condition {
  if (diagnosis.code === 'HealthScriptFailed') return { type: 'ComparisonError', diagnosis };
  return { type: 'HealthWarning', diagnosis, notice: !lasting };
}

/** Settings that would change what is shown of these objects, and are not acted on. */
function unhonoured({ context }: Reconciliation, { resources }: Comparison): Condition[] {
  const kinds = resources.map(({ key }) => key);
  const settings = context.settings();
  const globals = context.projects.problem();
  const refusals = [
    ...(globals ? [diagnosisOf(globals.error)] : []),
    ...(settings.refused ? [settings.refused] : []),
    ...settings.resourceFilters.problems,
    ...settings.comparison().refusals(kinds),
    ...context.health.problems(kinds),
  ];
  return [
    ...refusals.map((diagnosis): Condition => ({ type: 'UnknownError', diagnosis })),
    ...settings.notices.map((diagnosis): Condition => ({ type: 'UnknownError', diagnosis, notice: true })),
  ];
}

/** Objects of no application in the destination namespace, if the project wants to be warned of them. */
function orphaned({ next, project, cluster }: Reconciliation): Condition[] {
  if (!cluster || project?.spec.orphanedResources?.warn !== true) return [];
  const found = orphansOf(project, cluster, next.spec.destination.namespace ?? '');
  if (found.length === 0) return [];
  const diagnosis = diagnose(orphanedResources, {
    message: `Application has ${found.length} orphaned resources`,
    evidence: {
      objects: found
        .map(({ key }) => `${key.kind} ${key.name}`)
        .sort()
        .slice(0, 10)
        .join(', '),
    },
    remedies: ['Delete them, add them to the repository, or list them in spec.orphanedResources.ignore of the project'],
  });
  return [{ type: 'OrphanedResourceWarning', diagnosis }];
}

function resourceStatus(resource: ComparedResource): ResourceStatus {
  const { key, version, health, hook, requiresPruning, wave } = resource;
  const status = shownStatus(resource);
  return {
    ...(key.group ? { group: key.group } : {}),
    version,
    kind: key.kind,
    ...(key.namespace ? { namespace: key.namespace } : {}),
    name: key.name,
    ...(status ? { status } : {}),
    ...(health ? { health: { status: health.status, ...(health.message ? { message: health.message } : {}) } } : {}),
    ...(hook ? { hook: true } : {}),
    ...(requiresPruning ? { requiresPruning: true } : {}),
    ...(wave === 0 ? {} : { syncWave: wave }),
  };
}

function statusKey(item: ResourceStatus): string {
  return keyString({
    group: item.group ?? '',
    kind: item.kind ?? '',
    namespace: item.namespace ?? '',
    name: item.name ?? '',
  });
}

/** Without a desired state the objects are still there: their health goes on to be told from what is live. */
async function keepLastGoodState(work: Reconciliation): Promise<void> {
  const { status } = work;
  status.sync = { ...status.sync, status: 'Unknown' };
  const { memory, cluster } = work;
  if (!cluster || cluster.cache.info().diagnosis) {
    status.health = { ...status.health, status: status.health?.status || 'Unknown' };
    return;
  }
  if (!memory.rendered) {
    // As upstream: Healthy if there is nothing yet.
    status.health = { ...status.health, status: (await compareObjects(work, [])).health.status };
    return;
  }
  memory.comparison = await compareObjects(work, memory.rendered.objects);
  status.health = { ...status.health, status: memory.comparison.health.status };
}

/** The branch of hydrated manifests that does not have them yet: what holds up the hydration, or its merge, is the cause, and nothing that is misspelt. */
function unhydrated({ next, status }: Reconciliation, diagnosis: Diagnosis): Diagnosis {
  const { sourceHydrator } = next.spec;
  if (!sourceHydrator || !['RevisionNotFound', 'PathMissing'].includes(diagnosis.code)) return diagnosis;
  const { targetBranch = '' } = sourceHydrator.syncSource ?? {};
  const written = sourceHydrator.hydrateTo?.targetBranch;
  if (!status.sourceHydrator?.lastSuccessfulOperation)
    return {
      ...diagnosis,
      message: `${diagnosis.message}: the hydration, which makes it, has not succeeded yet`,
      remedies: [
        {
          text: 'Correct what keeps the hydration from succeeding (condition HydrationError); it is tried again by itself',
        },
      ],
    };
  if (!written || written === targetBranch) return diagnosis;
  return {
    ...diagnosis,
    message: `${diagnosis.message}: the hydrated manifests are in branch ${written}, and not in ${targetBranch} yet`,
    remedies: [{ text: `Merge ${written} into ${targetBranch}` }],
  };
}
