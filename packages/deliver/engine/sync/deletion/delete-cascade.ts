import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { type Client, describeKey, isNotFound, type KubeObject, keyOf, type ObjectKey } from '@tiphys/kubernetes';
import type { ClusterCache } from '../../cache/cluster-cache.ts';
import { stuckDeletion } from '../../health/stuck-deletion.ts';
import { annotation, annotationNames, hasSyncOption, syncOptionValue } from '../../model/annotations.ts';
import { isHook, waveOf } from '../../model/hooks.ts';
import { inParallel } from '../in-parallel.ts';
import { kindRank } from '../plan/kind-order.ts';
import { isOwnPart } from '../plan/own-parts.ts';

const confirmationAwaited = defineDiagnosis(
  'DeletionConfirmationAwaited',
  'An object is deleted only after a person confirms it',
);

export interface CascadeRequest {
  readonly cache: ClusterCache;
  /** Client that deletes; its caller names the application. */
  readonly client: Client;
  readonly instance: string;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan';
  /** Value of the Application's annotation `argocd.argoproj.io/deletion-approved`. */
  readonly deletionApprovedAt?: string | undefined;
  /** When the deletion of the Application began (RFC 3339); an approval from before that is for something else. */
  readonly deletionRequestedAt?: string | undefined;
  /** `spec.syncPolicy.syncOptions`: `Delete=confirm` and `Prune=confirm` ask for the approval of every object. */
  readonly syncOptions?: readonly string[] | undefined;
  /** Namespace of the control plane, if the objects are of its own cluster: what belongs to it stays. */
  readonly controlNamespace?: string;
  /** Whether the project lets the application touch the object; what is not permitted stays. */
  readonly permit?: (key: ObjectKey, namespaced: boolean) => boolean;
  readonly signal: AbortSignal;
}

export interface RemainingObject {
  readonly key: ObjectKey;
  /** One line: the object and what keeps it. */
  readonly description: string;
  readonly diagnosis: Diagnosis;
}

export interface CascadeResult {
  /** Nothing is left that the application owns and that is to be deleted. */
  readonly done: boolean;
  readonly remaining: readonly RemainingObject[];
}

/**
 * Deletes what the application owns, in the reverse of the order in which it was applied: wave after wave, each gone
 * before the next is begun. Objects with `Delete=false` or `helm.sh/resource-policy: keep` stay; those with
 * `Delete=confirm` wait for the approval. Call it again until it is done; it deletes nothing twice.
 */
export async function deleteCascade(request: CascadeRequest): Promise<CascadeResult> {
  const { cache, client, instance, signal } = request;
  const doomed = cache.managed(instance).filter((object) => isDoomed(object, request));
  if (doomed.length === 0) return { done: true, remaining: [] };
  const unconfirmed = isApproved(request) ? [] : doomed.filter((object) => needsConfirmation(object, request));
  if (unconfirmed.length > 0) return { done: false, remaining: unconfirmed.map(awaitingConfirmation) };
  const wave = Math.max(...doomed.map(waveOf));
  const now = doomed.filter((object) => waveOf(object) === wave).sort(reverseOrder);
  const failures = new Map<KubeObject, Diagnosis>();
  await inParallel(
    now.filter(({ metadata }) => !metadata.deletionTimestamp),
    10,
    async (object) => {
      try {
        await deleteObject(object, client, request);
      } catch (error) {
        signal.throwIfAborted();
        failures.set(object, diagnosisOf(error));
      }
    },
  );
  const remaining: RemainingObject[] = [];
  for (const object of now) {
    const failure = failures.get(object);
    const live = failure ? object : await client.find(refOf(object), { signal });
    if (live && live.metadata.uid === object.metadata.uid) {
      if (!failure) cache.observe(live);
      remaining.push(
        failure
          ? { key: keyOf(object), description: `${describeKey(keyOf(object))}: ${failure.message}`, diagnosis: failure }
          : stuck(live),
      );
    } else cache.forget(keyOf(object), object.metadata.uid);
  }
  const later = doomed.length - now.length;
  if (remaining.length === 0 && later > 0) return deleteCascade(request);
  return { done: remaining.length === 0, remaining };
}

function isDoomed(object: KubeObject, { permit, controlNamespace }: CascadeRequest): boolean {
  if (controlNamespace && isOwnPart(object, controlNamespace)) return false;
  if (hasSyncOption(object, 'Delete=false') || annotation(object, annotationNames.helmResourcePolicy) === 'keep')
    return false;
  if (isHook(object) && object.metadata.deletionTimestamp) return false;
  return permit?.(keyOf(object), Boolean(object.metadata.namespace)) ?? true;
}

/** Upstream's rule: by `Delete` or `Prune`, of the object or else of the application. */
function needsConfirmation(object: KubeObject, { syncOptions = [] }: CascadeRequest): boolean {
  return ['Delete', 'Prune'].some((name) => {
    const own = syncOptionValue(object, name);
    return own === undefined ? syncOptions.includes(`${name}=confirm`) : own === 'confirm';
  });
}

function isApproved({ deletionApprovedAt, deletionRequestedAt }: CascadeRequest): boolean {
  if (deletionApprovedAt === undefined) return false;
  const approved = Date.parse(deletionApprovedAt);
  return !Number.isNaN(approved) && (deletionRequestedAt === undefined || approved >= Date.parse(deletionRequestedAt));
}

/** Of one wave: dependants before what they depend on, definitions and namespaces last. */
function reverseOrder(a: KubeObject, b: KubeObject): number {
  return kindRank(b.kind) - kindRank(a.kind) || ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
}

function refOf(object: KubeObject) {
  const { metadata } = object;
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: metadata.name ?? '',
    ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
  };
}

async function deleteObject(
  object: KubeObject,
  client: Client,
  { propagationPolicy, signal }: CascadeRequest,
): Promise<void> {
  const { uid } = object.metadata;
  try {
    await client.delete(refOf(object), { propagationPolicy, signal, ...(uid ? { preconditions: { uid } } : {}) });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function awaitingConfirmation(object: KubeObject): RemainingObject {
  const key = keyOf(object);
  const diagnosis = diagnose(confirmationAwaited, {
    message: `${describeKey(key)} is deleted only after confirmation`,
    place: { object: describeKey(key) },
    remedies: [
      {
        text: 'Confirm the deletion',
        paste: 'argocd app confirm-deletion APPNAME',
        loses: 'the object and what it holds',
      },
    ],
  });
  return { key, description: diagnosis.message, diagnosis };
}

function stuck(object: KubeObject): RemainingObject {
  const diagnosis = stuckDeletion(object);
  return { key: keyOf(object), description: diagnosis.message, diagnosis };
}
