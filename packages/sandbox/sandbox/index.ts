export type { Fault, Faults } from '@tiphys/apiserver';
export { type ControllersOptions, startControllers } from '@tiphys/kube-controllers';
export { type NodeOptions, type NodesOptions, startNodes } from '@tiphys/nodes';
export { ManualClock } from './manual-clock.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
