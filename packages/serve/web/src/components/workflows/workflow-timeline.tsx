import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import type { WorkflowNode } from '../../api/families.ts';
import { lookOf } from '../../applications/status.ts';
import { span } from '../../browser/time.ts';
import { barOf, spanOf, treeOf } from '../../families/workflows.ts';
import { t } from '../../i18n/texts.ts';
import { StatusBadge } from '../common/status-badge.tsx';

interface TimelineProps {
  nodes: readonly WorkflowNode[];
  onOpen: (node: WorkflowNode) => void;
  text: string;
}

/** The nodes as a tree, and when each ran; rows are drawn as they come into sight. */
export function WorkflowTimeline({ nodes, onOpen, text }: TimelineProps) {
  const now = Date.now();
  const host = useRef<HTMLElement>(null);
  const whole = useMemo(() => spanOf(nodes, now), [nodes, now]);
  const wanted = text.toLowerCase();
  const rows = useMemo(
    () =>
      treeOf(nodes).filter(({ node }) => `${node.name} ${node.phase} ${node.message}`.toLowerCase().includes(wanted)),
    [nodes, wanted],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => host.current,
    estimateSize: () => 46,
    overscan: 12,
  });
  return (
    <section
      ref={host}
      className="panel flow-timeline"
      aria-label={t('Steps')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
      tabIndex={0}
    >
      <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {virtual.getVirtualItems().map((item) => {
          const row = rows[item.index];
          if (!row) return null;
          const { node, depth } = row;
          const bar = whole && barOf(node, whole, now);
          const took = span(node.started, node.finished || (node.started && new Date(now).toISOString()));
          return (
            <button
              key={node.id}
              type="button"
              className="flow-row"
              style={{ transform: `translateY(${item.start}px)`, height: item.size }}
              onClick={() => onOpen(node)}
            >
              <span className="flow-row-name" style={{ paddingLeft: Math.min(depth, 12) * 18 }}>
                <span className="flow-name">{node.name}</span>
                <span className="soft">{node.message || [node.type, node.template].filter(Boolean).join(' · ')}</span>
              </span>
              <StatusBadge status={node.phase} size="sm" />
              <span className="flow-took">{took || '–'}</span>
              <span className="time-bar" aria-hidden="true">
                {bar && (
                  <span
                    style={{
                      left: `${bar.left}%`,
                      width: `${bar.width}%`,
                      background: `var(--mantine-color-${lookOf(node.phase).colour}-6)`,
                    }}
                  />
                )}
              </span>
            </button>
          );
        })}
      </div>
    </section>
  );
}
