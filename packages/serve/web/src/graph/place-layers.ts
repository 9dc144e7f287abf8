import dagre from '@dagrejs/dagre';
import { type Drawing, gaps, type Layout, type Place, type Size } from './place.ts';

/** Beyond so many boxes the exact way to rank them takes seconds. */
const exactLimit = 400;

/** Boxes in layers along their arrows, with few crossings: for graphs in which a box may have several arrows to it. Arrows of a circle point back. */
export function placeLayers({ boxes, arrows }: Drawing, size: Size, direction: 'right' | 'down'): Layout {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({
    rankdir: direction === 'right' ? 'LR' : 'TB',
    nodesep: direction === 'right' ? gaps.across : gaps.across * 2,
    ranksep: direction === 'right' ? gaps.along : gaps.along * 0.75,
    ranker: boxes.length > exactLimit ? 'longest-path' : 'network-simplex',
  });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const id of boxes) graph.setNode(id, { ...size });
  const known = new Set(boxes);
  for (const { from, to } of arrows) if (from !== to && known.has(from) && known.has(to)) graph.setEdge(from, to);
  dagre.layout(graph);
  const places = new Map<string, Place>();
  for (const id of boxes) {
    const { x = 0, y = 0 } = graph.node(id);
    places.set(id, { x: x - size.width / 2, y: y - size.height / 2 });
  }
  const far = (of: (place: Place) => number) =>
    [...places.values()].reduce((most, place) => Math.max(most, of(place)), 0);
  return {
    places,
    width: far(({ x }) => x) + (boxes.length > 0 ? size.width : 0),
    height: far(({ y }) => y) + (boxes.length > 0 ? size.height : 0),
  };
}
