import { request } from './client.ts';
import type { Bounded, Condition } from './families.ts';
import type { Diagnosis } from './model.ts';

/** Argo Events, as Tiphys' own API tells of them; the server's `http/events.ts` answers. */

export interface EventObject {
  namespace: string;
  name: string;
  created: string;
  bus: string;
  phase: string;
  message: string;
  conditions: Condition[];
  diagnoses: Diagnosis[];
}

export interface EventBusSummary extends EventObject {
  type: string;
}

export interface EventSourceSummary extends EventObject {
  events: { type: string; name: string }[];
}

export interface SensorSummary extends EventObject {
  dependencies: { name: string; source: string; event: string }[];
  triggers: {
    name: string;
    type: string;
    conditions: string;
    /** How often it acts for the same events, whatever process dies, and why. */
    guarantee: { delivery: string; because: string };
  }[];
}

export interface EventStep {
  /** Milliseconds since the epoch. */
  at: number;
  kind: string;
  sensor?: string;
  dependency?: string;
  trigger?: string;
  text: string;
}

/** What became of an event. */
export interface EventWay {
  id: string;
  namespace: string;
  eventSource: string;
  event: string;
  type: string;
  steps: EventStep[];
}

/** How often one thing happened to the events of a source on their way to one trigger. */
export interface FlowCount {
  namespace: string;
  eventSource: string;
  event: string;
  /** Absent for what happens at the source itself. */
  sensor?: string;
  dependency?: string;
  trigger?: string;
  kind: string;
  count: number;
  last: { at: number; id: string; text: string };
}

const root = 'api/tiphys/v1';

export const events = {
  buses: () => request<Bounded<EventBusSummary>>('GET', 'events/buses', { root }),
  sources: () => request<Bounded<EventSourceSummary>>('GET', 'events/sources', { root }),
  sensors: () => request<Bounded<SensorSummary>>('GET', 'events/sensors', { root }),
  ways: () => request<Bounded<EventWay>>('GET', 'events/ways?limit=100', { root }),
};
