import { type Application, names } from '@tiphys/api';
import { type Step, timestamp } from '@tiphys/controller';
import type { Diagnosis } from '@tiphys/diagnosis';
import { type Condition, setConditions } from '../reconciliation/conditions.ts';
import type { Reconciliation } from '../reconciliation/reconciliation.ts';

interface Problem {
  readonly code: string;
  readonly cause: string;
  readonly message: string;
  readonly remedy: string;
}

const type = 'NotificationWarning';
const longest = 400;
const most = 5;

/**
 * Tells on the Application what keeps its notifications from being delivered, as the controller of notifications notes it in
 * annotations: who waits for a message looks here first.
 */
export const notificationNotices: Step<Reconciliation> = ({ next, status, context }) => {
  const found = noticesOf(next);
  if (found.length === 0 && !status.diagnoses?.some((told) => (told as { condition?: string }).condition === type))
    return;
  setConditions(status, [type], found, timestamp(context.clock.now()));
};

function noticesOf({ metadata: { annotations, name, namespace } }: Application): Condition[] {
  const waiting = listIn(annotations?.[names.annotations.notificationOutbox]).flatMap((entry) => {
    const problem = problemOf((entry as { problem?: unknown }).problem);
    const { trigger, service, recipient } = entry as Readonly<Record<string, unknown>>;
    const to = [service, recipient].filter((part) => typeof part === 'string' && part !== '').join(':');
    return problem
      ? [{ ...problem, message: `Notification ${String(trigger)} to ${to} waits: ${problem.message}` }]
      : [];
  });
  const unserved = listIn(annotations?.[names.annotations.notificationProblems]).flatMap(
    (entry) => problemOf(entry) ?? [],
  );
  const told = new Set<string>();
  return [...waiting, ...unserved]
    .filter(({ code, message }) => told.size < told.add(`${code} ${message}`).size)
    .slice(0, most)
    .map(({ code, cause, message, remedy }) => ({
      type,
      diagnosis: {
        code,
        cause,
        message: message.slice(0, longest),
        place: { object: `argoproj.io/Application ${namespace}/${name}` },
        evidence: [],
        remedies: remedy ? [{ text: remedy.slice(0, longest) }] : [],
      } satisfies Diagnosis,
      notice: true,
    }));
}

/** The entries of a list in JSON; none for a text that is none: anybody may write annotations. */
function listIn(annotation: string | undefined): object[] {
  if (!annotation) return [];
  try {
    const found: unknown = JSON.parse(annotation);
    return Array.isArray(found) ? found.filter((entry) => entry !== null && typeof entry === 'object') : [];
  } catch {
    return [];
  }
}

function problemOf(value: unknown): Problem | undefined {
  const { code, cause, message, remedy } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof code !== 'string' || !/^Notification[A-Za-z]{1,60}$/.test(code) || typeof message !== 'string')
    return undefined;
  return {
    code,
    cause: typeof cause === 'string' && /^[A-Z][0-9]{1,2}$/.test(cause) ? cause : code,
    message,
    remedy: typeof remedy === 'string' ? remedy : '',
  };
}
