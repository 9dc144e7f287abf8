export { type ControllersOptions, startControllers } from './controllers/start-controllers.ts';
export { type NodesOptions, startNodes } from './nodes/start-nodes.ts';
export { type Sandbox, type SandboxOptions, startSandbox } from './sandbox.ts';
