import { Table } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { t } from '../../i18n/texts.ts';

/** Pixels of a row, and rows beyond which those out of sight are not drawn. */
const rowHeight = 41;
const most = 100;

interface VirtualTableProps<T> {
  /** Name of the table for those who do not see it. */
  label: string;
  /** Titles of the columns, as keys of the catalogues. */
  heads: readonly string[];
  items: readonly T[];
  /** A row, which has its key. */
  row: (item: T) => ReactNode;
}

/** A table of any length in a panel: of a long one only what is seen is in the document, and a short one has cards on a phone. */
export function VirtualTable<T>({ label, heads, items, row }: VirtualTableProps<T>) {
  const scroller = useRef<HTMLElement>(null);
  const long = items.length > most;
  const virtual = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    enabled: long,
  });
  const lines = virtual.getVirtualItems();
  const drawn = long ? lines.map(({ index }) => items[index] as T) : items;
  const above = long ? (lines[0]?.start ?? 0) : 0;
  const below = long ? virtual.getTotalSize() - (lines.at(-1)?.end ?? 0) : 0;
  return (
    <section
      ref={scroller}
      className="panel"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keys
      tabIndex={0}
      style={{ overflow: 'auto', maxHeight: long ? '75vh' : undefined }}
    >
      <Table highlightOnHover horizontalSpacing="md" className={long ? '' : 'card-table'}>
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{t(head)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {above > 0 && <tr style={{ height: above }} />}
          {drawn.map(row)}
          {below > 0 && <tr style={{ height: below }} />}
        </Table.Tbody>
      </Table>
    </section>
  );
}
