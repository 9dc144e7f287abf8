import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, keyString } from '@tiphys/kubernetes';
import type { CompareRequest, ComparisonConditionType } from '../difference/comparison.ts';
import { type PreparedObject, placeOf } from '../difference/desired-state.ts';
import { annotation, annotationNames } from '../model/annotations.ts';
import { trackingClaim } from '../model/tracking.ts';

const sharedResource = defineDiagnosis('SharedResource', 'An object belongs to two applications', 'C20');
const notPermitted = defineDiagnosis('ObjectNotPermitted', 'The project does not permit an object', 'C19');

export interface Finding {
  readonly type: ComparisonConditionType;
  readonly diagnosis: Diagnosis;
}

/** Why an object must not be delivered, as a condition; `undefined` if it may be. */
export function refusalOf(request: CompareRequest, item: PreparedObject): Finding | undefined {
  const unseen = request.unseen?.(item.key, item.namespaced ?? true);
  if (unseen) return { type: 'ComparisonError', diagnosis: placed(unseen, item) };
  const verdict = request.permit?.(item.key, item.namespaced ?? true);
  if (verdict === undefined || verdict === true) return undefined;
  const diagnosis =
    verdict === false
      ? diagnose(notPermitted, {
          message: `resource ${item.key.group}:${item.key.kind} is not permitted in the project`,
        })
      : verdict;
  return { type: 'InvalidSpecError', diagnosis: placed(diagnosis, item) };
}

function placed(diagnosis: Diagnosis, item: PreparedObject): Diagnosis {
  return { ...diagnosis, place: { ...placeOf(item), ...diagnosis.place } };
}

/** Somebody else's live object is a warning, not an error: the last who syncs wins, as upstream. */
export function sharedOwner(
  item: PreparedObject,
  live: KubeObject,
  tracking: CompareRequest['tracking'],
): Finding | undefined {
  const claim = trackingClaim(live, tracking);
  if (!claim || claim.instance === tracking.instance) return undefined;
  const { kind, name } = item.key;
  const mine = tracking.instance.replaceAll('_', '/');
  const theirs = claim.instance.replaceAll('_', '/');
  const writer = live.metadata.managedFields
    ?.toSorted((a, b) => ((a.time ?? '') < (b.time ?? '') ? 1 : -1))
    .find(({ subresource }) => subresource !== 'status');
  return {
    type: 'SharedResourceWarning',
    diagnosis: diagnose(sharedResource, {
      message: `${kind}/${name} is part of applications ${mine} and ${theirs}`,
      place: placeOf(item),
      evidence: {
        'live tracking id': annotation(live, annotationNames.trackingId),
        'last written': writer?.time,
        'last writer': writer?.manager,
      },
      remedies: [`Keep ${describeKey(item.key)} in one of the two applications`],
    }),
  };
}

/** Live objects of the instance that may be pruned, by key; those that the project does not permit are left out. */
export function prunableObjects(request: CompareRequest, desired: readonly PreparedObject[]): Map<string, KubeObject> {
  const { cache, tracking, permit, options, destinationNamespace } = request;
  const live = new Map<string, KubeObject>();
  const managedNamespace = options?.managedNamespaceMetadata ? destinationNamespace : undefined;
  for (const object of cache.managed(tracking.instance)) {
    const key = keyOf(object);
    if (permit && isDenied(permit(key, Boolean(key.namespace)))) continue;
    if (
      managedNamespace &&
      key.kind === 'Namespace' &&
      key.group === '' &&
      key.name === managedNamespace &&
      !desired.some(({ id }) => id === keyString(key))
    )
      continue;
    live.set(keyString(key), object);
  }
  return live;
}

function isDenied(verdict: boolean | Diagnosis | undefined): boolean {
  return verdict !== undefined && verdict !== true;
}
