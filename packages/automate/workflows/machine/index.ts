export { type Action, type ConfigMap, type Facts, MissingFact, type Wanted } from './facts.ts';
export { type Decision, operate } from './operate.ts';
