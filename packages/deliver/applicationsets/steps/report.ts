import { type ApplicationSet, names } from '@tiphys/api';
import { deepEqual, timestamp } from '@tiphys/controller';
import { type Diagnosis, deliveryNotices } from '@tiphys/diagnosis';
import { isRollingSync } from '../rollout/steps.ts';
import { stepsNotice } from '../rollout/strategy-notices.ts';
import { conditionsOf, noticeOf, setConditions } from '../status/conditions.ts';
import { resourcesOf } from '../status/resources.ts';
import { refreshAnnotation, retryDelay, type SetPass } from './reconciliation.ts';

/** What keeps notifications of the set from being delivered. */
const notificationNotices = ({ metadata: { annotations, namespace, name } }: ApplicationSet): Diagnosis[] =>
  deliveryNotices({
    object: `argoproj.io/ApplicationSet ${namespace}/${name}`,
    outbox: annotations?.[names.annotations.notificationOutbox],
    problems: annotations?.[names.annotations.notificationProblems],
  });

/** Diagnoses that a status holds at most. */
const mostDiagnoses = 20;

/** Says how the pass went: the Applications as they are, the conditions, and what is to be told beside them. */
export function report(pass: SetPass): void {
  const { next, key, context, memory, status, clock } = pass;
  const { work } = memory;
  const settings = context.settings();
  const current = context.applications.of(key);
  const resources = resourcesOf(current, settings.maxResources);
  if (!deepEqual(status.resources ?? [], resources)) status.resources = resources;
  if ((status.resourcesCount ?? 0) !== current.length) status.resourcesCount = current.length;
  const rolling = settings.progressiveSyncs && isRollingSync(next);
  const conditions = [
    ...conditionsOf(work.outcome, true),
    ...(rolling && work.rollout ? [work.rollout] : []),
    ...(work.outcome.kind === 'up-to-date' ? noticeOf(work.diagnoses) : []),
  ];
  setConditions(status, conditions, {
    at: timestamp(clock.now()),
    removed: rolling ? [] : ['RolloutProgressing'],
  });
  const untold = settings.progressiveSyncs ? stepsNotice(next) : [];
  const diagnoses = [...work.diagnoses, ...settings.notices, ...untold, ...notificationNotices(next)].slice(
    0,
    mostDiagnoses,
  );
  if (diagnoses.length > 0) status.diagnoses = diagnoses;
  else delete status.diagnoses;
  const { [refreshAnnotation]: asked, ...rest } = next.metadata.annotations ?? {};
  if (asked !== undefined) next.metadata.annotations = rest;
  if (work.outcome.kind === 'error') {
    pass.requeueIn(retryDelay(memory.failures));
    memory.failures += 1;
  } else memory.failures = 0;
}
