import { ActionIcon, Alert, Skeleton, Tooltip } from '@mantine/core';
import {
  memo,
  type PointerEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { LayoutKind } from '../../graph/lay-out.ts';
import type { Drawing, Layout, Place, Size } from '../../graph/place.ts';
import { arrowPath, boxesIn, cellsOf, type View } from '../../graph/view.ts';
import { t } from '../../i18n/texts.ts';
import { Icon } from '../common/icon.tsx';
import { useLayout } from './use-layout.ts';

export interface GraphCanvasProps {
  /** What it is, for those who do not see it. */
  label: string;
  /** The same object for as long as it is the same: another one is laid out anew. */
  drawing: Drawing;
  /** Of each box, in pixels. */
  size: Size;
  layout: LayoutKind;
  /** The inside of a box, which fills it; it should be a button or a link where it can be pressed. */
  draw: (id: string) => ReactNode;
  /** Is brought into view when it changes. */
  selected?: string | undefined;
  /** Class of the arrow's path, for its colour or dashes. */
  arrowClass?: ((arrow: { from: string; to: string }) => string | undefined) | undefined;
  maxHeight?: number;
}

const margin = 24;
const zooms = { least: 0.25, most: 1.5, step: 1.2 };
/** A graph that is drawn smaller than this to fit cannot be read. */
const readable = 0.7;

/**
 * A graph that scrolls in both directions, by wheel, touch, keys, or dragging, and zooms with Ctrl and the wheel. Only boxes near what is
 * seen are in the document, so that thousands cost as little as dozens.
 */
export function GraphCanvas({
  label,
  drawing,
  size,
  layout: kind,
  draw,
  selected,
  arrowClass,
  maxHeight = 820,
}: GraphCanvasProps) {
  const { layout, problem } = useLayout(useMemo(() => ({ drawing, size, kind }), [drawing, size, kind]));
  if (problem) return <Alert color="red">{problem}</Alert>;
  if (!layout) return <Skeleton height={360} radius="md" aria-label={t('The graph is laid out')} />;
  return (
    <Canvas
      label={label}
      drawing={drawing}
      size={size}
      layout={layout}
      down={kind === 'down'}
      draw={draw}
      selected={selected}
      arrowClass={arrowClass}
      maxHeight={maxHeight}
    />
  );
}

function Canvas({
  label,
  drawing,
  size,
  layout,
  down,
  draw,
  selected,
  arrowClass,
  maxHeight = 820,
}: Omit<GraphCanvasProps, 'layout'> & { layout: Layout; down: boolean }) {
  const scroller = useRef<HTMLDivElement>(null);
  const [zoom, setZoom] = useState(1);
  const [view, setView] = useState<View>({ left: 0, top: 0, width: 1600, height: maxHeight });
  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    const next = cellsOf({
      left: (scrollLeft - margin) / zoom,
      top: (scrollTop - margin) / zoom,
      width: clientWidth / zoom,
      height: clientHeight / zoom,
    });
    setView((before) =>
      before.left === next.left &&
      before.top === next.top &&
      before.width === next.width &&
      before.height === next.height
        ? before
        : next,
    );
  }, [zoom]);
  useLayoutEffect(look, [look]);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, [look]);
  const first = useRef(true);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element || !first.current) return;
    first.current = false;
    const fitting = fitOf(element, layout);
    if (fitting >= readable) setZoom(fitting);
    else showPlace(element, layout.places.get(drawing.boxes[0] ?? ''), { size, zoom: 1, start: true });
  }, [layout, drawing, size]);
  useEffect(() => {
    if (scroller.current && selected !== undefined)
      showPlace(scroller.current, layout.places.get(selected), { size, zoom, start: false });
  }, [selected, layout, size, zoom]);
  useWheelZoom(scroller, setZoom);
  const drag = useDrag(scroller);
  const shown = useMemo(() => boxesIn(layout, size, view), [layout, size, view]);
  const arrows = useMemo(() => {
    const visible = new Set(shown);
    return drawing.arrows.filter(({ from, to }) => visible.has(from) || visible.has(to));
  }, [drawing, shown]);
  const width = layout.width * zoom + 2 * margin;
  const height = layout.height * zoom + 2 * margin;
  return (
    <div className="panel graph">
      <section
        ref={scroller}
        className="graph-scroller"
        style={{ height: Math.min(maxHeight, Math.max(220, height)) }}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
        tabIndex={0}
        onScroll={look}
        {...drag}
      >
        <div style={{ position: 'relative', width, height, overflow: 'hidden' }}>
          <div className="graph-content" style={{ transform: `translate(${margin}px, ${margin}px) scale(${zoom})` }}>
            <svg width={layout.width} height={layout.height} aria-hidden="true" className="graph-arrows">
              {arrows.map((arrow) => {
                const from = layout.places.get(arrow.from);
                const to = layout.places.get(arrow.to);
                return from && to ? (
                  <path
                    key={`${arrow.from}>${arrow.to}`}
                    d={arrowPath(from, to, { size, down })}
                    className={arrowClass?.(arrow)}
                  />
                ) : null;
              })}
            </svg>
            {shown.map((id) => (
              <Box key={id} id={id} place={layout.places.get(id) as Place} size={size} draw={draw} />
            ))}
          </div>
        </div>
      </section>
      <div className="graph-tools">
        <Tool
          icon="plus"
          label={t('Zoom in')}
          run={() => setZoom((before) => Math.min(zooms.most, before * zooms.step))}
        />
        <Tool
          icon="minus"
          label={t('Zoom out')}
          run={() => setZoom((before) => Math.max(zooms.least, before / zooms.step))}
        />
        <Tool
          icon="fit"
          label={t('Fit into view')}
          run={() => scroller.current && setZoom(Math.max(zooms.least, fitOf(scroller.current, layout)))}
        />
      </div>
    </div>
  );
}

/** While a graph is moved, boxes that stay in it are not drawn anew. */
const Box = memo(function Box({
  id,
  place: { x, y },
  size,
  draw,
}: {
  id: string;
  place: Place;
  size: Size;
  draw: (id: string) => ReactNode;
}) {
  return (
    <div className="graph-box" data-box={id} style={{ left: x, top: y, ...size }}>
      {draw(id)}
    </div>
  );
});

function Tool({ icon, label, run }: { icon: 'plus' | 'minus' | 'fit'; label: string; run: () => void }) {
  return (
    <Tooltip label={label} position="left">
      <ActionIcon variant="default" size="md" aria-label={label} onClick={run}>
        <Icon name={icon} size={14} />
      </ActionIcon>
    </Tooltip>
  );
}

function fitOf(element: HTMLElement, { width, height }: Layout): number {
  return Math.min(
    1,
    (element.clientWidth - 2 * margin) / Math.max(1, width),
    (element.clientHeight - 2 * margin) / Math.max(1, height),
  );
}

/** Scrolls to a box: to the middle of it where `start` says so or it is not wholly seen. */
function showPlace(
  element: HTMLElement,
  place: Place | undefined,
  { size, zoom, start }: { size: Size; zoom: number; start: boolean },
): void {
  if (!place) return;
  const [x, y] = [place.x * zoom + margin, place.y * zoom + margin];
  const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
  const seen =
    x >= scrollLeft &&
    y >= scrollTop &&
    x + size.width * zoom <= scrollLeft + clientWidth &&
    y + size.height * zoom <= scrollTop + clientHeight;
  if (seen && !start) return;
  element.scrollTo({
    left: start ? 0 : x + (size.width * zoom) / 2 - clientWidth / 2,
    top: y + (size.height * zoom) / 2 - clientHeight / 2,
  });
}

function useWheelZoom(
  scroller: { current: HTMLElement | null },
  setZoom: (next: (before: number) => number) => void,
): void {
  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const zoomBy = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      setZoom((before) => Math.min(zooms.most, Math.max(zooms.least, before * Math.exp(-event.deltaY / 400))));
    };
    // React's own handlers cannot keep the browser from zooming the page
    element.addEventListener('wheel', zoomBy, { passive: false });
    return () => element.removeEventListener('wheel', zoomBy);
  }, [scroller, setZoom]);
}

/** Dragging with a mouse scrolls; fingers do by themselves. */
function useDrag(scroller: { current: HTMLElement | null }) {
  const from = useRef<{ x: number; y: number; left: number; top: number }>(undefined);
  return {
    onPointerDown: (event: PointerEvent) => {
      const element = scroller.current;
      if (!element || event.pointerType !== 'mouse' || event.button !== 0) return;
      if ((event.target as HTMLElement).closest('button, a')) return;
      from.current = { x: event.clientX, y: event.clientY, left: element.scrollLeft, top: element.scrollTop };
      element.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      if (!from.current || !scroller.current) return;
      scroller.current.scrollLeft = from.current.left - (event.clientX - from.current.x);
      scroller.current.scrollTop = from.current.top - (event.clientY - from.current.y);
    },
    onPointerUp: () => {
      from.current = undefined;
    },
    onPointerCancel: () => {
      from.current = undefined;
    },
  };
}
