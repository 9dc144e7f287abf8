import { Anchor, Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import type { TreeNode } from '../../api/model.ts';
import { t } from '../../i18n/texts.ts';
import { objectKey } from '../../objects/objects.ts';
import { StatusBadge } from '../common/status-badge.tsx';

/** Pixels of a row, and rows beyond which those out of sight are not drawn. */
const rowHeight = 41;
const most = 100;

const titles = ['Name', 'Kind', 'Namespace', 'Sync', 'Health', 'Reason'];

/** The objects in a table. */
export function ListView({
  nodes,
  statusOf,
  onOpen,
}: {
  nodes: readonly TreeNode[];
  statusOf: (node: TreeNode) => string | undefined;
  onOpen: (node: TreeNode) => void;
}) {
  const scroller = useRef<HTMLElement>(null);
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    enabled: nodes.length > most,
  });
  const lines = virtual.getVirtualItems();
  const drawn = nodes.length > most ? lines.map(({ index }) => nodes[index] as TreeNode) : nodes;
  const above = nodes.length > most ? (lines[0]?.start ?? 0) : 0;
  const below = nodes.length > most ? virtual.getTotalSize() - (lines.at(-1)?.end ?? 0) : 0;
  return (
    <section
      ref={scroller}
      className="panel"
      aria-label={t('Objects')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
      style={{ overflow: 'auto', maxHeight: nodes.length > most ? '75vh' : undefined }}
    >
      <Table highlightOnHover horizontalSpacing="md" className={nodes.length > most ? '' : 'card-table'}>
        <Table.Thead>
          <Table.Tr>
            {titles.map((title) => (
              <Table.Th key={title}>{t(title)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {above > 0 && <tr style={{ height: above }} />}
          {drawn.map((node) => (
            <Table.Tr key={objectKey(node)} onClick={() => onOpen(node)} style={{ cursor: 'pointer' }}>
              <Table.Td miw={180}>
                <Anchor
                  component="button"
                  size="sm"
                  c="inherit"
                  fw={600}
                  ta="left"
                  style={{ overflowWrap: 'anywhere' }}
                >
                  {node.name}
                </Anchor>
              </Table.Td>
              <Table.Td data-label={t('Kind')}>{node.kind}</Table.Td>
              <Table.Td data-label={t('Namespace')} className="soft">
                {node.namespace}
              </Table.Td>
              <Table.Td data-label={t('Sync')}>
                {statusOf(node) && <StatusBadge status={statusOf(node)} size="sm" />}
              </Table.Td>
              <Table.Td data-label={t('Health')}>
                {node.health?.status && <StatusBadge status={node.health.status} size="sm" />}
              </Table.Td>
              <Table.Td data-label={t('Reason')} className="soft">
                {node.health?.message}
              </Table.Td>
            </Table.Tr>
          ))}
          {below > 0 && <tr style={{ height: below }} />}
        </Table.Tbody>
      </Table>
    </section>
  );
}
