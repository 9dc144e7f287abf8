import { Table, type TableProps } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../i18n/texts.ts';
import { ScrollPanel } from './scroll-panel.tsx';

interface DataTableProps extends Omit<TableProps, 'children'> {
  /** Name of the table for those who do not see it. */
  label: string;
  /** Titles of the columns, as keys of the catalogues; an empty one is of buttons. Without any, the first cell names the row. */
  heads?: readonly string[];
  /** Part of a panel: it has no frame of its own. */
  within?: boolean;
  /** Rows. */
  children: ReactNode;
}

/** A table in a panel. On a phone each row is a card: the first cell is its title, and the others stand below with the names of their columns. */
export function DataTable({ label, heads = [], within, children, ...rest }: DataTableProps) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    for (const row of table.current?.tBodies[0]?.rows ?? [])
      for (const cell of row.cells) {
        const head = heads[cell.cellIndex];
        if (head && cell.cellIndex > 0) cell.dataset.label = t(head);
      }
  });
  return (
    <ScrollPanel label={label} inset={within}>
      <Table verticalSpacing="sm" horizontalSpacing="md" className="card-table" {...rest} ref={table}>
        {heads.length > 0 && (
          <Table.Thead>
            <Table.Tr>
              {heads.map((head) =>
                head ? <Table.Th key={head}>{t(head)}</Table.Th> : <Table.Th key="actions" aria-label={t('Actions')} />,
              )}
            </Table.Tr>
          </Table.Thead>
        )}
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </ScrollPanel>
  );
}
