import { ActionIcon, Group, VisuallyHidden } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react';
import type { WorkflowNode } from '../../api/families.ts';
import { lookOf } from '../../applications/status.ts';
import { t } from '../../i18n/texts.ts';
import { box, boxesIn, edgesIn, type Placed, type Window } from '../../workflow-graph/layout.ts';
import { useLayout } from '../../workflow-graph/use-layout.ts';
import { Loading } from '../common/loading.tsx';

interface GraphProps {
  nodes: readonly WorkflowNode[];
  onOpen: (node: WorkflowNode) => void;
  /** Nodes whose names have it stand out. */
  text: string;
}

/** Pixels beyond the window that are drawn already. */
const margin = 300;
const zooms = [0.25, 0.4, 0.6, 0.8, 1, 1.25];
/** Smaller than this its words are not read without being enlarged. */
const readable = 0.6;

/** The largest usual zoom with which all of the width is seen; 1 where that could not be read. */
const fitting = (width: number, room: number) =>
  room === 0 ? 1 : (zooms.findLast((zoom) => zoom <= 1 && zoom >= readable && width * zoom + 34 <= room) ?? 1);

/** The nodes and what leads to what. It is scrolled as any page; only what is seen is drawn. */
export function WorkflowGraph({ nodes, onOpen, text }: GraphProps) {
  const placed = useLayout(nodes);
  const [chosen, setZoom] = useState<number>();
  const { ref, width } = useElementSize();
  const zoom = chosen ?? fitting(placed?.width ?? 0, width);
  const change = (by: number) => {
    const at = zooms.indexOf(zoom) + by;
    setZoom(zooms[Math.max(0, Math.min(zooms.length - 1, at))] ?? 1);
  };
  return (
    <div ref={ref} style={{ position: 'relative' }}>
      {placed ? <Canvas placed={placed} nodes={nodes} onOpen={onOpen} text={text} zoom={zoom} /> : <Loading />}
      <Group gap={4} style={{ position: 'absolute', right: 18, top: 10 }}>
        <ActionIcon variant="default" aria-label={t('Smaller')} onClick={() => change(-1)}>
          −
        </ActionIcon>
        <ActionIcon variant="default" aria-label={t('Larger')} onClick={() => change(1)}>
          +
        </ActionIcon>
      </Group>
    </div>
  );
}

function Canvas({ placed, nodes, onOpen, text, zoom }: GraphProps & { placed: Placed; zoom: number }) {
  const host = useRef<HTMLElement>(null);
  const [view, setView] = useState<Window>({ left: 0, top: 0, right: 1600, bottom: 1000 });
  const byId = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes]);
  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() =>
        setView({
          left: element.scrollLeft / zoom - margin,
          top: element.scrollTop / zoom - margin,
          right: (element.scrollLeft + element.clientWidth) / zoom + margin,
          bottom: (element.scrollTop + element.clientHeight) / zoom + margin,
        }),
      );
    };
    look();
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [zoom]);
  const shown = useMemo(() => boxesIn(placed, view), [placed, view]);
  const path = useMemo(() => edgesIn(placed, view), [placed, view]);
  const wanted = text.toLowerCase();
  return (
    <section
      ref={host}
      className="panel flow-graph"
      aria-label={t('Graph of the nodes')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
    >
      <div style={{ width: placed.width * zoom + 32, height: placed.height * zoom + 32, position: 'relative' }}>
        <div style={{ transform: `translate(16px, 16px) scale(${zoom})`, transformOrigin: '0 0' }}>
          <svg width={placed.width} height={placed.height} aria-hidden="true" className="flow-edges">
            <path d={path} />
          </svg>
          {shown.map((at) => {
            const id = placed.ids[at] ?? '';
            const node = byId.get(id);
            if (!node) return null;
            const look = lookOf(node.phase);
            const style: CSSProperties = {
              left: placed.x[at],
              top: placed.y[at],
              width: box.width,
              height: box.height,
            };
            return (
              <button
                key={id}
                type="button"
                className="flow-box"
                data-faint={(wanted !== '' && !node.name.toLowerCase().includes(wanted)) || undefined}
                style={{ ...style, borderLeftColor: `var(--mantine-color-${look.colour}-6)` }}
                onClick={() => onOpen(node)}
                title={node.message || node.name}
              >
                <span className="flow-name">
                  <span aria-hidden="true">{look.symbol}</span> {node.name}
                </span>
                <span className="soft">{[node.type, node.template].filter(Boolean).join(' · ')}</span>
                <VisuallyHidden>{t(node.phase)}</VisuallyHidden>
              </button>
            );
          })}
        </div>
      </div>
    </section>
  );
}
