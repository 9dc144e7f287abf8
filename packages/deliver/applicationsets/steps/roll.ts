import type { Application, ApplicationSet } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { type Diagnosis, diagnose } from '@tiphys/diagnosis';
import { rolloutStepMissing } from '../diagnoses/diagnoses.ts';
import { ignoreRulesOf, sameSpec } from '../plan/plan.ts';
import { decideRollout, underRollout } from '../rollout/rollout.ts';
import { isRollingSync, stepOfEach, stepsOf } from '../rollout/steps.ts';
import { strategyNotices } from '../rollout/strategy-notices.ts';
import type { SetPass } from './reconciliation.ts';

/**
 * Moves a progressive sync on. What it decides is stored before anything is synced: a process that dies in between goes on where it
 * was.
 */
export async function roll(pass: SetPass): Promise<void> {
  const { next, key, context, memory, status, clock } = pass;
  const { work } = memory;
  work.diagnoses.push(...strategyNotices(next, context.settings()));
  if (!context.settings().progressiveSyncs || !isRollingSync(next)) {
    delete status.applicationStatus;
    return;
  }
  const current = context.applications.of(key).filter((application) => !context.applications.isGoing(application));
  const live = new Map(current.map((application) => [application.metadata.name ?? '', application]));
  const rules = ignoreRulesOf(next);
  const desired = memory.generation?.applications.map(({ application }) => application) ?? [];
  // without steps the Applications sync by themselves
  if (stepsOf(next).length > 0) work.diagnoses.push(...withoutStep(next, desired));
  const decision = decideRollout({
    set: next,
    current,
    desired,
    specChanged: (found, desired) => !sameSpec(found, underRollout(desired, false, found), rules),
    now: timestamp(clock.now()),
  });
  if (decision.statuses.length > 0) status.applicationStatus = decision.statuses;
  else delete status.applicationStatus;
  work.rollout = decision.condition;
  if (stepsOf(next).length === 0) return;
  await pass.checkpoint();
  work.valid = work.valid.map((application) => {
    const name = application.metadata.name ?? '';
    return underRollout(application, decision.syncs.has(name) && !hasBegun(pass, name), live.get(name));
  });
  if (decision.soon) pass.requeueIn(1_000);
  for (const name of decision.refreshes) await askToLook(pass, name);
}

/** Applications that no step selects: the rollout leaves them alone, and their own automated sync is off. */
function withoutStep(set: ApplicationSet, applications: readonly Application[]): Diagnosis[] {
  const selected = stepOfEach(set, applications);
  const left = applications.filter(({ metadata }) => !selected.has(metadata.name ?? ''));
  if (left.length === 0) return [];
  const names = left.map(({ metadata }) => metadata.name ?? '').sort();
  const labels = Object.entries(left[0]?.metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    diagnose(rolloutStepMissing, {
      message: `No step of the RollingSync selects ${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}: nothing syncs ${names.length === 1 ? 'it' : 'them'}`,
      place: { field: 'spec.strategy.rollingSync.steps' },
      evidence: {
        [`labels of ${left[0]?.metadata.name}`]: labels.slice(0, 10).join(', ') || 'none',
        'steps select':
          stepsOf(set)
            .map(({ matchExpressions = [] }) => matchExpressions.map(shownExpression).join(' and ') || 'all')
            .slice(0, 10)
            .join('; ') || 'nothing',
      },
      remedies: ['Add the labels to spec.template.metadata.labels, or a step whose matchExpressions fit them'],
    }),
  ];
}

type Expression = NonNullable<ReturnType<typeof stepsOf>[number]['matchExpressions']>[number];

function shownExpression({ key = '', operator = '', values = [] }: Expression): string {
  return `${key} ${operator} [${values.join(', ')}]`;
}

/** A sync that began since the Application is Pending is not asked for again. */
function hasBegun({ key, context, status }: SetPass, name: string): boolean {
  const namespace = key.slice(0, key.indexOf('/'));
  const { startedAt } = context.applications.get(`${namespace}/${name}`)?.status?.operationState ?? {};
  const since = status.applicationStatus?.find(({ application }) => application === name)?.lastTransitionTime;
  return startedAt !== undefined && since !== undefined && Date.parse(startedAt) >= Date.parse(since);
}

const refresh = 'argocd.argoproj.io/refresh';
/** How long an Application may take to look before it is asked again, in milliseconds. */
const requeuePeriod = 10_000;

async function askToLook({ key, context, requeueIn }: SetPass, name: string): Promise<void> {
  const namespace = key.slice(0, key.indexOf('/'));
  const application = context.applications.get(`${namespace}/${name}`);
  requeueIn(requeuePeriod);
  if (!application || application.metadata.annotations?.[refresh] !== undefined) return;
  const { apiVersion, kind } = application;
  const patch = { metadata: { annotations: { [refresh]: 'normal' } } };
  context.applications.note(await context.client.patch({ apiVersion, kind, namespace, name }, 'merge', patch));
}
