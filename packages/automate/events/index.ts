export { type PodOptions, runEventsPod } from './run-pod.ts';
export { type EventsOptions, type EventsRuntime, startEvents } from './start-events.ts';
