import type { Application, ApplicationSet, ApplicationSetApplicationStatus } from '@tiphys/api';
import type { NewCondition } from '../status/conditions.ts';
import { isBefore, observe } from './progress.ts';
import { maxUpdateOf, stepOfEach, stepsOf } from './steps.ts';

export interface RolloutRequest {
  readonly set: ApplicationSet;
  /** All Applications of the set as they are. */
  readonly current: readonly Application[];
  /** All that the generators want. */
  readonly desired: readonly Application[];
  /** Whether the generated spec of a live Application differs from its own. */
  specChanged(live: Application, desired: Application): boolean;
  /** Kubernetes' form of a time. */
  readonly now: string;
}

export interface RolloutDecision {
  readonly statuses: ApplicationSetApplicationStatus[];
  /** Applications that are to be synced now, by name. */
  readonly syncs: ReadonlySet<string>;
  /** Applications of earlier steps that were not looked at since a later one was found to have news: they are asked to look. */
  readonly refreshes: ReadonlySet<string>;
  /** Whether an Application waits for no more than the next second of the clock. */
  readonly soon: boolean;
  readonly condition: NewCondition;
}

/**
 * How far a rollout is and what comes next. An Application of a step may be synced when every one of the earlier steps is Healthy,
 * and was compared after the later one was found to have news: else the earlier step would be judged by what it was before the change
 * reached it. A pure function.
 */
export function decideRollout({ set, current, desired, specChanged, now }: RolloutRequest): RolloutDecision {
  const steps = stepsOf(set);
  const wanted = new Map(desired.map((application) => [application.metadata.name ?? '', application]));
  const live = new Map(current.map((application) => [application.metadata.name ?? '', application]));
  const stepOf = stepOfEach(set, desired);
  const observed = current.map((application) => {
    const name = application.metadata.name ?? '';
    const target = wanted.get(name);
    const step = stepOf.get(name);
    return observe(
      set,
      {
        application,
        specChanged: target !== undefined && specChanged(application, target),
        step: step === undefined ? -1 : step + 1,
      },
      now,
    );
  });
  const statuses = steps.length === 0 ? [] : observed.sort((a, b) => (a.application < b.application ? -1 : 1));
  const byName = new Map(statuses.map((status) => [status.application, status]));
  const members = steps.map((_, index) => [...stepOf].filter(([, step]) => step === index).map(([name]) => name));
  const refreshes = new Set<string>();
  let soon = false;
  for (const [index, step] of steps.entries()) {
    const names = members[index] ?? [];
    const own = names.flatMap((name) => byName.get(name) ?? []);
    let underway = own.filter(({ status }) => status === 'Pending' || status === 'Progressing').length;
    const most = maxUpdateOf(step, own.length);
    for (const status of own) {
      if (status.status !== 'Waiting' || underway >= most) continue;
      const late = members
        .slice(0, index)
        .flat()
        .filter((name) => !isBefore(status.lastTransitionTime, live.get(name)?.status?.reconciledAt));
      if (late.length > 0) {
        for (const name of late) refreshes.add(name);
        continue;
      }
      // times have seconds only: the sync to come must not be taken for one that began in the same second
      const begun = live.get(status.application)?.status?.operationState?.startedAt;
      if (begun && !isBefore(begun, now)) {
        soon = true;
        continue;
      }
      underway += 1;
      Object.assign(status, {
        status: 'Pending',
        message: 'Application moved to Pending status, watching for the Application resource to start Progressing',
        lastTransitionTime: now,
      });
    }
    if (!names.every((name) => byName.get(name)?.status === 'Healthy')) break;
  }
  const syncs = new Set(statuses.filter(({ status }) => status === 'Pending').map(({ application }) => application));
  return { statuses, syncs, refreshes, soon, condition: conditionOf(statuses, steps.length) };
}

function conditionOf(statuses: readonly ApplicationSetApplicationStatus[], steps: number): NewCondition {
  for (let step = 1; step <= steps; step++)
    if (statuses.some((status) => status.step === String(step) && status.status !== 'Healthy'))
      return {
        type: 'RolloutProgressing',
        status: 'True',
        reason: 'ApplicationSetModified',
        message: `ApplicationSet is performing rollout of step ${step}`,
      };
  return {
    type: 'RolloutProgressing',
    status: 'False',
    reason: 'ApplicationSetRolloutComplete',
    message: 'ApplicationSet Rollout has completed',
  };
}

/** A copy of a generated Application that leaves syncs to the rollout, with the sync that is due. */
export function underRollout(application: Application, sync: boolean, live: Application | undefined): Application {
  const { syncPolicy } = application.spec;
  const automated = syncPolicy?.automated;
  const spec = automated
    ? { ...application.spec, syncPolicy: { ...syncPolicy, automated: { ...automated, enabled: false } } }
    : application.spec;
  if (!sync || live?.operation) return { ...application, spec };
  const prune = automated !== undefined && automated.enabled !== false && automated.prune === true;
  return {
    ...application,
    spec,
    operation: {
      initiatedBy: { username: 'applicationset-controller', automated: true },
      info: [{ name: 'Reason', value: 'ApplicationSet RollingSync triggered a sync of this Application resource' }],
      sync: {
        ...(prune ? { prune } : {}),
        ...(syncPolicy?.syncOptions ? { syncOptions: syncPolicy.syncOptions } : {}),
      },
      retry: syncPolicy?.retry ?? { limit: 5 },
    },
  } as Application;
}
