import { isAlreadyExists, type KubeObject, selectorMatches } from '@tiphys/kubernetes';
import { type Controller, controllerRef } from '../machinery/controller.ts';
import type { ObjectStore } from '../machinery/object-store.ts';
import { adopt } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type { PodTemplate, Workload } from '../machinery/workload-model.ts';
import { safeEncode } from '../template-hash/template-hash.ts';

export interface ControllerRevision extends KubeObject {
  data: { spec: { template: PodTemplate & { $patch?: string } } };
  revision: number;
}

/** On pods: the name of their revision (StatefulSet) or its hash (DaemonSet). */
export const revisionLabel = 'controller-revision-hash';

/** What a revision keeps of a workload: a patch that brings its pod template back. Clients compare its text, so that it is the one of Go. */
export function revisionData(template: PodTemplate): ControllerRevision['data'] {
  return JSON.parse(goJson({ spec: { template: { ...template, $patch: 'replace' } } }));
}

/** The template that a revision keeps. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _, ...template } = data.spec.template;
  return template;
}

/** The hash of a StatefulSet's revision; the same as kube-controller-manager computes (`HashControllerRevision`). */
export function revisionHash(data: ControllerRevision['data'], collisionCount: number): string {
  return safeEncode(String(fnv32(goJson(data) + String(collisionCount))));
}

export function newRevision(
  owner: KubeObject,
  template: PodTemplate,
  { revision, hash, hashLabel }: { revision: number; hash: string; hashLabel: string },
): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${(owner.metadata.name ?? '').slice(0, 223)}-${hash}`,
      namespace: owner.metadata.namespace ?? '',
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      ...(owner.metadata.annotations ? { annotations: owner.metadata.annotations } : {}),
      ownerReferences: [controllerRef(owner)],
    },
    data: revisionData(template),
    revision,
  };
}

/** The revisions of a workload, those that an owner left behind and that its selector means included, oldest first. */
export async function claimRevisions(
  controller: Controller,
  store: ObjectStore<ControllerRevision>,
  owner: Workload,
): Promise<ControllerRevision[]> {
  const claimed = [...store.controlledBy(owner.metadata.uid ?? '')];
  const left = owner.metadata.deletionTimestamp ? [] : [...store.orphansIn(owner.metadata.namespace ?? '')];
  for (const revision of left) {
    if (revision.metadata.deletionTimestamp || !selectorMatches(owner.spec.selector, revision.metadata.labels))
      continue;
    const adopted = await adopt(controller, store, revision, owner);
    if (adopted) claimed.push(adopted);
  }
  return claimed.sort(byRevision);
}

/** Creates the revision, or finds what is the same already; undefined when another one has the name. */
export async function createRevision(
  controller: Controller,
  store: ObjectStore<ControllerRevision>,
  revision: ControllerRevision,
): Promise<ControllerRevision | undefined> {
  try {
    return await controller.create(store, revision);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name = '', namespace = '' } = revision.metadata;
    const ref = { apiVersion: 'apps/v1', kind: 'ControllerRevision', name, namespace };
    const found = await controller.client.find<ControllerRevision>(ref);
    return found && semanticallyEqual(found.data, revision.data) ? found : undefined;
  }
}

/** Oldest first. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const [left = '', right = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (left !== right) return left < right ? -1 : 1;
  return (a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1;
}

/** JSON as Go writes a map: sorted keys, and `<`, `>` and `&` escaped. */
function goJson(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) =>
    item !== null && typeof item === 'object' && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
  const escaped = new Set(['<', '>', '&', '\u2028', '\u2029']);
  return [...text]
    .map((char) => (escaped.has(char) ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : char))
    .join('');
}

/** FNV-1, which multiplies before it adds. */
function fnv32(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return hash;
}
