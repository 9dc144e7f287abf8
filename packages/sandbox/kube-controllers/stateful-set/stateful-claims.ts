import { isAlreadyExists, type KubeObject, type OwnerReference } from '@tiphys/kubernetes';
import { type Controller, controllerRef } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { PersistentVolumeClaim, Pod, Volume } from '../machinery/workload-model.ts';
import { isInRange, ordinalOf, type StatefulSet } from './stateful-set-model.ts';

/** The claims of a pod of the set, by the name of the template: `data` → `data-web-0`. */
export function claimsOf(set: StatefulSet, ordinal: number): Map<string, PersistentVolumeClaim> {
  const { name = '', namespace = '' } = set.metadata;
  return new Map(
    (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => {
      const labels = { ...metadata.labels, ...set.spec.selector.matchLabels };
      const claim: PersistentVolumeClaim = {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `${metadata.name}-${name}-${ordinal}`,
          namespace,
          labels,
          ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
          ...(metadata.finalizers ? { finalizers: metadata.finalizers } : {}),
        },
        spec,
      };
      return [metadata.name ?? '', claim];
    }),
  );
}

/** The pod's volumes with those of the claim templates, which win. */
export function withClaims(set: StatefulSet, ordinal: number, volumes: readonly Volume[] = []): Volume[] {
  const claims = claimsOf(set, ordinal);
  const own = [...claims].map(([name, { metadata }]) => ({
    name,
    persistentVolumeClaim: { claimName: metadata.name ?? '' },
  }));
  return [...own, ...volumes.filter(({ name }) => !claims.has(name))];
}

/** Creates the claims that the pod misses; throws with all reasons when it cannot have them. */
export async function createClaims(
  controller: Controller,
  store: ObjectStore<PersistentVolumeClaim>,
  set: StatefulSet,
  pod: Pod,
): Promise<void> {
  const problems: string[] = [];
  for (const claim of claimsOf(set, ordinalOf(set, pod) ?? 0).values()) {
    const { name = '', namespace = '' } = claim.metadata;
    const known = store.get(namespace, name);
    if (known?.metadata.deletionTimestamp) problems.push(`pvc ${name} is being deleted`);
    if (known) continue;
    const about = `Claim ${name} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
    try {
      await controller.create(store, claim);
      controller.events.event(set, 'Normal', 'SuccessfulCreate', `create ${about} success`);
    } catch (error) {
      const why = serverMessage(error);
      problems.push(`failed to create PVC ${name}: ${why}`);
      if (isAlreadyExists(error)) continue;
      const text = `create Claim ${name} for Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name} failed error: ${why}`;
      controller.events.event(set, 'Warning', 'FailedCreate', text);
    }
  }
  if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`);
}

/** A claim that is to go with a pod that is gone: the pod's successor must wait for its end. */
export function hasStaleClaim(store: ObjectStore<PersistentVolumeClaim>, set: StatefulSet, pod: Pod): boolean {
  if (set.spec.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return false;
  return [...claimsOf(set, ordinalOf(set, pod) ?? 0).values()].some(({ metadata }) =>
    store
      .get(metadata.namespace ?? '', metadata.name ?? '')
      ?.metadata.ownerReferences?.some((owner) => isPodRef(owner, pod) && owner.uid !== pod.metadata.uid),
  );
}

/** Gives the pod's claims the owners that `persistentVolumeClaimRetentionPolicy` wants: the set, the pod or none. True if any was another. */
export async function ownClaims(
  controller: Controller,
  store: ObjectStore<PersistentVolumeClaim>,
  set: StatefulSet,
  pod: Pod,
): Promise<boolean> {
  let changed = false;
  for (const { metadata } of claimsOf(set, ordinalOf(set, pod) ?? 0).values()) {
    const claim = store.get(metadata.namespace ?? '', metadata.name ?? '');
    if (!claim || claim.metadata.deletionTimestamp) continue;
    const before = claim.metadata.ownerReferences ?? [];
    const isOurs = (owner: OwnerReference) => isRef(owner, set) || isPodRef(owner, pod);
    const stale = before.some(
      (owner) => isOurs(owner) && owner.uid !== set.metadata.uid && owner.uid !== pod.metadata.uid,
    );
    const others = before.filter((owner) => !isOurs(owner));
    if (stale) continue;
    const owner = others.some(({ controller: controls }) => controls) ? undefined : wantedOwner(set, pod);
    const after = owner ? [...others, controllerRef(owner)] : others;
    if (semanticallyEqual(before, after)) continue;
    // others write the claim while it is bound: no conflict for that
    const ref = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', name: claim.metadata.name ?? '' };
    const body = { metadata: { uid: claim.metadata.uid, ownerReferences: after } };
    const namespace = claim.metadata.namespace ?? '';
    store.wrote(await controller.client.patch<PersistentVolumeClaim>({ ...ref, namespace }, 'merge', body));
    changed = true;
  }
  return changed;
}

function wantedOwner(set: StatefulSet, pod: Pod): KubeObject | undefined {
  const { whenDeleted = 'Retain', whenScaled = 'Retain' } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const scaledDown = !isInRange(set, ordinalOf(set, pod) ?? -1);
  if (whenScaled === 'Delete' && scaledDown) return pod;
  return whenDeleted === 'Delete' ? set : undefined;
}

function isRef(owner: OwnerReference, { apiVersion, kind, metadata }: KubeObject): boolean {
  return owner.apiVersion === apiVersion && owner.kind === kind && owner.name === metadata.name;
}

function isPodRef(owner: OwnerReference, pod: Pod): boolean {
  return isRef(owner, { ...pod, apiVersion: 'v1', kind: 'Pod' });
}
