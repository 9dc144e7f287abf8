import { isAlreadyExists } from '@tiphys/kubernetes';
import type { Controller } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { podFromTemplate, serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { PersistentVolumeClaim, Pod } from '../machinery/workload-model.ts';
import { revisionLabel, templateOf } from '../revisions/controller-revision.ts';
import { createClaims, ownClaims, withClaims } from './stateful-claims.ts';
import type { StatefulRevisions } from './stateful-revisions.ts';
import { ordinalOf, type StatefulSet, startOf } from './stateful-set-model.ts';

/** What the writes about a set's pods need. */
export interface StatefulIo {
  controller: Controller;
  pods: ObjectStore<Pod>;
  claims: ObjectStore<PersistentVolumeClaim>;
}

/** The pod of an ordinal at the revision that it is to have: below the partition the current one, else the new one. */
export function newStatefulPod(set: StatefulSet, revisions: StatefulRevisions, ordinal: number): Pod {
  const rolling = set.spec.updateStrategy?.rollingUpdate;
  const kept = rolling ? (rolling.partition ?? 0) : keptReplicas(set);
  const revision = ordinal < startOf(set) + kept ? revisions.current : revisions.update;
  const template = revision === revisions.update ? set.spec.template : templateOf(revision);
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podFromTemplate(template, set, name);
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      labels: {
        ...pod.metadata.labels,
        ...identityLabels(name, ordinal),
        [revisionLabel]: revision.metadata.name ?? '',
      },
    },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      volumes: withClaims(set, ordinal, pod.spec.volumes),
    },
  };
}

function keptReplicas({ spec, status }: StatefulSet): number {
  return spec.updateStrategy?.type === 'RollingUpdate' ? (status?.currentReplicas ?? 0) : 0;
}

function identityLabels(name: string, ordinal: number): Record<string, string> {
  return { 'statefulset.kubernetes.io/pod-name': name, 'apps.kubernetes.io/pod-index': String(ordinal) };
}

export async function createStatefulPod(io: StatefulIo, set: StatefulSet, pod: Pod): Promise<Pod> {
  const { controller, pods, claims } = io;
  try {
    await createClaims(controller, claims, set, pod);
    const created = await controller.create(pods, pod);
    await ownClaims(controller, claims, set, created);
    tell(io, set, pod, 'create');
    return created;
  } catch (error) {
    if (!isAlreadyExists(error)) tell(io, set, pod, 'create', error);
    throw error;
  }
}

/** Repairs labels and the owners of claims; volumes of a pod cannot be changed. */
export async function repairStatefulPod(io: StatefulIo, set: StatefulSet, pod: Pod): Promise<void> {
  const { controller, pods, claims } = io;
  const name = pod.metadata.name ?? '';
  const labels = { ...pod.metadata.labels, ...identityLabels(name, ordinalOf(set, pod) ?? 0) };
  const broken = pod.metadata.labels?.['statefulset.kubernetes.io/pod-name'] !== name;
  const owned = await ownClaims(controller, claims, set, pod);
  // the real one writes the pod as it is where only its claims have changed
  if (!owned && (!broken || semanticallyEqual(labels, pod.metadata.labels))) return;
  try {
    await controller.update(pods, { ...pod, metadata: { ...pod.metadata, labels } });
    tell(io, set, pod, 'update');
  } catch (error) {
    tell(io, set, pod, 'update', error);
    throw error;
  }
}

export async function deleteStatefulPod(io: StatefulIo, set: StatefulSet, pod: Pod): Promise<void> {
  try {
    await io.controller.delete(io.pods, pod);
    tell(io, set, pod, 'delete');
  } catch (error) {
    tell(io, set, pod, 'delete', error);
    throw error;
  }
}

function tell(
  { controller }: StatefulIo,
  set: StatefulSet,
  pod: Pod,
  verb: 'create' | 'update' | 'delete',
  error?: unknown,
) {
  const title = `${verb[0]?.toUpperCase()}${verb.slice(1)}`;
  const about = `${verb} Pod ${pod.metadata.name} in StatefulSet ${set.metadata.name}`;
  if (error === undefined) controller.events.event(set, 'Normal', `Successful${title}`, `${about} successful`);
  else controller.events.event(set, 'Warning', `Failed${title}`, `${about} failed error: ${serverMessage(error)}`);
}
