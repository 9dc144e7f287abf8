import { type LayoutNode, layOut } from './layout.ts';

interface WorkerScope {
  onmessage: ((event: MessageEvent<{ readonly turn: number; readonly nodes: readonly LayoutNode[] }>) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data: { turn, nodes } }) => scope.postMessage({ turn, placed: layOut(nodes) });
