export { runEventsWebhook, type WebhookOptions } from './admission/run-webhook.ts';
export type { EventName, EventsAccess } from './hand/events-access.ts';
export { type PodOptions, runEventsPod } from './run-pod.ts';
export { type EventsOptions, type EventsRuntime, startEvents } from './start-events.ts';
export type { FlowCount } from './trace/flow.ts';
export type { JournalEntry } from './trace/journal.ts';
export { type Guarantee, guaranteeOf } from './trigger/guarantee.ts';
export { triggerKindOf } from './trigger/triggers.ts';
