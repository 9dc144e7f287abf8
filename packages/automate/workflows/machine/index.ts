export { type Action, type ConfigMap, type Facts, MissingFact } from './facts.ts';
export { type Decision, operate } from './operate.ts';
