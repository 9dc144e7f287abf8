import type { AnalysisRun } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import type { KubeObject, ResourceRef } from '@tiphys/kubernetes';
import { hasClusterRight, requireClusterRight } from '../../context/cluster-right.ts';
import type { FamilyAccess } from '../../context/family-access.ts';
import { shownAnalysis, shownExperiment } from '../../families/analysis-view.ts';
import { readBounded } from '../../families/bounded-list.ts';
import { patchesOf, type RolloutAction } from '../../families/rollout-patches.ts';
import { rolloutHead, rolloutSummary, shownRevision } from '../../families/rollout-view.ts';
import { BodyBudget } from '../../http/body-budget.ts';
import type { Call } from '../../rpc/call.ts';
import { failedPrecondition, invalidArgument, notFound } from '../../rpc/rpc-error.ts';
import { type OwnRequest, postOwn, serveOwn } from '../own-api.ts';

const base = '/api/tiphys/v1/rollouts';
const one =
  /^\/api\/tiphys\/v1\/rollouts\/([a-z0-9-]{1,63})\/([a-z0-9.-]{1,253})(?:\/(promote|abort|retry|restart|undo|image))?$/;
const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout' };
/** Bytes of one request. */
const largest = 1024;
const budget = new BodyBudget(64 * 1024);

interface Named {
  readonly namespace: string;
  readonly name: string;
}

/**
 * Rollouts of the control plane's cluster; undefined for other paths. To read needs `clusters, get, *`, to change `clusters, update, *`.
 * - `GET /api/tiphys/v1/rollouts`: the first 500.
 * - `GET …/NAMESPACE/NAME`: one, with its revisions, AnalysisRuns and Experiments.
 * - `POST …/NAMESPACE/NAME/promote|abort|retry|restart`: what the kubectl plugin writes for it. `{"full": true}` promotes past all steps.
 * - `POST …/undo` with `{"revision": 3}`: its template again; `POST …/image` with `{"container": "web", "image": "web:2"}`.
 */
export function serveRollouts(asked: OwnRequest, context: FamilyAccess): Promise<void> | undefined {
  if (asked.path === base)
    return serveOwn(asked, '/cluster.ClusterService/List', (call) => listRollouts(context, call));
  const [, namespace, name, action] = one.exec(asked.path) ?? [];
  if (namespace === undefined || name === undefined) return undefined;
  const named = { namespace, name };
  if (action === undefined)
    return serveOwn(asked, '/cluster.ClusterService/List', (call) => oneRollout(context, call, named));
  return postOwn(asked, '/cluster.ClusterService/Update', async (call) => {
    await requireClusterRight(context, call, 'update');
    const body = await readBody(asked.request);
    if (action === 'undo' || action === 'image') return await changeTemplate(context, call, { ...named, action, body });
    return await act(context, call, { ...named, action: action as RolloutAction, full: body.full === true });
  });
}

async function listRollouts(context: FamilyAccess, call: Call) {
  await requireClusterRight(context, call, 'get');
  return await readBounded<Rollout, unknown>(context.client, kind, { of: rolloutSummary, signal: call.signal });
}

async function find({ client }: FamilyAccess, call: Call, { namespace, name }: Named): Promise<Rollout> {
  const rollout = (await client.discovery.find(kind.apiVersion, kind.kind))
    ? await client.find<Rollout>({ ...kind, namespace, name }, { signal: call.signal })
    : undefined;
  if (!rollout) throw notFound(`There is no Rollout ${namespace}/${name}`);
  return rollout;
}

async function oneRollout(context: FamilyAccess, call: Call, named: Named) {
  await requireClusterRight(context, call, 'get');
  const rollout = await find(context, call, named);
  // analyses of an Experiment belong to it, and it to the Rollout
  const owners = new Set([rollout.metadata.uid]);
  const owned = <T extends KubeObject, R>(ref: ResourceRef, of: (object: T) => R, labelSelector?: string) =>
    readBounded<T, R>(
      context.client,
      { ...ref, namespace: named.namespace },
      {
        of: (object) => (object.metadata.ownerReferences?.some(({ uid }) => owners.has(uid)) ? of(object) : undefined),
        labelSelector,
        signal: call.signal,
      },
    );
  const sets = { apiVersion: 'apps/v1', kind: 'ReplicaSet' };
  const revisions = await owned(sets, (set) => shownRevision(rollout, set), labelsOf(rollout));
  const ofExperiments: (string | undefined)[] = [];
  const experiments = await owned<Experiment, ReturnType<typeof shownExperiment>>(
    { ...kind, kind: 'Experiment' },
    (experiment) => {
      ofExperiments.push(experiment.metadata.uid);
      return shownExperiment(experiment);
    },
  );
  for (const uid of ofExperiments) owners.add(uid);
  const runs = { ...kind, kind: 'AnalysisRun' };
  const analyses = await owned<AnalysisRun, ReturnType<typeof shownAnalysis>>(runs, shownAnalysis);
  const newestFirst = <T extends { revision: string }>(items: readonly T[]) =>
    items.toSorted((a, b) => Number(b.revision) - Number(a.revision));
  return {
    ...rolloutHead(rollout),
    revisions: newestFirst(revisions.items),
    analyses: analyses.items.toSorted((a, b) => (a.started < b.started ? 1 : -1)),
    experiments: newestFirst(experiments.items),
    notes: [revisions, analyses, experiments].flatMap(({ note }) => note ?? []),
    mayAct: await hasClusterRight(context, call, 'update'),
  };
}

/** Labels of all its revisions, as a selector; undefined where another object has them. Its status knows those of the active one alone. */
function labelsOf({ spec }: Rollout): string | undefined {
  const labels = Object.entries(spec.selector?.matchLabels ?? {});
  return labels.length > 0 ? labels.map(([label, value]) => `${label}=${value}`).join(',') : undefined;
}

async function act(context: FamilyAccess, call: Call, given: Named & { action: RolloutAction; full: boolean }) {
  const { namespace, name, action, full } = given;
  const rollout = await find(context, call, given);
  const { object, status } = patchesOf(rollout, { action, full, now: context.clock.now() });
  if (!object && !status) throw failedPrecondition(`Rollout ${namespace}/${name} has nothing to ${action}`);
  const ref = { ...kind, namespace, name };
  if (object) await context.client.patch(ref, 'merge', object, { signal: call.signal });
  if (status) await context.client.patch(ref, 'merge', status, { subresource: 'status', signal: call.signal });
  record(context, call, { namespace, name, action: full ? `${action} full` : action });
  return {};
}

/** Another template: that of an earlier revision, or the one that is there with another image. */
async function changeTemplate(
  context: FamilyAccess,
  call: Call,
  { namespace, name, action, body }: Named & { action: 'undo' | 'image'; body: Readonly<Record<string, unknown>> },
) {
  const { setImage, undoRollout } = await import('@tiphys/rollouts');
  await find(context, call, { namespace, name });
  const target = { client: context.client, namespace, name };
  const { revision, container, image } = body;
  if (action === 'undo') {
    if (!Number.isSafeInteger(revision) || Number(revision) < 0)
      throw invalidArgument('revision is missing: a whole number, 0 for the one before');
    if (!(await undoRollout(target, Number(revision))))
      throw failedPrecondition(`Rollout ${namespace}/${name} has the template of revision ${revision} already`);
  } else {
    if (typeof container !== 'string' || typeof image !== 'string' || !container || !image)
      throw invalidArgument('container or image is missing');
    await setImage(target, { container, image });
  }
  record(context, call, { namespace, name, action });
  return {};
}

function record(context: FamilyAccess, call: Call, { namespace, name, action }: Named & { action: string }): void {
  context.log('info', 'a Rollout was changed', {
    rollout: `${namespace}/${name}`,
    action,
    by: call.identity?.subject ?? 'anonymous',
  });
}

/** Whether a body asks for a full promotion. Throws if it is no JSON object, or too large. */
export async function readPromotion(request: OwnRequest['request']): Promise<boolean> {
  return (await readBody(request)).full === true;
}

async function readBody(request: OwnRequest['request']): Promise<Readonly<Record<string, unknown>>> {
  const bytes = await budget.read(request, largest);
  if (!bytes) throw invalidArgument(`The body has more than ${largest} bytes`);
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8') || '{}');
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // told below
  }
  throw invalidArgument('The body is no JSON object such as {} or {"full": true}');
}
