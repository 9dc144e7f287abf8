import type { Layout, Place, Size } from './place.ts';

/** A part of a drawing, in its own pixels. */
export interface View {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A view grows to whole cells, so that a little scrolling draws nothing anew; what is one cell around it is drawn ahead. */
const cell = 400;

export function cellsOf({ left, top, width, height }: View): View {
  const from = { x: Math.floor(left / cell) - 1, y: Math.floor(top / cell) - 1 };
  const to = { x: Math.ceil((left + width) / cell) + 1, y: Math.ceil((top + height) / cell) + 1 };
  return { left: from.x * cell, top: from.y * cell, width: (to.x - from.x) * cell, height: (to.y - from.y) * cell };
}

/** Boxes of which something lies in a view, in the order of the layout. */
export function boxesIn({ places }: Layout, size: Size, { left, top, width, height }: View): string[] {
  const found: string[] = [];
  for (const [id, { x, y }] of places)
    if (x + size.width >= left && x <= left + width && y + size.height >= top && y <= top + height) found.push(id);
  return found;
}

/** The path of an arrow: to the right it leaves in the middle of the right side, down in the middle below. */
export function arrowPath(from: Place, to: Place, { size, down }: { size: Size; down: boolean }): string {
  if (down) {
    const [x, y] = [from.x + size.width / 2, from.y + size.height];
    const [endX, endY] = [to.x + size.width / 2, to.y];
    const middle = (y + endY) / 2;
    return `M${x} ${y}C${x} ${middle} ${endX} ${middle} ${endX} ${endY}`;
  }
  const [x, y] = [from.x + size.width, from.y + size.height / 2];
  const [endX, endY] = [to.x, to.y + size.height / 2];
  const middle = (x + endX) / 2;
  return `M${x} ${y}C${middle} ${y} ${middle} ${endY} ${endX} ${endY}`;
}
