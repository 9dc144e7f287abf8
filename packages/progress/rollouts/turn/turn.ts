import type { AnalysisRun } from '@tiphys/analysis';
import {
  type AlbStatus,
  type AnalysisRunReference,
  type Experiment,
  type Rollout,
  type RolloutStatus,
  rolloutNames,
  type StepPluginStatus,
  type TrafficWeights,
} from '@tiphys/api';
import { copyJson, type Pass, timestamp } from '@tiphys/controller';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { write } from '../cluster/cluster.ts';
import { reasons } from '../decide/conditions.ts';
import { Pauses } from '../decide/pauses.ts';
import { isFastRollback } from '../decide/rollback.ts';
import type { WorkloadDriver } from '../driven/driver.ts';
import type { CurrentRuns, Pod, Service } from '../objects/kinds.ts';
import {
  annotationOf,
  desiredReplicasNoted,
  hasScaleDownDeadline,
  type ReplicaSet,
  type ReplicaSets,
  revisionOf,
  wanted,
} from '../objects/replica-set.ts';
import { abortScaleDownDelaySeconds, hasExplicitAbortDelay, replicasOf } from '../objects/rollout.ts';
import type { RolloutMemory, RolloutsContext } from './context.ts';

const { annotations, labels } = rolloutNames;

const replicaSetGone = defineDiagnosis('ReplicaSetGone', 'A ReplicaSet was deleted while its Rollout worked on it');

/** Milliseconds between two passes that nothing else calls for. */
const soonest = 50;

export type RolloutPass = Pass<Rollout, RolloutsContext, RolloutMemory>;

/** What a pass finds out on its way and writes into the status at its end. */
export interface Findings {
  weights: TrafficWeights | undefined;
  restartedAt: string | undefined;
  stepRun?: AnalysisRunReference | undefined;
  backgroundRun?: AnalysisRunReference | undefined;
  prePromotionRun?: AnalysisRunReference | undefined;
  postPromotionRun?: AnalysisRunReference | undefined;
  currentExperiment?: string;
  /** Absent if no step plugin was asked. */
  stepPlugins?: StepPluginStatus[];
  /** A step plugin could not be asked: its step does not end. */
  stepPluginFailed?: boolean;
  /** All traffic is to go to the wanted revision, and the router does not serve that yet: nothing may end meanwhile. */
  endWeightUnverified?: boolean;
  /** Traffic is to go to pods that their Service does not lead to yet: it stays where it is, and the step does not end. */
  endpointsAwaited?: AwaitedEndpoints;
  /** One of the Rollouts of the release that is behind; nothing ends before it has come as far. */
  memberAwaited?: string;
  /** What was found of AWS load balancers; absent if they were not asked. */
  albs?: readonly AlbStatus[];
  /** Whether the load balancer has registered the pods; undefined if it was not asked. */
  targetsVerified?: boolean;
}

export interface AwaitedEndpoints {
  readonly service: string;
  readonly hash: string;
  readonly ready: number;
  readonly needed: number;
}

export interface TurnObjects {
  readonly sets: ReplicaSets;
  readonly runs: CurrentRuns;
  readonly otherRuns: readonly AnalysisRun[];
  readonly experiment: Experiment | undefined;
  readonly otherExperiments: readonly Experiment[];
  readonly templateHash: string;
  /** Of a workload that keeps its pods. */
  readonly driver?: WorkloadDriver;
}

/** One pass over a Rollout whose spec is valid: its objects as they were read and as this pass has changed them since. */
export class Turn {
  readonly pass: RolloutPass;
  /** The Rollout as it was read, with the template that it borrows. Never changed. */
  readonly rollout: Rollout;
  readonly now: number;
  readonly pauses: Pauses;
  readonly templateHash: string;
  readonly otherRuns: readonly AnalysisRun[];
  /** All, as this pass found them: which are current changes in it. */
  readonly foundRuns: readonly AnalysisRun[];
  readonly otherExperiments: readonly Experiment[];
  /** The wanted revision still has pods that were about to go. */
  readonly isWithinDelay: boolean;
  runs: CurrentRuns;
  experiment: Experiment | undefined;
  readonly found: Findings;
  readonly driver: WorkloadDriver | undefined;
  #sets: ReplicaSets;

  constructor(pass: RolloutPass, rollout: Rollout, objects: TurnObjects) {
    this.pass = pass;
    this.rollout = rollout;
    this.now = pass.clock.now();
    this.pauses = new Pauses(rollout);
    this.templateHash = objects.templateHash;
    this.#sets = objects.sets;
    this.runs = objects.runs;
    this.otherRuns = objects.otherRuns;
    this.foundRuns = [...Object.values(objects.runs), ...objects.otherRuns];
    this.experiment = objects.experiment;
    this.driver = objects.driver;
    this.otherExperiments = objects.otherExperiments;
    const deadline = objects.sets.desired && annotationOf(objects.sets.desired, annotations.scaleDownDeadline);
    this.isWithinDelay = Date.parse(deadline ?? '') > this.now;
    this.found = { weights: copyJson(rollout.status?.canary?.weights), restartedAt: rollout.status?.restartedAt };
  }

  get sets(): ReplicaSets {
    return this.#sets;
  }

  /** The ReplicaSet of the revision that is wanted; it is there once a turn has begun. */
  get desired(): ReplicaSet {
    return this.#sets.desired as ReplicaSet;
  }

  get stable(): ReplicaSet | undefined {
    return this.#sets.stable;
  }

  get status(): RolloutStatus {
    return this.rollout.status ?? {};
  }

  get namespace(): string {
    return this.rollout.metadata.namespace ?? '';
  }

  get context(): RolloutsContext {
    return this.pass.context;
  }

  get isFastRollback(): boolean {
    return isFastRollback(this.rollout, this.#sets, this.isWithinDelay);
  }

  get revision(): number {
    return revisionOf(this.pass.next);
  }

  event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.context.tell(this.rollout, { type, reason, message });
  }

  /** Asks for another pass; not at once, as a pass that changes nothing would only repeat itself. */
  requeueIn(milliseconds: number): void {
    this.pass.requeueIn(Math.max(milliseconds, soonest));
  }

  service(name: string | undefined): Service | undefined {
    return name ? this.context.cluster.services.get(this.namespace, name) : undefined;
  }

  podsOf(set: ReplicaSet): readonly Pod[] {
    if (this.driver) return this.driver.podsOf(set);
    return this.context.pods(this.namespace, set.metadata.uid ?? '');
  }

  /** Writes a changed ReplicaSet and gives it as it is stored now. Revisions of a driven workload are nobody's to write. */
  async change(set: ReplicaSet, after: ReplicaSet): Promise<ReplicaSet> {
    if (this.driver) return set;
    const { client, replicaSets } = this.context.cluster;
    const stored = await write(client, replicaSets, { before: set, after });
    if (!stored)
      throw failure(replicaSetGone, {
        message: `ReplicaSet ${set.metadata.name} is gone; the Rollout is looked at anew`,
        place: { object: `Rollout ${this.namespace}/${this.rollout.metadata.name}` },
        remedies: ['Nothing has to be done: another one is made if it is needed'],
      });
    this.#replace(set, stored);
    return stored;
  }

  #replace(set: ReplicaSet, stored: ReplicaSet): void {
    const swap = <T extends ReplicaSet | undefined>(each: T) =>
      (each?.metadata.name === set.metadata.name ? stored : each) as T;
    const { all, desired, stable } = this.#sets;
    this.#sets = { all: all.map(swap), desired: swap(desired), stable: swap(stable) };
  }

  /** Gives a ReplicaSet a number of pods; tells whether that is another number than before. */
  async scale(set: ReplicaSet, count: number): Promise<boolean> {
    const replicas = replicasOf(this.rollout);
    const isStale = desiredReplicasNoted(set) !== replicas || (replicas === 0 && hasScaleDownDeadline(set));
    const before = wanted(set);
    if (before === count && !isStale) return false;
    const { [annotations.scaleDownDeadline]: deadline, ...rest } = set.metadata.annotations ?? {};
    const isForgotten = count === 0 && !this.delaysScaleDownOnAbort;
    const noted = {
      ...rest,
      ...(deadline !== undefined && !isForgotten ? { [annotations.scaleDownDeadline]: deadline } : {}),
      [annotations.desiredReplicas]: String(replicas),
    };
    const stored = await this.change(set, {
      ...set,
      metadata: { ...set.metadata, annotations: noted },
      spec: { ...set.spec, replicas: count },
    });
    if (before === count) return false;
    this.event(
      'Normal',
      reasons.scaling,
      `Scaled ${before < count ? 'up' : 'down'} ReplicaSet ${stored.metadata.name} (revision ${revisionOf(stored)}) from ${before} to ${count}`,
    );
    return true;
  }

  /** Notes when a ReplicaSet's pods are to go; with 0 seconds that note is taken off. */
  async delayScaleDown(set: ReplicaSet, seconds: number): Promise<void> {
    if (seconds === 0) return this.forgetScaleDown(set);
    const deadline = timestamp(this.now + seconds * 1000);
    await this.change(set, {
      ...set,
      metadata: {
        ...set.metadata,
        annotations: { ...set.metadata.annotations, [annotations.scaleDownDeadline]: deadline },
      },
    });
  }

  async forgetScaleDown(set: ReplicaSet): Promise<void> {
    if (!hasScaleDownDeadline(set)) return;
    const { [annotations.scaleDownDeadline]: _, ...rest } = set.metadata.annotations ?? {};
    await this.change(set, { ...set, metadata: { ...set.metadata, annotations: rest } });
  }

  /** After an abort new pods stay for a while, where something routes or switches. */
  get delaysScaleDownOnAbort(): boolean {
    return this.pauses.isAborted && keepsPodsOnAbort(this.rollout, this.stable !== undefined);
  }

  /** Has a Service select the pods of a revision. */
  async switchService(service: Service, hash: string): Promise<Service> {
    const { client, services } = this.context.cluster;
    const { selector = {} } = service.spec;
    const managedBy = service.metadata.annotations?.[annotations.managedByRollouts];
    const before = selector[labels.podTemplateHash];
    if (before === hash && managedBy !== undefined) return service;
    const after: Service = {
      ...service,
      metadata: {
        ...service.metadata,
        annotations: {
          ...service.metadata.annotations,
          [annotations.managedByRollouts]: managedBy ?? this.rollout.metadata.name ?? '',
        },
      },
      spec: { ...service.spec, selector: { ...selector, [labels.podTemplateHash]: hash } },
    };
    const stored = (await write(client, services, { before: service, after })) ?? after;
    this.event(
      'Normal',
      'SwitchService',
      `Switched selector for service '${service.metadata.name}' from '${before ?? ''}' to '${hash}'`,
    );
    return stored;
  }
}

/** Whether new pods stay for a while after an abort. */
function keepsPodsOnAbort(rollout: Rollout, hasStable: boolean): boolean {
  const { canary } = rollout.spec.strategy;
  if (!hasStable || (canary && !canary.trafficRouting)) return false;
  if (abortScaleDownDelaySeconds(rollout) === undefined) return false;
  return !canary?.dynamicStableScale || hasExplicitAbortDelay(rollout);
}

/** The pods that a Service selects, by their hash; empty if it selects those of every revision. */
export function selectedHash(service: Service | undefined): string {
  return service?.spec.selector?.[labels.podTemplateHash] ?? '';
}
