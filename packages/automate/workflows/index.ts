export { type Decision, operate } from './machine/operate.ts';
export { type Action, type Facts, MissingFact } from './machine/facts.ts';
export { LockTable } from './machine/lock-table.ts';
export { startWorkflows, type WorkflowsOptions } from './controller/start-workflows.ts';
export { startSimulatedExecutor } from './simulated-executor/simulated-executor.ts';
