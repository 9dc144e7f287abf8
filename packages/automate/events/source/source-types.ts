import { calendarProblem } from './calendar.ts';
import { resourceProblem } from './resource.ts';
import type { Listen } from './source.ts';
import { webhookProblem } from './webhook-route.ts';

/** A type of event source. */
export interface SourceType {
  /** The `type` of its events. */
  readonly eventType: string;
  /** Only one replica may listen; the others wait for it to go. */
  readonly isExclusive: boolean;
  /** `filter.expression` drops events before the bus. */
  readonly hasExpression: boolean;
  /** What is wrong with the spec of an event; undefined if nothing. */
  readonly problem: (spec: never) => string | undefined;
  /** Loads what it needs, only now. */
  readonly load: () => Promise<Listen<never>>;
}

const passive = { isExclusive: true, hasExpression: true };
const active = { isExclusive: false, hasExpression: true };

/** Every type, by its key in the spec. */
export const sourceTypes: ReadonlyMap<string, SourceType> = new Map<string, SourceType>([
  [
    'webhook',
    {
      eventType: 'webhook',
      ...active,
      problem: webhookProblem,
      load: async () => (await import('./webhook.ts')).listen,
    },
  ],
  [
    'calendar',
    {
      eventType: 'calendar',
      ...passive,
      problem: calendarProblem,
      load: async () => (await import('./calendar.ts')).listen,
    },
  ],
  [
    'resource',
    {
      eventType: 'resource',
      isExclusive: true,
      hasExpression: false,
      problem: resourceProblem,
      load: async () => (await import('./resource.ts')).listen,
    },
  ],
]);
