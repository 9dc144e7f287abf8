import { useEffect, useMemo, useRef, useState } from 'react';
import type { WorkflowNode } from '../api/families.ts';
import type { Placed } from './layout.ts';

/** The places of the nodes, found by a worker, so that a large workflow keeps nobody waiting; asked for again only when the shape changes. */
export function useLayout(nodes: readonly WorkflowNode[]): Placed | undefined {
  const [placed, setPlaced] = useState<Placed>();
  const worker = useRef<Worker>(undefined);
  const turn = useRef(0);
  const shape = useMemo(
    () => nodes.map(({ id, type, children, message }) => `${id}${type}${message === ''}${children.join()}`).join('\n'),
    [nodes],
  );
  useEffect(() => {
    worker.current = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
    worker.current.onmessage = ({ data }: MessageEvent<{ turn: number; placed: Placed }>) => {
      if (data.turn === turn.current) setPlaced(data.placed);
    };
    return () => worker.current?.terminate();
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: phases change at every look, the shape seldom
  useEffect(() => {
    turn.current += 1;
    worker.current?.postMessage({
      turn: turn.current,
      nodes: nodes.map(({ id, type, message, children }) => ({ id, type, message, children })),
    });
  }, [shape]);
  return placed;
}
