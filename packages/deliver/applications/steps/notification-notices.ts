import { type Application, names } from '@tiphys/api';
import { type Step, timestamp } from '@tiphys/controller';
import { deliveryNotices } from '@tiphys/diagnosis';
import { type Condition, setConditions } from '../reconciliation/conditions.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';

const type = 'NotificationWarning';

/** Tells on the Application what keeps its notifications from being delivered. */
export const notificationNotices: Step<Reconciliation> = ({ next, status, context }) => {
  const found = noticesOf(next);
  if (found.length === 0 && !status.diagnoses?.some((told) => (told as { condition?: string }).condition === type))
    return;
  setConditions(status, [type], found, timestamp(context.clock.now()));
};

const noticesOf = ({ metadata: { annotations, name, namespace } }: Application): Condition[] =>
  deliveryNotices({
    object: `argoproj.io/Application ${namespace}/${name}`,
    outbox: annotations?.[names.annotations.notificationOutbox],
    problems: annotations?.[names.annotations.notificationProblems],
  }).map((diagnosis) => ({ type, diagnosis, notice: true }));
