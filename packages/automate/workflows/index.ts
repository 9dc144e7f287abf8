export { type Decision, operate } from './machine/operate.ts';
export { type Action, type Facts, MissingFact } from './machine/facts.ts';
export { LockTable } from './machine/lock-table.ts';
