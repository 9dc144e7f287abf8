import Elk from 'elkjs/lib/elk.bundled.js';
import { type Graph, rootId } from './layout.ts';

export const boxSize = { width: 232, height: 66 };

const elk = new Elk();

/** The position of each box, laid out from left to right; the application's own box is first. */
export async function placeBoxes(graph: Graph): Promise<Map<string, { x: number; y: number }>> {
  const result = await elk.layout({
    id: 'tree',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'RIGHT',
      'elk.layered.spacing.nodeNodeBetweenLayers': '56',
      'elk.spacing.nodeNode': '14',
      'elk.layered.nodePlacement.strategy': 'NETWORK_SIMPLEX',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    },
    children: [{ id: rootId, ...boxSize }, ...graph.nodes.map(({ id }) => ({ id, ...boxSize }))],
    edges: graph.edges.map(({ id, from, to }) => ({ id, sources: [from], targets: [to] })),
  });
  return new Map((result.children ?? []).map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
}
