import { names } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type CompareOptions, type Comparison, compare, type DesiredObject, type Tracking } from '@tiphys/engine';
import type { ClusterHandle } from '../clusters/cluster-registry.ts';
import { scopeDenial } from '../clusters/cluster-scope.ts';
import { objectDenial } from '../projects/projects.ts';
import { deployedLocally, renderLocally } from '../sources/local-manifests.ts';
import type { RenderedSources, RenderOptions } from '../sources/source-renderer.ts';
import { instanceName } from '../spec/application-key.ts';
import { sourcesOf } from '../spec/source-of.ts';
import { renderGoing } from './going-render.ts';
import type { Reconciliation } from './reconciliation.ts';

export interface Compared {
  readonly comparison: Comparison;
  /** One for each source. */
  readonly revisions: readonly string[];
  readonly sourceTypes: readonly string[];
  /** One for each source; none of local manifests. */
  readonly renders: RenderedSources['renders'];
  /** True if the repository was asked, false if what was rendered before was still good. */
  readonly resolved: boolean;
}

export interface CompareRequest {
  readonly hard: boolean;
  /** The render may go on when the pass ends, which then throws `RenderGoesOn`; the refresh that asks for it. */
  readonly goesOn?: { readonly requested: string };
}

/**
 * What is desired at the tracked revision against what is live. The render is kept until the source changes, the
 * repository says that a ref moved, the poll interval is over or a refresh is asked for.
 */
export async function compareApplication(work: Reconciliation, options: CompareRequest): Promise<Compared> {
  const { memory, context, next } = work;
  const cluster = work.cluster as ClusterHandle;
  const sources = sourcesOf(next.spec);
  if (sources.length === 0) throw new Error('compareApplication() needs a validated application');
  await cluster.cache.ensureSynced();
  const local = deployedLocally(work.status);
  const wanted = JSON.stringify([sources, next.spec.destination, next.spec.project, ...(local ?? [])]);
  const resolve = options.hard || !memory.isRenderedFor(wanted) || isStale(work);
  if (resolve || !memory.rendered || (options.goesOn && memory.going?.refresh)) {
    const now = context.clock.now();
    // What wakes the application before its time is none of the remote's business.
    const held = memory.heldFailure(wanted, now);
    if (held) throw new DiagnosisError(held.diagnosis);
    const askRemote = memory.attemptBegins(wanted, now);
    const found = local
      ? { rendered: renderLocally(local, sourceTypesOf(work.status)), since: now }
      : await rendered(work, { sources, wanted, askRemote }, options);
    memory.attemptSucceeded(wanted, found.rendered);
    memory.renders.note(found.rendered.renders, { now: found.since, hard: options.hard });
    if (memory.resolvedAt === undefined) work.requeueIn(0);
  }
  const { objects, revisions, sourceTypes, renders } = memory.rendered as RenderedSources;
  const comparison = await compareObjects(work, objects);
  return { comparison, revisions, sourceTypes, renders, resolved: resolve };
}

/** The manifests of the tracked revisions, and when they were asked for. */
async function rendered(
  work: Reconciliation,
  { sources, wanted, askRemote }: { sources: ReturnType<typeof sourcesOf>; wanted: string; askRemote: boolean },
  { hard, goesOn }: CompareRequest,
): Promise<{ readonly rendered: RenderedSources; readonly since: number }> {
  const { memory, context, next, cluster, signal, owned } = work;
  const since = context.clock.now();
  const options = {
    askRemote: askRemote || Boolean(goesOn?.requested),
    ...(goesOn?.requested && memory.refreshAskedAt !== undefined
      ? { askedBefore: Math.max(0, since - memory.refreshAskedAt) }
      : {}),
    maxAge: believedAge(memory, since),
    noCache: hard,
    record: owned,
  };
  const render = (more: Pick<RenderOptions, 'signal' | 'onWait'>) =>
    context.renderer.render(next, sources, cluster as ClusterHandle, { ...options, ...more });
  if (!goesOn) return { rendered: await render({ signal }), since };
  return renderGoing(work, { step: 'refresh', key: `${goesOn.requested} ${wanted}`, render });
}

/** What is known of the repository may be this old, in milliseconds, as long as the sources are younger than that. */
const knownFor = 120_000;

/** Upstream rule: who names a source, or another one, knows its repository as it is then, and not as it was read before. */
function believedAge({ sourcesSeenAt }: Reconciliation['memory'], now: number): number | undefined {
  const age = sourcesSeenAt === undefined ? knownFor : now - sourcesSeenAt;
  return age < knownFor ? Math.max(0, age) : undefined;
}

/** As they were told before: local manifests do not say. */
function sourceTypesOf({ sourceType, sourceTypes }: Reconciliation['status']): Compared['sourceTypes'] {
  return sourceTypes ?? (sourceType ? [sourceType] : []);
}

function isStale({ memory, context }: Reconciliation): boolean {
  const { reconciliationTimeout } = context.settings();
  return reconciliationTimeout > 0 && context.clock.now() - (memory.resolvedAt ?? 0) >= reconciliationTimeout;
}

/** What comparing needs of a pass, or of somebody who looks without one. */
type Comparing = Pick<Reconciliation, 'next' | 'context' | 'signal'> &
  Partial<Pick<Reconciliation, 'project' | 'cluster'>>;

/** What other revisions than the tracked ones ask for against what is live; nothing of it is kept. The revisions are one a source, empty for its own target. */
export async function compareRevisions(
  work: Comparing & { readonly cluster: ClusterHandle },
  revisions: readonly string[],
): Promise<Pick<Compared, 'comparison' | 'revisions'>> {
  const { next, context, cluster, signal } = work;
  await cluster.cache.ensureSynced();
  const rendered = await context.renderer.render(next, sourcesOf(next.spec), cluster, { revisions, signal });
  return { comparison: await compareObjects(work, rendered.objects), revisions: rendered.revisions };
}

/** Compares any set of desired objects with what is live, by the application's own rules. */
export function compareObjects(work: Comparing, desired: readonly DesiredObject[]): Promise<Comparison> {
  const { next, project, context, signal } = work;
  const cluster = work.cluster as ClusterHandle;
  const { spec } = next;
  const { ignoreDifferences: rules, knownTypes } = context.settings().comparison();
  const namespace = spec.destination.namespace ?? '';
  return compare({
    desired,
    cache: cluster.cache,
    tracking: trackingOf(work),
    destinationNamespace: namespace,
    ignoreDifferences: [...(spec.ignoreDifferences ?? []), ...rules],
    knownTypes,
    changedFields: context.generated.changed(next, desired),
    options: compareOptionsOf(work),
    unseen: (key, namespaced) => scopeDenial(cluster, key, namespaced),
    permit: (key, namespaced) =>
      project
        ? (objectDenial(project, key, namespaced, { server: cluster.server, name: cluster.name, namespace }) ?? true)
        : true,
    signal,
  });
}

export function trackingOf({ next, context }: Pick<Reconciliation, 'next' | 'context'>): Tracking {
  const { trackingMethod, instanceLabelKey, installationId } = context.settings();
  return {
    method: trackingMethod,
    instance: instanceName(next, context.controlNamespace),
    labelKey: instanceLabelKey,
    ...(installationId ? { installationId } : {}),
  };
}

export function compareOptionsOf({ next, context }: Pick<Reconciliation, 'next' | 'context'>): CompareOptions {
  const settings = context.settings();
  const { ignoreStatus, ignoreAggregatedRoles } = settings.comparison();
  const { spec, metadata } = next;
  const annotation = metadata.annotations?.[names.annotations.compareOptions];
  return {
    ignoreStatus,
    ignoreAggregatedRoles,
    serverSideDiff: settings.serverSideDiff,
    ...(annotation ? { compareOptions: annotation.split(',').map((item) => item.trim()) } : {}),
    ...(spec.syncPolicy?.syncOptions ? { syncOptions: spec.syncPolicy.syncOptions } : {}),
    ...(spec.syncPolicy?.managedNamespaceMetadata
      ? { managedNamespaceMetadata: spec.syncPolicy.managedNamespaceMetadata }
      : {}),
    self: { group: 'argoproj.io', kind: 'Application', namespace: metadata.namespace ?? '', name: metadata.name ?? '' },
  };
}
