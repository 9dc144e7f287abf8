export { type ControllersOptions, startControllers } from './controllers/start-controllers.ts';
export { ManualClock } from './manual-clock.ts';
export type { NodeOptions } from './nodes/simulated-node.ts';
export { type NodesOptions, startNodes } from './nodes/start-nodes.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
export type { Fault, Faults } from './server/faults.ts';
