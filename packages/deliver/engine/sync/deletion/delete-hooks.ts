import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf, formatDiagnosis, within } from '@tiphys/diagnosis';
import { type Client, isAlreadyExists, isNotFound, type KubeObject } from '@tiphys/kubernetes';
import type { ClusterCache } from '../../cache/cluster-cache.ts';
import type { Comparison } from '../../difference/comparison.ts';
import { placeOf } from '../../difference/desired-state.ts';
import { leafDiagnosis } from '../../explain/explain-health.ts';
import { deletePoliciesOf, hookTypesOf } from '../../model/hooks.ts';
import type { ComparedResource } from '../../model/model.ts';
import { refOf } from '../live-objects.ts';

const deleteHookFailed = defineDiagnosis(
  'DeleteHookFailed',
  'A PreDelete or PostDelete hook failed, so the deletion does not go on',
  'S3',
);

export interface DeleteHooksRequest {
  readonly comparison: Comparison;
  readonly type: 'PreDelete' | 'PostDelete';
  readonly cache: ClusterCache;
  readonly client: Client;
  /** When the deletion began, in the API server's time: the objects of hooks that are older are of an earlier life of the application. */
  readonly since: string;
  /** Hooks that failed make way, and run again as they are defined now. */
  readonly retry: boolean;
  readonly signal: AbortSignal;
}

export interface DeleteHooksResult {
  /** All hooks of the type have succeeded, or there are none; their objects are cleaned up. */
  readonly done: boolean;
  /** What is being waited for. */
  readonly waitingFor: readonly string[];
  /** The hooks that failed, and why. They run again with `retry`, or when somebody deletes their objects. */
  readonly failures: readonly Diagnosis[];
}

/**
 * Runs the hooks of an application's deletion, wave after wave. Call it again until it is done: hooks are known by
 * their names, and one that was made for this deletion is not made again unless it failed and is to be retried.
 */
export async function stepDeleteHooks(request: DeleteHooksRequest): Promise<DeleteHooksResult> {
  const hooks = request.comparison.hooks.filter(
    ({ desired }) => desired && hookTypesOf(desired).includes(request.type),
  );
  const waves = [...new Set(hooks.map(({ wave }) => wave))].sort((a, b) => a - b);
  for (const wave of waves) {
    const waitingFor: string[] = [];
    const failures: Diagnosis[] = [];
    for (const hook of hooks.filter((item) => item.wave === wave)) {
      try {
        const state = await runHook(hook, request);
        if (state.failure) failures.push(state.failure);
        else if (!state.done) waitingFor.push(`${hook.key.group}/${hook.key.kind}/${named(hook).metadata.name}`);
      } catch (error) {
        request.signal.throwIfAborted();
        failures.push(diagnosisOf(within(error, { place: placeOf(hook) })));
      }
    }
    if (failures.length > 0 || waitingFor.length > 0) return { done: false, waitingFor, failures };
  }
  await cleanUp(hooks, request);
  return { done: true, waitingFor: [], failures: [] };
}

async function runHook(
  hook: ComparedResource,
  { type, client, cache, since, retry, signal }: DeleteHooksRequest,
): Promise<{ done: boolean; failure?: Diagnosis }> {
  const desired = named(hook);
  const ref = refOf({ key: { ...hook.key, name: desired.metadata.name ?? '' }, version: hook.version });
  const live = await client.find(ref, { signal });
  if (!live) {
    try {
      const made = await client.create(desired, { fieldManager: 'argocd-controller', signal });
      return { done: cache.healthOf(made) === undefined };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return { done: false };
    }
  }
  const removed = async () => {
    if (!live.metadata.deletionTimestamp) await remove(ref, live.metadata.uid, client, signal);
    return { done: false };
  };
  if (Date.parse(live.metadata.creationTimestamp ?? '') < Date.parse(since)) return removed();
  const health = cache.healthOf(live);
  if (!health || health.status === 'Healthy') return { done: true };
  if (health.status === 'Progressing' || health.status === 'Suspended') return { done: false };
  if (retry) return removed();
  const leaf = leafDiagnosis(cache, { ...hook.key, name: ref.name });
  const failure = diagnose(deleteHookFailed, {
    message: `${type} hook ${hook.key.kind}/${ref.name} failed${health.message ? `: ${health.message}` : ''}`,
    place: placeOf(hook),
    evidence: { health: health.status, cause: leaf && formatDiagnosis(leaf) },
    remedies: [
      'Correct the hook: it runs again within a minute, or at once when the application is refreshed',
      'Or delete the application without cascading',
    ],
    ...(leaf ? { causes: [leaf] } : {}),
  });
  return { done: false, failure };
}

function named(hook: ComparedResource): KubeObject {
  const desired = hook.desired as KubeObject;
  if (desired.metadata.name) return desired;
  // the name must be the same in every attempt, and there is only one deletion
  return {
    ...desired,
    metadata: {
      ...desired.metadata,
      name: `${desired.metadata.generateName ?? ''}${hookTypesOf(desired).join('-').toLowerCase()}`,
    },
  };
}

/** As upstream, an object whose hook names no policy stays. */
async function cleanUp(hooks: readonly ComparedResource[], { client, signal }: DeleteHooksRequest): Promise<void> {
  for (const hook of hooks) {
    const desired = named(hook);
    if (!deletePoliciesOf(desired).includes('HookSucceeded')) continue;
    const ref = refOf({ key: { ...hook.key, name: desired.metadata.name ?? '' }, version: hook.version });
    await remove(ref, undefined, client, signal);
  }
}

async function remove(
  ref: ReturnType<typeof refOf>,
  uid: string | undefined,
  client: Client,
  signal: AbortSignal,
): Promise<void> {
  try {
    const preconditions = uid ? { preconditions: { uid } } : {};
    await client.delete(ref, { propagationPolicy: 'Background', signal, ...preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
