export { type EventsOptions, type EventsRuntime, startEvents } from './start-events.ts';
