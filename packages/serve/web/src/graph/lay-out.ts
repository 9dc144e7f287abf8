import { type Drawing, type Layout, placeTree, type Size } from './place.ts';
import { placeLayers } from './place-layers.ts';

/** `tree`: every box has one owner at most. `right`, `down`: layers, for graphs with several arrows to a box. */
export type LayoutKind = 'tree' | 'right' | 'down';

export interface LayoutQuestion {
  readonly drawing: Drawing;
  readonly size: Size;
  readonly kind: LayoutKind;
}

/** Either of both. */
export interface LayoutAnswer {
  readonly layout?: Layout;
  readonly problem?: string;
}

export function layOut({ drawing, size, kind }: LayoutQuestion): Layout {
  return kind === 'tree' ? placeTree(drawing, size) : placeLayers(drawing, size, kind);
}
