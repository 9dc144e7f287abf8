import type { Diagnosis } from './diagnosis.ts';

/** What the annotations of an object say of its notifications. */
export interface DeliveryNotes {
  /** Kind, namespace and name of the object. */
  readonly object: string;
  /** What waits to be delivered: a list in JSON of `{trigger, service, recipient, problem}`. */
  readonly outbox?: string | undefined;
  /** Subscriptions that nobody can serve: a list in JSON of problems. */
  readonly problems?: string | undefined;
}

interface Problem {
  readonly code: string;
  readonly cause: string;
  readonly message: string;
  readonly remedy: string;
}

const longest = 400;
const most = 5;

/**
 * What keeps notifications of an object from being delivered, as the controller of notifications notes it in annotations: who waits
 * for a message looks at the object first. Anybody may write annotations, so that what is odd in them is left out.
 */
export function deliveryNotices({ object, outbox, problems }: DeliveryNotes): Diagnosis[] {
  const waiting = listIn(outbox).flatMap((entry) => {
    const problem = problemOf((entry as { problem?: unknown }).problem);
    const { trigger, service, recipient } = entry as Readonly<Record<string, unknown>>;
    const to = [service, recipient].filter((part) => typeof part === 'string' && part !== '').join(':');
    return problem
      ? [{ ...problem, message: `Notification ${String(trigger)} to ${to} waits: ${problem.message}` }]
      : [];
  });
  const unserved = listIn(problems).flatMap((entry) => problemOf(entry) ?? []);
  const told = new Set<string>();
  return [...waiting, ...unserved]
    .filter(({ code, message }) => told.size < told.add(`${code} ${message}`).size)
    .slice(0, most)
    .map(({ code, cause, message, remedy }) => ({
      code,
      cause,
      message: message.slice(0, longest),
      place: { object },
      evidence: [],
      remedies: remedy ? [{ text: remedy.slice(0, longest) }] : [],
    }));
}

/** The entries of a list in JSON; none for a text that is none. */
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
