import { isAlreadyExists } from '@tiphys/kubernetes';
import { conditionOf, timestamp, withCondition } from '../machinery/conditions.ts';
import { type Controller, controllerRef } from '../machinery/controller.ts';
import { controllerOf, type ObjectStore } from '../machinery/object-store.ts';
import { isNamespaceTerminating, serverMessage } from '../machinery/pods.ts';
import { semanticallyEqual } from '../machinery/semantically-equal.ts';
import type {
  Condition,
  Deployment,
  DeploymentStatus,
  Pod,
  PodTemplate,
  ReplicaSet,
} from '../machinery/workload-model.ts';
import { templateHash } from '../template-hash/template-hash.ts';
import { byCreation, newSetReplicas, replicasOf } from './deployment-sizes.ts';
import {
  compareRevisions,
  newSetAnnotations,
  replicaAnnotations,
  revisionAnnotation,
  revisionOf,
} from './replica-set-annotations.ts';

export interface DeploymentStores {
  deployments: ObjectStore<Deployment>;
  sets: ObjectStore<ReplicaSet>;
  pods: ObjectStore<Pod>;
}

/** One reconcile of one Deployment: its state, and the writes that the strategies are made of. */
export class Rollout {
  readonly controller: Controller;
  readonly stores: DeploymentStores;
  deployment: Deployment;
  /** The set of the current template, if there is one. */
  newSet: ReplicaSet | undefined;
  oldSets: ReplicaSet[];

  constructor(controller: Controller, stores: DeploymentStores, deployment: Deployment, sets: readonly ReplicaSet[]) {
    this.controller = controller;
    this.stores = stores;
    this.deployment = deployment;
    const sorted = [...sets].sort(byCreation);
    this.newSet = sorted.find((set) => sameTemplate(set.spec.template, deployment.spec.template));
    this.oldSets = sorted.filter((set) => set !== this.newSet);
  }

  get allSets(): ReplicaSet[] {
    return this.newSet ? [...this.oldSets, this.newSet] : this.oldSets;
  }

  get hasDeadline(): boolean {
    const deadline = this.deployment.spec.progressDeadlineSeconds;
    return deadline !== undefined && deadline !== 2147483647;
  }

  condition(type: string, status: Condition['status'], reason: string, message: string): Condition {
    const now = timestamp(this.controller.clock);
    return { type, status, lastUpdateTime: now, lastTransitionTime: now, reason, message };
  }

  async writeStatus(status: DeploymentStatus): Promise<void> {
    const next = { ...this.deployment, status };
    this.deployment = await this.controller.updateStatus(this.stores.deployments, next);
    this.noted = false;
  }

  /** Brings revisions and annotations up to date; creates the new set if that is wanted and there is none. */
  async syncRevision(create: boolean): Promise<void> {
    const newest = this.oldSets.toSorted(compareRevisions).at(-1);
    const revision = (newest ? revisionOf(newest) : 0n) + 1n;
    if (this.newSet) await this.#updateNewSet(this.newSet, revision);
    else if (create) await this.#createNewSet(revision);
  }

  async #updateNewSet(set: ReplicaSet, revision: bigint): Promise<void> {
    const annotations = newSetAnnotations(this.deployment, set, revision);
    const minReadySeconds = this.deployment.spec.minReadySeconds ?? 0;
    if (
      !semanticallyEqual(annotations, set.metadata.annotations) ||
      (set.spec.minReadySeconds ?? 0) !== minReadySeconds
    ) {
      const metadata = { ...set.metadata, annotations };
      this.newSet = await this.controller.update(this.stores.sets, {
        ...set,
        metadata,
        spec: { ...set.spec, minReadySeconds },
      });
      return;
    }
    const found = this.condition(
      'Progressing',
      'True',
      'FoundNewReplicaSet',
      `Found new replica set "${set.metadata.name}"`,
    );
    this.#noteRevision(String(revisionOf(set)), found, false);
  }

  /** Whether the Deployment has notes that are not written yet. */
  noted = false;

  /**
   * Notes the revision on the Deployment, and the condition if it is news or there is none yet. The status that ends
   * every reconcile writes it, which saves a write that upstream makes; after a crash it is noted anew.
   */
  #noteRevision(revision: string, progress: Condition, news: boolean): void {
    const { annotations } = this.deployment.metadata;
    const conditions = this.deployment.status?.conditions;
    const tell = this.hasDeadline && (news || !conditionOf(conditions, 'Progressing'));
    if (annotations?.[revisionAnnotation] === revision && !tell) return;
    this.noted = true;
    const metadata = { ...this.deployment.metadata, annotations: { ...annotations, [revisionAnnotation]: revision } };
    const status = { ...this.deployment.status, ...(tell ? { conditions: withCondition(conditions, progress) } : {}) };
    this.deployment = { ...this.deployment, metadata, status };
  }

  async #createNewSet(revision: bigint): Promise<void> {
    const { deployment } = this;
    const hash = templateHash(deployment.spec.template, deployment.status?.collisionCount);
    const wanted = this.#newSetOf(hash, revision);
    const created = await this.#createOrFind(wanted);
    this.newSet = created.set;
    const name = created.set.metadata.name;
    if (!created.existed && replicasOf(wanted) > 0)
      this.event('ScalingReplicaSet', `Scaled up replica set ${name} from 0 to ${replicasOf(wanted)}`);
    const progress = this.condition('Progressing', 'True', 'NewReplicaSetCreated', `Created new replica set "${name}"`);
    this.#noteRevision(String(revision), progress, !created.existed);
  }

  #newSetOf(hash: string, revision: bigint): ReplicaSet {
    const { deployment } = this;
    const labels = { ...deployment.spec.template.metadata?.labels, 'pod-template-hash': hash };
    const name = `${(deployment.metadata.name ?? '').slice(0, 253 - 1 - hash.length)}-${hash}`;
    const set: ReplicaSet = {
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        name,
        ...(deployment.metadata.namespace ? { namespace: deployment.metadata.namespace } : {}),
        labels,
        annotations: newSetAnnotations(deployment, undefined, revision),
        ownerReferences: [controllerRef(deployment)],
      },
      spec: {
        replicas: 0,
        ...(deployment.spec.minReadySeconds ? { minReadySeconds: deployment.spec.minReadySeconds } : {}),
        selector: {
          ...deployment.spec.selector,
          matchLabels: { ...deployment.spec.selector.matchLabels, 'pod-template-hash': hash },
        },
        template: { ...deployment.spec.template, metadata: { ...deployment.spec.template.metadata, labels } },
      },
    };
    return { ...set, spec: { ...set.spec, replicas: newSetReplicas(deployment, this.oldSets, 0) } };
  }

  async #createOrFind(wanted: ReplicaSet): Promise<{ set: ReplicaSet; existed: boolean }> {
    try {
      return { set: await this.controller.create(this.stores.sets, wanted), existed: false };
    } catch (error) {
      if (isAlreadyExists(error)) return { set: await this.#existing(wanted, error), existed: true };
      if (!isNamespaceTerminating(error)) await this.#createFailed(wanted, error);
      throw error;
    }
  }

  /** Our own set that the cache did not show, or a hash collision, which the next reconcile avoids by the count. */
  async #existing(wanted: ReplicaSet, error: unknown): Promise<ReplicaSet> {
    const { name = '', namespace = '' } = wanted.metadata;
    const existing = await this.controller.client.get<ReplicaSet>({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      name,
      namespace,
    });
    const ours = controllerOf(existing)?.uid === this.deployment.metadata.uid;
    if (ours && sameTemplate(existing.spec.template, wanted.spec.template)) return existing;
    const collisionCount = (this.deployment.status?.collisionCount ?? 0) + 1;
    await this.writeStatus({ ...this.deployment.status, collisionCount });
    throw error;
  }

  async #createFailed(wanted: ReplicaSet, error: unknown): Promise<void> {
    const message = `Failed to create new replica set "${wanted.metadata.name}": ${serverMessage(error)}`;
    this.event('ReplicaSetCreateError', message, 'Warning');
    if (!this.hasDeadline) return;
    const failed = this.condition('Progressing', 'False', 'ReplicaSetCreateError', message);
    const conditions = withCondition(this.deployment.status?.conditions, failed);
    if (!semanticallyEqual(conditions, this.deployment.status?.conditions))
      await this.writeStatus({ ...this.deployment.status, conditions });
  }

  /** Scales a set, noting the Deployment's size in its annotations; answers whether its size changed. */
  async scaleSet(set: ReplicaSet, replicas: number, always = false): Promise<boolean> {
    const before = replicasOf(set);
    const annotations = { ...set.metadata.annotations, ...replicaAnnotations(this.deployment) };
    const noted = semanticallyEqual(annotations, set.metadata.annotations);
    if (before === replicas && (noted || !always)) return false;
    const next = { ...set, metadata: { ...set.metadata, annotations }, spec: { ...set.spec, replicas } };
    this.#replace(set, await this.controller.update(this.stores.sets, next));
    if (before === replicas) return false;
    const direction = before < replicas ? 'up' : 'down';
    this.event(
      'ScalingReplicaSet',
      `Scaled ${direction} replica set ${set.metadata.name} from ${before} to ${replicas}`,
    );
    return true;
  }

  #replace(old: ReplicaSet, next: ReplicaSet): void {
    if (this.newSet?.metadata.uid === old.metadata.uid) this.newSet = next;
    this.oldSets = this.oldSets.map((set) => (set.metadata.uid === old.metadata.uid ? next : set));
  }

  event(reason: string, message: string, type: 'Normal' | 'Warning' = 'Normal'): void {
    this.controller.events.event(this.deployment, type, reason, message);
  }
}

function sameTemplate(a: PodTemplate, b: PodTemplate): boolean {
  return semanticallyEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplate): PodTemplate {
  const { 'pod-template-hash': _, ...labels } = template.metadata?.labels ?? {};
  const { creationTimestamp: _created, ...metadata } = (template.metadata ?? {}) as Record<string, unknown>;
  return { ...template, metadata: { ...metadata, labels } };
}
