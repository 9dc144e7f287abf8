import type { Application, ApplicationStatus, OperationState } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import type { ComparedResource, Comparison, Difference, SyncPlan } from '@tiphys/engine';
import type { History, HistoryObject, HistoryPatch, HistoryRecord, RecordKind } from '@tiphys/history';
import type { ObjectKey } from '@tiphys/kubernetes';
import { renderDigest } from '../sources/recorded-manifests.ts';
import type { RenderedSources } from '../sources/source-renderer.ts';
import { applicationKey } from '../spec/application-key.ts';
import { revisionsOf, sourcesOf } from '../spec/source-of.ts';
import type { StoredDiagnosis } from './conditions.ts';
import { restoredRender } from './health-gate.ts';
import { quarantineOf } from './quarantine.ts';
import type { Reconciliation } from './reconciliation.ts';

export type Chronicle = Pick<History, 'append'>;

/** A longer value is cut, in characters of JSON. */
const maxValue = 2_000;
const hidden = '(hidden)';
/** Actions that change nothing of an object without differences. */
const updates: ReadonlySet<string> = new Set(['apply', 'server-side-apply', 'replace']);

/** Where a sync stood when its first step was planned. */
export interface Begun {
  readonly state: OperationState;
  readonly plan: SyncPlan;
  readonly comparison: Comparison;
  readonly rendered: Pick<RenderedSources, 'revisions' | 'objects' | 'renders'>;
}

/** Appends what a sync is about to do, once for each attempt: its plan, and the fields that it changes. */
export function recordBegin(work: Reconciliation, { state, plan, comparison, rendered }: Begun): void {
  const { context, memory, next } = work;
  const { operation } = state;
  const revisions = rendered.revisions.length > 0 ? rendered.revisions : revisionsOf(state.syncResult);
  const attempt = `${syncName(work, state, revisions)}/${state.retryCount ?? 0}`;
  if (!context.history || memory.recordedAttempt === attempt) return;
  memory.recordedAttempt = attempt;
  const compared = new Map(
    [...comparison.resources, ...comparison.hooks].map((resource) => [idOf(resource.key), resource]),
  );
  const generated = new Set(
    rendered.objects
      .filter((each) => each.generated?.length)
      .map(({ object }) => `${object.kind}/${object.metadata.name}`),
  );
  const changed = plan.tasks.filter(({ key, action, hook }) => {
    const resource = compared.get(idOf(key));
    return !updates.has(action) || hook || !resource?.live || resource.differences.length > 0;
  });
  const patches = changed.map(({ key, action }): HistoryPatch => {
    const secret = (key.kind === 'Secret' && key.group === '') || generated.has(`${key.kind}/${key.name}`);
    return { ...objectOf(key), action, fields: fieldsOf(compared.get(idOf(key)), secret) };
  });
  const drifted = comparison.resources.filter(({ status }) => status !== 'Synced');
  append(work, context.history, {
    kind: 'SyncStarted',
    once: `${next.metadata.uid}/${attempt}/started`,
    at: state.startedAt,
    actor: actorOf(operation),
    summary: `Sync to ${short(revisions)}: ${patches.length} of ${plan.tasks.length} objects to change`,
    objects: patches,
    detail: {
      trigger: triggerOf(operation),
      revisions,
      sources: sourcesOf(operation.sync ?? {}).map(({ repoURL, path, chart, targetRevision }) => ({
        repoURL: withoutUser(repoURL),
        ...(path ? { path } : {}),
        ...(chart ? { chart } : {}),
        targetRevision: targetRevision ?? 'HEAD',
      })),
      ...(rendered.renders.length > 0 ? { manifests: renderDigest(rendered) } : {}),
      driftBefore: drifted.map(({ key, status }) => ({ ...objectOf(key), status })),
      plan: plan.tasks.map(({ key, action, phase, wave, reason }) => ({
        ...objectOf(key),
        action,
        phase,
        wave,
        reason,
      })),
      patches,
    },
  });
}

/** Appends what a pass that was written has decided or found. */
export function recordPass(work: Reconciliation): void {
  const { history } = work.context;
  if (!history) return;
  recordEnd(work, history);
  recordRender(work, history);
  recordStates(work, history);
  recordHeld(work, history);
  recordQuarantine(work, history);
}

function recordEnd(work: Reconciliation, history: Chronicle): void {
  const { before, status, memory, next } = work;
  const state = status.operationState;
  if (!state?.finishedAt || isGoing(state)) return;
  if (isSameEnd(before.status, status) && !memory.endIsUntold) return;
  // what the sync left is known when it was compared again; that may wait for a render
  memory.endIsUntold = !work.isCompared && memory.going?.refresh !== undefined;
  if (memory.endIsUntold) return;
  const results = state.syncResult?.resources ?? [];
  const drifted = memory.comparison?.resources.filter((resource) => resource.status !== 'Synced') ?? [];
  const { kind = '', group = '', namespace = '', name = '' } = {};
  const asObject = (result: Partial<HistoryObject>): HistoryObject => ({ group, kind, namespace, name, ...result });
  append(work, history, {
    kind: 'SyncEnded',
    once: `${next.metadata.uid}/${syncName(work, state, revisionsOf(state.syncResult))}/ended`,
    at: state.finishedAt,
    actor: actorOf(state.operation),
    summary: `Sync to ${short(revisionsOf(state.syncResult))} ${state.phase === 'Succeeded' ? 'succeeded' : `ended ${state.phase}`}: ${state.message ?? ''}`,
    objects: results.map(({ group = '', kind, namespace, name }) => asObject({ group, kind, namespace, name })),
    detail: {
      trigger: triggerOf(state.operation),
      phase: state.phase,
      revisions: revisionsOf(state.syncResult),
      startedAt: state.startedAt,
      finishedAt: state.finishedAt,
      attempts: (state.retryCount ?? 0) + 1,
      ...(work.isCompared ? { driftAfter: drifted.map(({ key, status }) => ({ ...objectOf(key), status })) } : {}),
      results: results.map(({ group = '', kind, namespace, name, status, hookPhase, message }) => ({
        ...asObject({ group, kind, namespace, name }),
        status: status ?? hookPhase ?? '',
        message: (message ?? '').slice(0, maxValue),
      })),
    },
  });
}

function isSameEnd(was: Application['status'], status: ApplicationStatus): boolean {
  const told = ({ operationState, history }: ApplicationStatus) => [
    operationState?.startedAt,
    operationState?.finishedAt,
    operationState?.phase,
    operationState && actorOf(operationState.operation),
    revisionsOf(operationState?.syncResult),
    history?.at(-1)?.id,
  ];
  return was !== undefined && deepEqual(told(was), told(status));
}

/**
 * Names a sync among those of its application, the same after a restart. Kubernetes' times have seconds, and a short sync is over
 * in less: the time alone would take the next one for the same.
 */
function syncName({ before }: Reconciliation, { startedAt, operation }: OperationState, revisions: readonly string[]) {
  return [startedAt, actorOf(operation), ...revisions, before.status?.history?.at(-1)?.id ?? 'first'].join('/');
}

/** A render of other inputs: by which digests, and what was read anew. */
function recordRender(work: Reconciliation, history: Chronicle): void {
  const { before, status, memory } = work;
  const revisions = revisionsOf(status.sync);
  if (revisions.length === 0 || deepEqual(revisions, revisionsOf(before.status?.sync))) return;
  const accounts = memory.renders.accounts.filter(({ revision }) => revisions.includes(revision));
  append(work, history, {
    kind: 'Rendered',
    actor: 'repository',
    summary: `The tracked revision is ${short(revisions)}, and was ${short(revisionsOf(before.status?.sync)) || 'none'}`,
    objects: [],
    detail: {
      revisions,
      renders: accounts.map(({ source, revision, inputs, output, paths, changed, why }) => ({
        source,
        revision,
        inputs,
        output,
        paths,
        changed,
        why,
      })),
    },
  });
}

function recordStates(work: Reconciliation, history: Chronicle): void {
  const { before, status, memory } = work;
  const sync = [before.status?.sync?.status ?? '', status.sync?.status ?? ''] as const;
  const health = [before.status?.health?.status ?? '', status.health?.status ?? ''] as const;
  const resources = memory.comparison?.resources ?? [];
  if (sync[1] && sync[0] !== sync[1]) {
    const drifted = resources.filter((resource) => resource.status !== 'Synced');
    const managers = new Set(drifted.flatMap(({ differences }) => differences.flatMap(({ manager }) => manager ?? [])));
    append(work, history, {
      kind: 'Drift',
      actor: 'controller',
      summary: `Sync status ${sync[0] || 'none'} → ${sync[1]}`,
      objects: drifted.map(({ key }) => objectOf(key)),
      detail: {
        revisions: revisionsOf(status.sync),
        managers: [...managers].sort(),
        fields: drifted.map(({ key, differences }) => ({
          ...objectOf(key),
          paths: differences.slice(0, 20).map(({ path }) => path),
        })),
      },
    });
  }
  if (health[1] && health[0] !== health[1]) {
    const ill = resources.filter((resource) => resource.health && resource.health.status !== 'Healthy');
    append(work, history, {
      kind: 'Health',
      actor: 'controller',
      summary: `Health ${health[0] || 'none'} → ${health[1]}`,
      objects: ill.map(({ key }) => objectOf(key)),
      detail: { objects: ill.map(({ key, health }) => ({ ...objectOf(key), health: health?.status ?? '' })) },
    });
  }
}

/** Why automated sync did not do what it would, each time that the reason changes. */
function recordHeld(work: Reconciliation, history: Chronicle): void {
  const heldOf = ({ status }: Pick<Application, 'status'>) =>
    ((status?.diagnoses ?? []) as unknown as StoredDiagnosis[]).filter(
      ({ condition }) => condition === 'SyncError' || condition === 'HealthGateError',
    );
  const before = new Set(heldOf(work.before).map(({ code }) => code));
  for (const { code, message } of heldOf(work.next))
    if (!before.has(code))
      append(work, history, {
        kind: 'Held',
        once: code,
        actor: 'controller',
        summary: message.slice(0, maxValue),
        objects: [],
        detail: { code, revisions: revisionsOf(work.status.sync) },
      });
}

function recordQuarantine(work: Reconciliation, history: Chronicle): void {
  const keys = (application: Application) =>
    new Map(quarantineOf(application).map((entry) => [entry.revisions.join(', '), entry]));
  const [before, after] = [keys(work.before), keys(work.next)];
  for (const [revisions, { reason }] of after)
    if (!before.has(revisions))
      append(work, history, {
        kind: 'Quarantined',
        once: revisions,
        actor: 'health gate',
        summary: `Revision ${revisions} is in quarantine: ${reason}`,
        objects: [],
        detail: { revisions: revisions.split(', '), reason },
      });
  for (const revisions of before.keys())
    if (!after.has(revisions))
      append(work, history, {
        kind: 'Released',
        once: revisions,
        actor: 'controller',
        summary: `Revision ${revisions} is out of quarantine`,
        objects: [],
        detail: { revisions: revisions.split(', ') },
      });
}

interface Told {
  readonly kind: RecordKind;
  /** Added to the version of the application, or whole where `at` says when. */
  readonly once?: string;
  readonly at?: string;
  readonly actor: string;
  readonly summary: string;
  readonly objects: readonly HistoryObject[];
  readonly detail: HistoryRecord['detail'];
}

function append({ next, context }: Reconciliation, history: Chronicle, told: Told): void {
  const { metadata, spec } = next;
  const { kind, actor, summary, detail } = told;
  const now = context.clock.now();
  history.append({
    time: kind === 'SyncStarted' || told.at === undefined ? now : Math.max(Date.parse(told.at) || now, now - 60_000),
    once:
      told.at === undefined
        ? `${metadata.uid}/${metadata.resourceVersion}/${kind}/${told.once ?? ''}`
        : (told.once ?? ''),
    kind,
    application: applicationKey(next),
    project: spec.project || 'default',
    namespace: spec.destination.namespace ?? '',
    actor,
    summary,
    objects: told.objects.map(({ group, kind, namespace, name }) => ({ group, kind, namespace, name })),
    detail,
  });
}

function fieldsOf(resource: ComparedResource | undefined, secret: boolean): HistoryPatch['fields'] {
  if (!resource?.live || !resource.desired) return [];
  return resource.differences.map(({ path, live, desired }: Difference) => {
    const concealed = secret || path.includes('last-applied-configuration');
    if (concealed)
      return {
        path,
        ...(live === undefined ? {} : { before: hidden }),
        ...(desired === undefined ? {} : { after: `${hidden}, changed` }),
      };
    return {
      path,
      ...(live === undefined ? {} : { before: bounded(live) }),
      ...(desired === undefined ? {} : { after: bounded(desired) }),
    };
  });
}

function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? '';
  return text.length <= maxValue ? value : `${text.slice(0, maxValue)} …`;
}

/** Who asked for an operation, for people. */
function actorOf(operation: OperationState['operation']): string {
  const { initiatedBy, sync } = operation;
  if (initiatedBy?.username) return initiatedBy.username;
  if (restoredRender(operation) !== undefined) return 'health gate';
  if (initiatedBy?.automated) return sync?.autoHealAttemptsCount ? 'self-heal' : 'automated sync';
  return 'a client of Kubernetes';
}

function triggerOf(operation: OperationState['operation']): string {
  const { initiatedBy, sync } = operation;
  if (restoredRender(operation) !== undefined) return 'a revision was not healthy in time';
  if (initiatedBy?.automated) return sync?.autoHealAttemptsCount ? 'live objects drifted' : 'the source changed';
  return sync?.dryRun ? 'a dry run was asked for' : 'a sync was asked for';
}

function isGoing({ phase }: OperationState): boolean {
  return phase === 'Running' || phase === 'Terminating';
}

function objectOf({ group, kind, namespace, name }: ObjectKey): HistoryObject {
  return { group, kind, namespace, name };
}

function idOf({ group, kind, namespace, name }: ObjectKey): string {
  return JSON.stringify([group, kind, namespace, name]);
}

function short(revisions: readonly string[]): string {
  return revisions.map((revision) => (/^[0-9a-f]{40}$/.test(revision) ? revision.slice(0, 7) : revision)).join(', ');
}

/** Without what a URL may hold of credentials. */
function withoutUser(url: string): string {
  const at = url.indexOf('://');
  const slash = at < 0 ? -1 : url.indexOf('/', at + 3);
  const end = slash < 0 ? url.length : slash;
  const user = at < 0 ? -1 : url.slice(0, end).lastIndexOf('@');
  return (user < 0 ? url : `${url.slice(0, at + 3)}${url.slice(user + 1)}`).split('?')[0] ?? '';
}
