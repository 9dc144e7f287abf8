export type {
  ContainerProcess,
  ContainerRuntime,
  ExecSession,
  ProcessExit,
  TerminalSize,
} from './kubelet/container-runtime.ts';
export type { LogLine } from './kubelet/log-lines.ts';
export type { NodeOptions } from './simulated-node.ts';
export { type NodesOptions, startNodes } from './start-nodes.ts';
